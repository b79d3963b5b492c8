"""A notice as the bar shows it."""

from dataclasses import dataclass

from ui.bridge.notices import Notice, Severity

MARKS = {Severity.INFO: "", Severity.WARNING: "⚠ ", Severity.ERROR: "✕ "}


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
    """The bar's state; a mark stands beside the colour, and repeats are counted."""
    times = f" ({notice.count} times)" if notice.count > 1 else ""
    return NoticeState(
        severity=str(notice.severity),
        sentence=f"{MARKS[notice.severity]}{notice.sentence}{times}",
        hint=notice.hint,
        details=notice.details,
        copied=notice.as_text(),
        spoken=f"{notice.severity}: {notice.sentence} {notice.hint}".strip(),
    )
