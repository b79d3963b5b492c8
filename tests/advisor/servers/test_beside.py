"""The computer beside a measured server: its own work is no disturbance."""

import pytest

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.report.server_words import server_pairs, stamp_words
from advisor.servers import beside
from advisor.servers.address import read_address
from advisor.servers.beside import Beholder, elsewhere, hidden, watched
from advisor.servers.model import Beside, ServerResult
from tests.support.server_results import FACTS


def known(share: float) -> Fact[float]:
    return Known(share, Basis.MEASURED, "CPU times")


def words(found: Beside, doubts: tuple[str, ...] = ()) -> dict[str, str]:
    held = ServerResult(FACTS, beside=Known(found, Basis.MEASURED, "CPU times"), doubts=doubts)
    return {label: value.replace("\u00a0", " ") for label, value in server_pairs(held)}


def test_the_servers_own_work_is_named_as_such_and_is_no_doubt() -> None:
    seen = watched(known(0.9), known(0.02), 0.0, "", blind=False)
    assert seen.doubts == ()
    said = words(seen.beside)
    assert said["Meanwhile here"] == "the server itself used 90 % of the CPU, and other programs used 2 % of the CPU"
    assert said["Stamp"] == "valid"


def test_other_programs_are_a_doubt_also_for_a_server_elsewhere() -> None:
    for server in (known(0.3), elsewhere()):
        seen = watched(server, known(0.5), 0.0, "firefox", blind=False)
        assert [each.replace("\u00a0", " ") for each in seen.doubts] == [
            "other programs used 50 % of the CPU, most of all firefox"
        ]
    assert "the server itself" not in words(seen.beside)["Meanwhile here"]


def test_a_hypervisor_that_gives_time_away_is_a_doubt() -> None:
    (doubt,) = watched(known(0.3), known(0.0), 0.2, "", blind=False).doubts
    assert "hypervisor" in doubt


def test_where_the_server_cannot_be_told_from_others_nobody_is_blamed() -> None:
    seen = watched(hidden(), known(0.9), 0.0, "llama-server", blind=True)
    assert seen.doubts == ()
    said = words(seen.beside)["Meanwhile here"]
    assert "most of all llama-server; the server is among them, since the system does not tell" in said


def test_a_stamp_has_all_reasons() -> None:
    assert stamp_words(ServerResult(FACTS, doubts=("one", "two"))) == "suspect: one; two"


@pytest.mark.parametrize(("url", "local"), [("http://127.0.0.1:9", True), ("http://10.1.2.3:9", False)])
def test_only_this_machine_is_searched_for_the_server(url: str, local: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def listening(port: int) -> tuple[int, ...]:
        asked.append(port)
        return ()

    monkeypatch.setattr(beside.listeners, "listening_on", listening)
    seen = Beholder(read_address(url)).seen()
    assert asked == ([9, 9] if local else [])
    why = seen.beside.server_fraction
    assert isinstance(why, Unknown)
    assert why.kind is (Missing.NO_PERMISSION if local else Missing.NOT_APPLICABLE)
