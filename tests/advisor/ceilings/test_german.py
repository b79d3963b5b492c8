"""Where ceilings and predictions come from, in German: the same figures, and nothing of the language before."""

from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.model import Ceilings
from advisor.ceilings.other_hardware import decode_on, prefill_on
from advisor.ceilings.predict import decode_step
from advisor.ceilings.roofline import ceilings, raise_to
from advisor.core.evidence import Known, Unknown
from advisor.core.translation import use
from advisor.hardware.catalog import find
from tests.support import documents
from tests.support.evidence import arithmetic_probe, read_probe, traffic
from tests.support.figures import figures


def sources(found: Ceilings) -> list[str]:
    facts = (
        found.read_bytes_per_s, found.compute_flop_per_s, found.decode_tokens_per_s, found.prefill_tokens_per_s,
        found.balance_flop_per_byte, found.balance_batch,
    )  # fmt: skip
    return [fact.source for fact in facts if isinstance(fact, Known)]


def measured() -> Ceilings:
    flows = traffic()
    found = ceilings(flows, (read_probe(61.4e9),), (arithmetic_probe(0.74e12),), batch=4, depth=2048)
    bound = found.decode_tokens_per_s
    assert isinstance(bound, Known)
    return raise_to(found, "decode", 1.25 * bound.value)


def test_sources_say_the_same_figures(german: None) -> None:
    said = sources(measured())
    german_figures = [figures(text) for text in said]
    use("en")
    english = sources(measured())
    assert len(english) == 6
    assert german_figures == [figures(text) for text in english]
    assert set(said).isdisjoint(text for text in english if " per " in text or " of " in text)
    assert any(text.startswith("mindestens: Decode selbst lief mit") for text in said)
    assert any("die Testmessungen erreichten" in text for text in said)


def test_predictions_for_other_hardware_follow_the_language_at_once(german: None) -> None:
    """They are remembered; what was said in English must not come back in German."""
    card, flows = find("RTX 4090"), traffic()
    assert card is not None
    heard = []
    for language in ("en", "de", "en"):
        use(language)
        found = [decode_on(card, flows), prefill_on(card, flows)]
        heard.append([fact.source for fact in found if isinstance(fact, Known)])
    assert heard[0] == heard[2]
    assert len(heard[0]) == 2
    assert all("published measurement" in text for text in heard[0])
    assert all("veröffentlichten Messungen auf" in text for text in heard[1])


def test_what_is_not_measured_says_so(german: None) -> None:
    found = ceilings(traffic(), (), ())
    assert isinstance(found.read_bytes_per_s, Unknown)
    assert found.read_bytes_per_s.reason == "die Lesebandbreite ist nicht gemessen"
    step = decode_step(documents.model(), KernelTable())
    assert isinstance(step, Unknown)
    assert step.reason == "es sind keine Kernel gemessen"
    assert KernelTable(measured_on="2026-11-30").source == "Kernel-Tabelle vom 30. November 2026"
