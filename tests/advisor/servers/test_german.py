"""A server's verdict, its settings and its faults in German: the same rules, figures and commands as in English."""

import pytest

from advisor.core.errors import UsageError
from advisor.core.translation import ENGLISH, use
from advisor.servers import failures
from advisor.servers.address import read_address
from advisor.servers.advice import Comfort, ServerVerdict, advise
from advisor.servers.engine_timings import kind_of, of_answer
from advisor.servers.exchange import CountOrigin
from advisor.servers.facts import Answer, ServerKind
from advisor.servers.flags import SETTINGS, Aim, setting
from advisor.servers.logs import LogReader, verdict
from advisor.servers.model import PrefixReuse, Samples
from advisor.servers.recognise import recognise
from tests.advisor.servers.test_advice import facts, known, result, stutter, users

LOG = """prompt eval time =     520.10 ms /   520 tokens (    1.00 ms per token,   999.81 tokens per second)
       eval time =    2000.00 ms /   100 tokens (   20.00 ms per token,    50.00 tokens per second)
"""
COMFORT = Comfort(0.2, 10.0, 5.3)


def judged() -> ServerVerdict:
    found = result(
        facts=facts(ServerKind.LLAMA_SERVER, 4), stutter=known(stutter(tokens=2048, first_s=3.8, worst_s=2.7)),
        users=(users(1, 20.0), users(8, 4.0)),
        prefix=known(PrefixReuse(1000, Samples((0.5,)), Samples((0.5,)), known(0))),
    )  # fmt: skip
    return advise(found, COMFORT)


def test_the_verdict_is_german_and_the_settings_are_exact(german: None) -> None:
    translated = judged()
    use(ENGLISH)
    plain = judged()
    assert translated.phase == plain.phase
    assert translated.sentence.startswith("Für einen einzelnen Nutzer ist keine der Phasen ein Problem: ")
    assert "Ihre Grenze: 5,3\N{NO-BREAK SPACE}Tokens/s" in translated.sentence
    assert [advice.command for advice in translated.advice] == [advice.command for advice in plain.advice]
    assert [advice.outlook for advice in translated.advice] == [advice.outlook for advice in plain.advice]
    assert not {advice.title for advice in translated.advice} & {advice.title for advice in plain.advice}
    assert not set(translated.findings) & set(plain.findings)
    chosen = translated.advice[0].setting
    assert chosen is not None and chosen.name == "-b"
    assert chosen.trades.startswith("Prompts werden in kleineren Schritten gelesen")


def test_every_setting_has_german_words_and_the_same_command(german: None) -> None:
    for (kind, aim), row in SETTINGS.items():
        said = setting(kind, aim)
        assert said is not None
        assert (said.name, said.command, said.source, said.usual) == (row.name, row.command, row.source, row.usual)
        assert said.trades != row.trades
        assert ("{value}" in said.words) == ("{value}" in row.words)
    assert setting(ServerKind.UNKNOWN, Aim.STALL) is None


def test_faults(german: None) -> None:
    refused = failures.of_status(429, '{"error": "busy"}', "application/json", "http://h:1", "m")
    assert refused.sentence == "Der Server nimmt zurzeit keine weiteren Anfragen an: busy."
    silent = failures.silent(60.0, answered=True, written=False)
    assert silent.sentence == "Der Server begann seine Antwort, schrieb aber 1\N{NO-BREAK SPACE}min lang kein Token."
    with pytest.raises(UsageError) as caught:
        read_address("ftp://host")
    assert caught.value.sentence == "Ein Server wird über http oder https befragt, nicht über ftp."
    assert "http://HOST:PORT" in caught.value.hint


def test_recognising_does_not_hang_on_words(german: None) -> None:
    answers = (
        Answer("/props", 200, text='{"build_info": "b1-abc", "default_generation_settings": {}, "total_slots": 4}'),
        Answer("/v1/models", 200, server="llama.cpp", text='{"data": [{"id": "m", "owned_by": "llamacpp"}]}'),
    )
    found = recognise(answers)
    assert (found.kind, found.slots.or_none()) == (ServerKind.LLAMA_SERVER, 4)
    assert found.because == (
        "/props hat build_info und sein Server-Header nennt llama.cpp und "
        "als Eigentümer seiner Modelle nennt er „llamacpp“"
    )


def test_whose_timings_they_are_does_not_hang_on_words(german: None) -> None:
    answer = {"timings": {"prompt_n": 10, "prompt_ms": 100.0, "predicted_n": 5, "predicted_ms": 100.0}}
    assert kind_of(answer) is ServerKind.LLAMA_SERVER
    timings = of_answer([answer])
    assert timings.or_none().source == "Zeiten von llama-server"  # type: ignore[union-attr]
    assert kind_of({}) is ServerKind.UNKNOWN
    assert of_answer([{}]).reason == "der Server sendet keine Zeiten"  # type: ignore[union-attr]
    assert str(CountOrigin.CHUNKS) == "counted chunks", "a key of stored results"


def test_what_a_log_says(german: None) -> None:
    said = verdict(LogReader().feed_all(LOG.splitlines()).record()).sentences
    assert said[0] == "Bei 1\N{NO-BREAK SPACE}echten Anfrage entfielen 79\N{NO-BREAK SPACE}% der Zeit auf Decode."
    assert "520\N{NO-BREAK SPACE}Tokens" in said[1]
