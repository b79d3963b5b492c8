"""Our ceilings and ranges against published measurements: ``python -m tests.benchmarks.published [FILE.csv ...]``.

Without arguments the rows kept under tests/data/published are used; other files of the same columns may be named.
``--write`` renews resources/efficiency.csv, ``--docs`` the tables in docs/accuracy.md, both from the kept rows.
"""

import argparse
import datetime
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.ceilings.device_class import ceiling_flop_per_s, matrix_flop_per_s
from advisor.ceilings.efficiency import FILE, EfficiencyTable
from advisor.ceilings.other_hardware import ENGINE, SpeedRange, decode_on, prefill_on, weight_bits
from advisor.ceilings.roofline import decode_ceiling, prefill_ceiling
from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.stats import median
from tests.benchmarks.efficiency_fit import fit, points_of, without
from tests.support.published import FILES, Measured, read_rows

ROOT = Path(__file__).parents[2]
RESOURCE = ROOT / "resources" / FILE
ACCURACY = ROOT / "docs" / "accuracy.md"
MARK = re.compile(r"(<!-- published: begin[^>]*-->\n).*?(<!-- published: end -->)", re.DOTALL)

LARGEST_EXCESS = 1.03
LEAST_COVERED = 0.75
WIDEST = {"decode": 0.20, "prefill": 0.35}


@dataclass(frozen=True)
class Against:
    """One measured speed beside its ceiling."""

    row: Measured
    phase: str
    share: float


@dataclass(frozen=True)
class Guess:
    """One measured speed beside the range that was made without its device."""

    row: Measured
    phase: str
    measured: float
    range: SpeedRange
    figure: bool
    """Whether the phase's own figure of the device is known (bandwidth; arithmetic or cores)."""

    @property
    def inside(self) -> bool:
        return self.range.low <= self.measured <= self.range.high

    @property
    def off(self) -> float:
        return self.measured / self.range.middle - 1


def against_ceilings(rows: Iterable[Measured]) -> list[Against]:
    """Every measured speed whose device's figures are known, as a share of the roofline from them."""
    found = []
    for row in rows:
        if row.traffic is None:
            continue
        bits = weight_bits(row.traffic)
        read = _fact(row.device.bandwidth_bytes_per_s)
        compute = _fact(ceiling_flop_per_s(row.device, bits))
        for phase, speed, bound in (
            ("decode", row.decode, decode_ceiling(row.traffic, read, compute)),
            ("prefill", row.prefill, prefill_ceiling(row.traffic, read, compute, row.prompt)),
        ):
            if speed is not None and isinstance(bound, Known):
                found.append(Against(row, phase, speed / bound.value))
    return found


def left_out(rows: Sequence[Measured]) -> list[Guess]:
    """Each device's rows predicted from a table that was learnt without the device, under whatever name."""
    points = points_of(rows)
    found = []
    for identity in sorted({row.identity for row in rows}):
        table = fit(without(points, identity))
        found += predicted((row for row in rows if row.identity == identity), table)
    return found


def predicted(rows: Iterable[Measured], table: EfficiencyTable | None = None) -> list[Guess]:
    """What a table (the shipped one by default) says about rows whose device and model it can place."""
    found = []
    for row in rows:
        if row.traffic is None or not row.fits:
            continue
        decode = decode_on(row.device, row.traffic, engine=row.engine, table=table)
        prefill = prefill_on(row.device, row.traffic, prompt=row.prompt, engine=row.engine, table=table)
        if row.decode is not None and isinstance(decode, Known):
            found.append(Guess(row, "decode", row.decode, decode.value, True))
        if row.prefill is not None and isinstance(prefill, Known):
            figure = matrix_flop_per_s(row.device) is not None
            found.append(Guess(row, "prefill", row.prefill, prefill.value, figure))
    return found


def covered(guesses: Sequence[Guess]) -> float:
    """Share of the rows inside their range."""
    return sum(guess.inside for guess in guesses) / len(guesses)


def half_width(guesses: Sequence[Guess]) -> float:
    """Median over the rows."""
    return median([guess.range.half_width for guess in guesses])


def report(rows: Sequence[Measured]) -> str:
    """All tables as Markdown."""
    shares, guesses = against_ceilings(rows), left_out(rows)
    strict = [share for share in shares if share.row.strict]
    return "\n".join([
        f"{len(rows)} rows, {len({row.identity for row in rows})} devices, {sum(row.strict for row in rows)} rows "
        "first-hand with a stated file size.",
        "",
        "**No measurement above its ceiling** (roofline from the vendor's figures; routed experts only; unread "
        "embeddings left out):",
        "",
        *_ceiling_table("first-hand", strict),
        *_ceiling_table("all", shares)[2:],
        "",
        "Nearest to their ceilings:",
        "",
        *_nearest(strict),
        "",
        "**Ranges for devices left out of the fit, one whole device at a time:**",
        "",
        *_range_table(guesses),
        "",
        "By kind of device and engine:",
        "",
        *_kind_table(guesses),
        "",
        "Furthest outside their ranges:",
        "",
        *_outliers(guesses),
    ])  # fmt: skip


