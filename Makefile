# Two commands do everything on a fresh machine: `make run` and `make test`.
# Works with GNU make on Linux and macOS; Windows users find the pip commands in README.md.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# A display is there when one of these is set, or on macOS always.
DISPLAY_HERE := $(or $(DISPLAY),$(WAYLAND_DISPLAY),$(filter Darwin,$(shell uname -s)))

.PHONY: run test check bench clean

run: $(STAMP)
ifneq ($(strip $(DISPLAY_HERE)),)
	$(BIN)/two-machines gui "$$($(BIN)/two-machines sample)"
else
	@echo "No display here: doing the same job without the window."
	$(BIN)/two-machines diagnose "$$($(BIN)/two-machines sample)" --workload rag --pdf report.pdf --json report.json --md report.md
endif

test: $(STAMP)
	$(BIN)/python -m pytest

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

# Figures, not assertions: event-loop gaps, start-up times, and (with LLAMA_BENCH=path) parity with llama-bench.
bench: $(STAMP)
	$(BIN)/python -m tests.benchmarks.responsiveness
	$(BIN)/python -m tests.benchmarks.startup
	$(if $(LLAMA_BENCH),$(BIN)/python tests/benchmarks/parity.py --llama-bench $(LLAMA_BENCH))

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name it with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@echo "Installing (the engine is compiled for this machine, about five minutes the first time) ..."
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[sample,dev]"
	@touch $(STAMP)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache report.pdf report.json report.md
