"""A small measured server for tests: made from exchanges whose figures are known."""

from advisor.core.evidence import Basis, Known, Unknown
from advisor.servers.exchange import CountOrigin, Exchange, Failure
from advisor.servers.facts import ServerFacts, ServerKind
from advisor.servers.model import Prefill, PromptPoint, Samples, ServerResult, StutterRun
from advisor.servers.users import users_point

FACTS = ServerFacts(
    base_url="http://127.0.0.1:8080/v1", kind=ServerKind.LLAMA_SERVER, because="/props has build_info",
    version=Known("b1", Basis.READ, "/props"), models=("tiny", "large"), model="tiny",
    context_tokens=Known(4096, Basis.READ, "the server"), slots=Known(4, Basis.READ, "the server"), settings={},
    round_trip_s=Unknown("not asked"),
)  # fmt: skip


def exchange(sent_s: float = 0.0, first_s: float = 0.1, step_s: float = 0.02, tokens: int = 20) -> Exchange:
    """A request whose first token comes after ``first_s`` and each further one after ``step_s``."""
    arrivals = tuple(sent_s + first_s + step_s * number for number in range(tokens))
    return Exchange(sent_s, arrivals, arrivals[-1], 64, tokens, CountOrigin.USAGE)


def paused(pause_s: float = 1.0) -> StutterRun:
    """Two streams of 20 tokens, with one pause of that length while a prompt of 2,048 tokens is read."""
    before = tuple(0.1 + 0.02 * number for number in range(10))
    after = tuple(before[-1] + pause_s + 0.02 * number for number in range(10))
    steady = tuple(Exchange(0.0, before + after, after[-1], 64, 20, CountOrigin.USAGE) for _ in range(2))
    long = Exchange(before[-1], (after[0], after[0] + 0.02), after[0] + 0.02, 2048, 2, CountOrigin.USAGE)
    return StutterRun(2, long, steady, Samples((0.02,) * 18), Samples((pause_s,) * 2))


def some_result() -> ServerResult:
    """All parts measured, the sweep's last point failed."""
    singles = (exchange(), exchange(first_s=0.2))
    points = (PromptPoint(64, Samples((0.1,))), PromptPoint(1024, Samples((0.2,))))
    rate = Known(9600.0, Basis.MEASURED, "slope")
    return ServerResult(
        FACTS, singles,
        Known(Prefill(points, rate, Known(0.09, Basis.MEASURED, "slope")), Basis.MEASURED, "slope"),
        Samples((50.0, 50.0)), Samples((0.02,) * 38),
        users=tuple(users_point([exchange(step_s=0.02 * users) for _ in range(users)]) for users in (1, 2, 4)),
        stutter=Known(paused(), Basis.MEASURED, "streams"),
        failures={"8 users at once": Failure("The server failed (HTTP 500).", "Look at its log.")},
        requests=12, spent_s=3.0,
    )  # fmt: skip
