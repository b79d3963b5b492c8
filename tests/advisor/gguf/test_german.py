"""What is wrong with a file, in German: the same faults with the same figures, and English as before."""

from pathlib import Path

import pytest

from advisor.core.errors import BadFile
from advisor.core.evidence import Unknown
from advisor.core.translation import ENGLISH, use
from advisor.gguf.architecture import read_model
from advisor.gguf.discover.grouping import not_a_model
from advisor.gguf.reader import read_header
from tests.support.gguf_builder import Gguf, Tensor

FOUR = Tensor("x", (4,))

REFUSED = {
    "2^63 keys": (
        Gguf(key_count=2**63),
        "model.gguf is damaged: its header claims 9,223,372,036,854,775,808 keys, more than any model has.",
        "model.gguf ist beschädigt: ihr Kopf gibt 9.223.372.036.854.775.808 Schlüssel an, mehr als irgendein Modell "
        "hat.",
    ),
    "duplicate key": (
        Gguf([("a", 1), ("a", 2)]),
        "model.gguf is damaged: its header holds the key a twice.",
        "model.gguf ist beschädigt: ihr Kopf enthält den Schlüssel a zweimal.",
    ),
    "next version": (
        Gguf(version=4),
        "model.gguf is GGUF version 4, and this program knows versions up to 3.",
        "model.gguf hat die GGUF-Version 4, und dieses Programm kennt Versionen bis 3.",
    ),
    "reversed magic": (
        Gguf(magic=b"FUGG"),
        "model.gguf is not a GGUF model: it is damaged, its first four bytes stand in reverse order.",
        "model.gguf ist kein GGUF-Modell: Die Datei ist beschädigt, ihre ersten vier Bytes stehen in umgekehrter "
        "Reihenfolge.",
    ),
}  # fmt: skip


def refusal(path: Path) -> BadFile:
    with pytest.raises(BadFile) as caught:
        read_header(path)
    return caught.value


@pytest.mark.parametrize("case", REFUSED)
def test_a_damaged_file_is_refused_in_german_with_the_same_figures(case: str, tmp_path: Path, german: None) -> None:
    built, english, translated = REFUSED[case]
    path = built.write(tmp_path / "model.gguf")
    said = refusal(path)
    assert said.sentence == translated
    use(ENGLISH)
    plain = refusal(path)
    assert plain.sentence == english
    assert said.hint != plain.hint and said.fields == plain.fields


def test_what_is_no_model_is_told_and_what_to_do(tmp_path: Path, german: None) -> None:
    (tmp_path / "page.gguf").write_bytes(b"<!doctype html><html></html>")
    error = refusal(tmp_path / "page.gguf")
    assert error.sentence == "page.gguf ist kein GGUF-Modell: Die Datei ist eine Webseite."
    assert error.hint.startswith("Die Datei selbst herunterladen")
    assert refusal(tmp_path / "none.gguf").sentence == "Es gibt keine Datei none.gguf."


def test_a_cut_file_keeps_its_figures(tmp_path: Path, german: None) -> None:
    path = Gguf({"general.architecture": "llama"}, (Tensor("x", (4096,)),)).write(tmp_path / "model.gguf")
    whole = path.read_bytes()
    path.write_bytes(whole[:-16_000])
    held, described = (f"{size:,}".replace(",", ".") for size in (len(whole) - 16_000, len(whole)))
    assert refusal(path).sentence == (
        f"model.gguf hat {held} Bytes, aber der Kopf beschreibt {described}: Es fehlen 16.000 Bytes; es sieht aus wie "
        "ein unvollständiger Download."
    )


def test_why_a_model_is_not_understood(tmp_path: Path, german: None) -> None:
    path = Gguf({"general.architecture": "novel"}, (FOUR,)).write(tmp_path / "model.gguf")
    model = read_model(path)
    assert isinstance(model.traffic, Unknown)
    assert model.traffic.reason == "die Bytes je Token der Architektur novel sind noch nicht modelliert"
    assert model.notes[-1] == f"Obergrenzen lassen sich für dieses Modell nicht berechnen: {model.traffic.reason}."
    assert model.architecture == "novel"


def test_an_encoder_is_told_apart(tmp_path: Path, german: None) -> None:
    path = Gguf({"general.architecture": "bert"}, (FOUR,)).write(tmp_path / "model.gguf")
    model = read_model(path)
    assert not model.has_decode
    assert model.notes[0].startswith("Diese Datei lässt sich nicht messen: sie ist ein Encoder")


def test_files_left_out_are_counted_in_words(german: None) -> None:
    assert not_a_model("mmproj", 2) == "2\N{NO-BREAK SPACE}Bildteile (mmproj)"
    assert not_a_model("imatrix", 1) == "1\N{NO-BREAK SPACE}Importance-Matrix"
