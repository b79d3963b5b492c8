"""Rows of llama-bench as its own texts: JSON, JSON lines, CSV, SQL and the table that people post."""

import csv
import json
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Final

from advisor.core.units import GIB, MIB
from advisor.report.exporters.llama_bench import FIELDS, UNKNOWN_BUILD, Row

COLUMNS: Final = tuple(name for name in FIELDS if not name.startswith("samples_"))
"""Of CSV and SQL, which have no lists."""
TEXTS: Final = frozenset({
    "build_commit", "cpu_info", "gpu_info", "backends", "model_filename", "model_type", "cpu_mask", "type_k", "type_v",
    "split_mode", "devices", "tensor_split", "tensor_buft_overrides", "load_mode", "lazy_mode", "test_time",
})  # fmt: skip
REALS: Final = frozenset({"avg_ts", "stddev_ts"})
TABLE: Final = "llama_bench"
SLOW: Final = 0.1
"""Tokens per second below which the table's two decimals would say next to nothing."""
LEAST_COLUMNS: Final = {"n_batch": 2048, "n_ubatch": 512, "type_k": "f16", "type_v": "f16", "flash_attn": -1}
"""Columns of the table that are left out where every row has this value."""


def text_for(suffix: str, rows: Sequence[Row]) -> str:
    """As the file's name says (".json", ".jsonl", ".csv", ".sql"), else the table."""
    forms = {".json": as_json, ".jsonl": as_json_lines, ".csv": as_csv, ".sql": as_sql}
    return forms.get(suffix.lower(), as_markdown)(rows)


def as_json(rows: Iterable[Row]) -> str:
    """As ``llama-bench -o json`` prints."""
    return json.dumps(list(rows), indent=2, ensure_ascii=False) + "\n"


def as_json_lines(rows: Iterable[Row]) -> str:
    """As ``llama-bench -o jsonl`` prints."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_csv(rows: Iterable[Row]) -> str:
    """As ``llama-bench -o csv`` prints, every cell quoted; empty where nothing is known."""
    text = StringIO()
    text.write(",".join(COLUMNS) + "\n")
    written = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    written.writerows([_plain(row.get(name)) for name in COLUMNS] for row in rows)
    return text.getvalue()


def as_sql(rows: Iterable[Row]) -> str:
    """As ``llama-bench -o sql`` prints, for ``sqlite3``, whose file its script reads; NULL where nothing is known."""
    kinds = dict.fromkeys(TEXTS, "TEXT") | dict.fromkeys(REALS, "REAL")
    columns = ",\n".join(f"  {name} {kinds.get(name, 'INTEGER')}" for name in COLUMNS)
    lines = [f"CREATE TABLE IF NOT EXISTS {TABLE} (\n{columns}\n);\n"]
    lines += [
        f"INSERT INTO {TABLE} ({', '.join(COLUMNS)}) VALUES ({', '.join(_quoted(row.get(name)) for name in COLUMNS)});"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    return "NULL" if value is None else "'" + _plain(value).replace("'", "''") + "'"


def _plain(value: object) -> str:
    """A value on one line, a switch as 0 or 1; "" for what is not known."""
    return "" if value is None else str(int(value)) if isinstance(value, bool) else " ".join(str(value).split())


def as_markdown(rows: Sequence[Row]) -> str:
    """As ``llama-bench -o md`` prints, with its columns: those that differ from its defaults, and the test.

    What is not known is an empty cell, and a spread that is not known is not written as 0.
    """
    on_gpu = any(row["backends"] not in ("CPU", "", None) for row in rows)
    names = ["model", "size", "params", "backend"]
    mostly = {"n_gpu_layers" if on_gpu else "n_threads": None, **LEAST_COLUMNS}
    names += [name for name, usual in mostly.items() if any(row.get(name) not in (usual, None, "") for row in rows)]
    titles = {"n_gpu_layers": "ngl", "n_threads": "threads", "flash_attn": "fa"}
    table = [[titles.get(name, name) for name in (*names, "test", "t/s")]]
    table += [[_cell(row, name) for name in (*names, "test", "t/s")] for row in rows]
    left = {0, 3}
    widths = [max(len(cells[at]) for cells in table) for at in range(len(table[0]))]
    rule = ["-" * (width - 1) + ("-" if at in left else ":") for at, width in enumerate(widths)]
    lines = [_line(cells, widths, left) for cells in (table[0], rule, *table[1:])]
    builds = dict.fromkeys(
        f"build: {_plain(row['build_commit'])} ({_plain(row['build_number'])})"
        for row in rows if row["build_commit"] != UNKNOWN_BUILD
    )  # fmt: skip
    return "\n".join([*lines, "", *builds]) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int], left: set[int]) -> str:
    padded = [
        cell.ljust(width) if at in left else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def _cell(row: Row, name: str) -> str:
    match name:
        case "model":
            return _plain(row["model_type"]).replace("|", "/")
        case "size":
            size = row["model_size"] if isinstance(row["model_size"], int) else 0
            return "" if not size else f"{size / GIB:.2f} GiB" if size >= GIB else f"{size / MIB:.2f} MiB"
        case "params":
            count = row["model_n_params"] if isinstance(row["model_n_params"], int) else 0
            return "" if not count else f"{count / 1e9:.2f} B" if count >= 1e9 else f"{count / 1e6:.2f} M"
        case "backend":
            return _plain(row["backends"]).replace("|", "/")
        case "test":
            phase = f"pp{row['n_prompt']}" if row["n_prompt"] else f"tg{row['n_gen']}"
            return f"{phase} @ d{row['n_depth']}" if row["n_depth"] else phase
        case "t/s":
            places = 2 if row["avg_ts"] >= SLOW else 6
            spread = f" ± {row['stddev_ts']:.{places}f}" if isinstance(row["stddev_ts"], int | float) else ""
            return f"{row['avg_ts']:.{places}f}{spread}"
    return _plain(row.get(name)).replace("|", "/")