def _ceiling_table(name: str, shares: Sequence[Against]) -> list[str]:
    lines = ["| rows | phase | count | median of ceiling | highest | above by more than 3 % |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for phase in ("decode", "prefill"):
        values = [share.share for share in shares if share.phase == phase]
        above = sum(value > LARGEST_EXCESS for value in values)
        lines.append(f"| {name} | {phase} | {len(values)} | {median(values):.0%} | {max(values):.0%} | {above} |")
    return lines


def _nearest(shares: Sequence[Against], count: int = 6) -> list[str]:
    lines = ["| id | device | model | phase | of ceiling |", "|---|---|---|---|---|"]
    for phase in ("decode", "prefill"):
        nearest = sorted((share for share in shares if share.phase == phase), key=lambda share: -share.share)
        lines += [f"| {s.row.id} | {s.row.device.name} | {s.row.model} {s.row.quant} | {phase} | {s.share:.0%} |"
                  for s in nearest[:count]]  # fmt: skip
    return lines


def _range_table(guesses: Sequence[Guess]) -> list[str]:
    lines = ["| rows | phase | count | devices | covered | half-width, median | error, median |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    kinds: tuple[tuple[str, Callable[[Guess], bool]], ...] = (
        ("all", lambda guess: True),
        ("first-hand", lambda guess: guess.row.strict),
        ("llama.cpp", lambda guess: guess.row.engine == ENGINE),
        ("llama.cpp, first-hand", lambda guess: guess.row.engine == ENGINE and guess.row.strict),
        ("arithmetic or cores known", lambda guess: guess.phase == "prefill" and guess.figure),
        ("arithmetic not known", lambda guess: guess.phase == "prefill" and not guess.figure),
    )
    for name, chosen in kinds:
        for phase in ("decode", "prefill"):
            some = [guess for guess in guesses if guess.phase == phase and chosen(guess)]
            if some:
                lines.append(_range_line(name, phase, some))
    return lines


def _range_line(name: str, phase: str, some: Sequence[Guess]) -> str:
    devices = len({guess.row.identity for guess in some})
    error = median([abs(guess.off) for guess in some])
    return (f"| {name} | {phase} | {len(some)} | {devices} | {covered(some):.0%} | ±{half_width(some):.0%} | "
            f"{error:.0%} |")  # fmt: skip


def _kind_table(guesses: Sequence[Guess]) -> list[str]:
    lines = ["| rows | phase | count | devices | covered | half-width, median | error, median |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    names = sorted({(guess.row.engine, _kind(guess.row)) for guess in guesses})
    for engine, kind in names:
        for phase in ("decode", "prefill"):
            some = [g for g in guesses if (g.row.engine, _kind(g.row)) == (engine, kind) and g.phase == phase]
            if some:
                lines.append(_range_line(f"{engine}, {kind}", phase, some))
    return lines


def _kind(row: Measured) -> str:
    return f"{row.device.vendor} {row.device.kind}".strip().replace("memory kit", "processor")


def _outliers(guesses: Sequence[Guess], count: int = 14) -> list[str]:
    lines = ["| id | device | engine | model | phase | measured | range |", "|---|---|---|---|---|---|---|"]
    outside = [guess for guess in guesses if not guess.inside]
    outside.sort(key=lambda g: -max(g.measured / g.range.high, g.range.low / g.measured))
    for g in outside[:count]:
        lines.append(
            f"| {g.row.id} | {g.row.device.name} | {g.row.engine} | {g.row.model} {g.row.quant} | {g.phase} | "
            f"{g.measured:,.4g} | {g.range.low:,.4g}–{g.range.high:,.4g} |"
        )
    return lines


def write_table(rows: Sequence[Measured]) -> str:
    """The text of ``resources/efficiency.csv``."""
    today = datetime.date.today().isoformat()
    lines = [
        f"# Made on {today} by python -m tests.benchmarks.published --write from {len(rows)} published measurements;",
        "# each has its source in tests/data/published. Columns: advisor/ceilings/efficiency.py.",
        "name,share,middle,low,high,slope,reference_s,layer_s,rows,devices",
    ]
    for row in fit(points_of(rows)).values():
        numbers = (row.middle, row.low, row.high, row.slope, row.reference_s, row.layer_s)
        figures = ",".join(f"{value:.4g}" for value in numbers)
        lines.append(f"{row.name},{row.share},{figures},{row.rows},{row.devices}")
    return "\n".join(lines) + "\n"


def _fact(value: float | None) -> Fact[float]:
    return Unknown("not known") if value is None else Known(value, Basis.TABLE, "published")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="other measurements in the columns of scoreboard.csv")
    parser.add_argument("--write", action="store_true", help="renew resources/efficiency.csv")
    parser.add_argument("--docs", action="store_true", help="renew the tables in docs/accuracy.md")
    parser.add_argument("--shipped", action="store_true",
                        help="also predict the named files' rows with the shipped table")  # fmt: skip
    options = parser.parse_args(arguments)
    rows = read_rows(options.files or FILES)
    if options.write:
        RESOURCE.write_text(write_table(read_rows()), encoding="utf-8")
    text = report(rows)
    print(text)
    if options.shipped:
        print("\n**With the shipped table, nothing left out:**\n", *_range_table(predicted(rows)), sep="\n")
    if options.docs:
        old = ACCURACY.read_text(encoding="utf-8")
        ACCURACY.write_text(MARK.sub(lambda found: f"{found[1]}{text}\n{found[2]}", old), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
