"""A notice as the bar shows it."""

from dataclasses import dataclass
from typing import Final

from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from ui.bridge.notices import Notice, Severity

MARKS: Final = {Severity.INFO: "", Severity.WARNING: "⚠ ", Severity.ERROR: "✕ "}
SPOKEN: Final = {
    Severity.INFO: marked("info"), Severity.WARNING: marked("warning"), Severity.ERROR: marked("error"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NoticeState:
    """Texts of the bar; ``copied`` is what the copy button takes."""

    severity: str
    sentence: str
    hint: str
    details: str
    copied: str
    spoken: str


def present_notice(notice: Notice) -> NoticeState:
    """The bar's state in the language of now; a mark stands beside the colour, and repeats are counted."""
    notice = retold(notice)
    times = " " + tr("({n} times)", n=notice.count) if notice.count > 1 else ""
    return NoticeState(
        severity=str(notice.severity),
        sentence=f"{MARKS[notice.severity]}{notice.sentence}{times}",
        hint=notice.hint,
        details=notice.details,
        copied=notice.as_text(),
        spoken=f"{tr(SPOKEN[notice.severity])}: {notice.sentence} {notice.hint}".strip(),
    )
