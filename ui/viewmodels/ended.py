"""How an activity ended, for the status bar; pure."""

from advisor.core.translation import marked
from ui.bridge.activity import Activity


def ended_words(
    before: Activity, *, trying: bool, measured: bool, ceilings: bool, interrupted: bool, stutter: bool, server: bool
) -> str:
    """What is said once it is over, in English; empty where nothing is.

    Args:
        before: what was going on.
        trying: whether it was a trial of an advice.
        measured: whether a test of the model has a result.
        ceilings: whether both ceilings are known.
        interrupted: whether the run ended before its time, though nobody stopped it.
        stutter: whether how long the others pause was measured just now.
        server: whether the server's single requests were measured.
    """
    words = ""
    if before is Activity.STOPPING and trying:
        words = marked("Stopped before a whole round; nothing was compared")
    elif before is Activity.STOPPING:
        some = measured or server
        words = marked("Stopped; what was measured is kept") if some else marked("Stopped")
    elif before in (Activity.BENCHMARK, Activity.CURVE) and measured:
        words = marked("Ended early; what was measured is kept") if interrupted else marked("Done")
    elif before is Activity.CEILINGS and ceilings:
        words = marked("Both ceilings are measured")
    elif before is Activity.TRIAL and stutter:
        words = marked("Done: how long the others pause is measured")
    elif before is Activity.SERVER and server:
        words = marked("Done: the server is measured")
    return words
