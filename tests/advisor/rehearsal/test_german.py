"""Where a model would lie, and what cannot be rehearsed, in German."""

import pytest

from advisor.core.errors import UsageError
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import use
from advisor.core.units import GB
from advisor.rehearsal import recipes
from advisor.rehearsal.catalogue import find
from advisor.rehearsal.fit import fit_of
from tests.support.figures import figures


def known(value: float) -> Known[int]:
    return Known(round(value), Basis.READ, "test")


@pytest.mark.parametrize(
    ("model", "recipe", "device", "device_bytes", "main_bytes", "words"),
    [
        ("Llama-3.1-8B", "Q4_K_M", "CPU", known(16 * GB), known(16 * GB), "Speicher: Es passt."),
        ("Llama-3.3-70B", "Q4_K_M", "CPU", known(30 * GB), known(32 * GB), "immer wieder vom Laufwerk gelesen"),
        ("Llama-3.3-70B", "Q4_K_M", "CUDA0", known(24 * GB), known(64 * GB), "der Schichten dorthin"),
        ("Qwen3-8B", "Q8_0", "CPU", Unknown("?", Missing.FAILED), Unknown("?", Missing.FAILED), "ist nicht bekannt."),
    ],
)  # fmt: skip
def test_where_it_would_lie(
    german: None, model: str, recipe: str, device: str, device_bytes: Fact[int], main_bytes: Fact[int], words: str
) -> None:
    fit = fit_of(recipes.facts(find(model).shape, recipe), 4096, device, device_bytes, main_bytes)
    assert isinstance(fit, Known)
    said = fit.value.words
    said_figures = figures(said)
    assert words in said
    use("en")
    assert figures(fit.value.words) == said_figures


def test_what_is_not_there(german: None) -> None:
    with pytest.raises(UsageError) as refused:
        find("no such model at all")
    assert refused.value.sentence == "Im Katalog gibt es kein Modell namens no such model at all."
    with pytest.raises(UsageError, match="Es gibt keine Quantisierung namens Q9"):
        recipes.known_recipe("Q9")
