# Two commands do everything on a fresh machine: `make run` and `make test`.
# Works with GNU make on Linux and macOS; Windows users find the pip commands in README.md.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
CAN_OPEN_WINDOW = $(BIN)/python -c 'import os, sys; from ui.shell.start import why_no_window; sys.exit(why_no_window(os.environ) is not None)'

# Twice quiet leaves errors only: pip's warnings are about package sources and its own version, which nobody here chose.
QUIETLY := --quiet --quiet --disable-pip-version-check

.PHONY: run test check docs bench screenshots clean

# Exit code 5 means measured, but on a disturbed machine: the reports are written and say so.
run: $(STAMP)
	@if $(CAN_OPEN_WINDOW); then \
		$(BIN)/two-machines gui "$$($(BIN)/two-machines sample)"; \
	else \
		echo "No display here: doing the same job without the window."; \
		$(BIN)/two-machines diagnose "$$($(BIN)/two-machines sample)" --workload rag \
			--pdf report.pdf --json report.json --md report.md || [ $$? -eq 5 ]; \
	fi

test: $(STAMP)
	$(BIN)/python -m pytest

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

# User guide and developer pages as a static site that works from its folder: build/site/index.html.
docs: $(STAMP)
	@$(BIN)/python -c 'import furo, myst_parser' 2>/dev/null || $(BIN)/python -m pip $(QUIETLY) install --editable ".[docs]"
	$(BIN)/python docs/build_site.py build/site
	$(BIN)/python docs/check_links.py build/site

# Figures, not assertions: event-loop gaps, cost of the gauges, the page of a long history, start-up times, published measurements, seconds of the plans, a history of 10,000 runs, and (with LLAMA_BENCH=path) parity with llama-bench.
bench: $(STAMP)
	$(BIN)/python -m tests.benchmarks.responsiveness
	$(BIN)/python -m tests.benchmarks.gauges
	$(BIN)/python -m tests.benchmarks.history_page
	$(BIN)/python -m tests.benchmarks.startup
	$(BIN)/python -m tests.benchmarks.published
	$(BIN)/python -m tests.benchmarks.plans
	$(BIN)/python -m tests.benchmarks.history
	$(if $(LLAMA_BENCH),$(BIN)/python tests/benchmarks/parity.py --llama-bench $(LLAMA_BENCH))

# Every page in three palettes, three sizes and three scales, before, during and after a run; to be looked at.
screenshots: $(STAMP)
	$(BIN)/python -m tests.support.screenshots build/screenshots

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name it with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@echo "Installing (the engine is compiled for this machine, about five minutes the first time) ..."
	$(BIN)/python -m pip $(QUIETLY) install --editable ".[sample,dev]"
	@$(BIN)/python -m compileall -q advisor ui resources
	@touch $(STAMP)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache report.pdf report.json report.md
