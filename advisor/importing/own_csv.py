"""The CSV that this program exports, read again; its columns are those of ``report.exporters.as_csv``."""

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import WHY, ReportedRun, ReportedTest
from advisor.core.translation import marked
from advisor.importing import names
from advisor.importing.llama_bench import CELLS, CUT_LINE, DAMAGED
from advisor.importing.page import Page
from advisor.importing.text import number, whole

TOOL: Final = "Two Machines"
FORM: Final = "CSV"
_HEAD: Final = frozenset({"test", "phase", "prompt_tokens", "written_tokens", "tokens_per_s", "samples_s"})
_LOGICAL: Final = re.compile(r"^\d+\s(?:logical|logische)")
_IMPORTED: Final = marked("imported")
"""Stamp of a row that another tool had measured."""


def read_own_csv(page: Page) -> None:
    """Rows below our head; each figure keeps the stamp that it was exported with."""
    head: list[str] = []
    mark = ","
    for at, line in enumerate(page.left(None)):
        if "tokens_per_s" in line:
            mark = max(",;\t", key=line.count)
        if mark not in line:
            continue
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=mark))]
        if set(cells) >= _HEAD:
            head = cells
            page.take([at])
        elif head and len(cells) == len(head) and not (page.may_be_cut(at) and line.count('"') % 2):
            _take(page, at, dict(zip(head, cells, strict=True)))
        elif head and page.may_be_cut(at):
            page.say(at, CUT_LINE)
        elif head and 2 * len(cells) > len(head):
            page.say(at, CELLS, held=len(cells), all=len(head))


def _take(page: Page, at: int, row: Mapping[str, str]) -> None:
    speed = number(row["tokens_per_s"])
    if row["phase"] not in tuple(Phase) or not speed:
        page.say(at, DAMAGED, **{WHY: marked("it has no phase or no speed")})
        return
    phase = Phase(row["phase"])
    tokens = whole(row["prompt_tokens" if phase is Phase.PREFILL else "written_tokens"])
    streams = whole(row.get("streams", "")) or None
    taken_s = [figure for part in row["samples_s"].split() if (figure := number(part))]
    samples = tuple(tokens * (streams or 1) / sample_s for sample_s in taken_s) if tokens else ()
    engine = row.get("engine", "")
    try:
        test = ReportedTest(
            phase=phase,
            tokens=tokens or None,
            tokens_per_s=speed,
            deviation_tokens_per_s=number(row.get("stddev_tokens_per_s", "")) or None,
            samples_tokens_per_s=samples,
            n_depth=whole(row.get("depth_tokens", "")),
            n_streams=streams,
            n_threads=whole(row.get("threads", "")) or None,
            n_batch=whole(row.get("batch_tokens", "")) or None,
            n_ubatch=whole(row.get("ubatch_tokens", "")) or None,
            flash_attention=row.get("flash_attention") or None,
            kv_type=row.get("kv_type") or None,
            engine=engine or None,
            device=row.get("device") or None,
            on_curve=row.get("curve", "") not in ("", "phases"),
            remarks=_remarks(row),
            line=at + 1,
        )
    except ValueError as error:
        page.say(at, DAMAGED, **{WHY: error})
        return
    page.take([at])
    page.runs.append(_run(page, row, test))


def _run(page: Page, row: Mapping[str, str], test: ReportedTest) -> ReportedRun:
    model = row.get("model", "")
    cpu, *others = [part for part in row.get("machine", "").split(", ") if not _LOGICAL.search(part)] or [""]
    run = ReportedRun(
        tool=TOOL, form=FORM, source=page.source, tests=(test,), model=model,
        quantisation=names.quantisation(model) or names.quantisation(row.get("model_file", "")),
        cpu=cpu, gpus=tuple(others), measured_at=row.get("measured_at", ""),
    )  # fmt: skip
    return replace(run, tool=test.engine or TOOL) if row.get("stamp") == _IMPORTED else run


def _remarks(row: Mapping[str, str]) -> tuple[str, ...]:
    """As ``benchmarks.reported.reported`` gives them for the same figures."""
    stamp, because = row.get("stamp", ""), row.get("because", "")
    if stamp == _IMPORTED:
        return tuple(part for part in because.split("; ") if part)
    said = [f"{stamp}: {because.replace('; ', ', ')}"] if because else []
    said += [marked("safe mode")] if row.get("safe_mode") == "yes" else []
    return (*said, *([marked("not complete")] if row.get("complete") == "no" else []))
