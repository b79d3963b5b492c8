"""What the label hides."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.core.evidence import Known, Unknown
from advisor.gguf.architecture import read_model
from advisor.gguf.contents import contents, type_in_label
from advisor.gguf.quant_types import FILE_TYPE_LABELS
from tests.support.gguf_builder import Gguf, decoder


def test_the_samples_label(sample: Path) -> None:
    held = contents(read_model(sample))
    # 13,271,040 of 246,587,904 bytes; the head is 178,257,920 (physics.md E2)
    assert held.label_type == "Q4_K"
    assert held.label_share.or_none() == pytest.approx(0.0538, abs=1e-4)
    assert held.head_share.or_none() == pytest.approx(0.7229, abs=1e-4)
    assert held.bits_per_weight.or_none() == pytest.approx(8 * 246_587_904 / 268_098_176)
    assert held.read_share.or_none() == pytest.approx(246_587_904 / 253_113_024)
    assert [each.name for each in held.types] == ["Q8_0", "Q5_0", "Q4_K", "Q6_K", "F32"]
    assert sum(each.share for each in held.types) == pytest.approx(1)


def test_shares_of_a_small_model(tmp_path: Path) -> None:
    file = decoder(
        embed=256, heads=4, kv_heads=4, ff=256, quant="Q4_K", head_quant="Q6_K", keys={"general.file_type": 15}
    )
    model = read_model(file.write(tmp_path / "m.gguf"))
    held = contents(model)
    assert held.label_share == Known(model.types["Q4_K"] / model.weights_bytes, *_source(held.label_share))
    # the embedding table is stored, and only one row of it is read
    assert isinstance(held.read_share, Known)
    assert held.read_share.value < 1 - model.types["Q6_K"] / 2 / model.file_bytes


def _source(fact: object) -> tuple[object, str]:
    assert isinstance(fact, Known)
    return fact.basis, fact.source


def test_nothing_is_known_of_a_file_without_weights(tmp_path: Path) -> None:
    held = contents(read_model(Gguf({"general.file_type": 7}).write(tmp_path / "m.gguf")))
    assert held.types == ()
    for share in (held.bits_per_weight, held.label_share, held.head_share, held.read_share):
        assert isinstance(share, Unknown)


def test_a_label_that_names_no_type(tmp_path: Path) -> None:
    model = read_model(decoder().write(tmp_path / "m.gguf"))
    assert contents(model).label_type == ""
    assert isinstance(contents(replace(model, label=Known("IQ3_M", *_source(model.layers)))).label_share, Unknown)


@pytest.mark.parametrize(
    ("label", "named"),
    [
        ("Q4_K_M", "Q4_K"), ("Q3_K_L", "Q3_K"), ("Q2_K_S", "Q2_K"), ("Q8_0", "Q8_0"), ("MXFP4_MOE", "MXFP4"),
        ("IQ4_XS", "IQ4_XS"), ("IQ3_S", "IQ3_S"), ("IQ3_XS", ""), ("IQ2_M", ""), ("", ""),
    ],
)  # fmt: skip
def test_types_in_labels(label: str, named: str) -> None:
    assert type_in_label(label) == named


def test_most_labels_name_a_type() -> None:
    assert {label for label in FILE_TYPE_LABELS.values() if not type_in_label(label)} == {"IQ3_XS", "IQ3_M", "IQ2_M"}
