"""The PDF: that it is one, how many pages it has, and that its text says what the JSON says."""

import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QGuiApplication, QPdfWriter

from advisor.core.evidence import Basis, Known
from advisor.diagnosis.parts import NO_COURSE
from advisor.report import formatting as f
from advisor.report.document import Document
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.files import CannotWrite
from tests.support import documents as d
from tests.support.trials import EXAMPLES
from ui.printing import style
from ui.printing.canvas import Canvas
from ui.printing.flow import paginate
from ui.printing.page_one import page_one
from ui.printing.pdf import pdf_bytes, print_document

needs_pdftotext = pytest.mark.skipif(not shutil.which("pdftotext"), reason="pdftotext (poppler-utils) is not installed")
each_example = pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES)

Build = Callable[[], Document]


@pytest.fixture
def canvas(qapp: QGuiApplication) -> Canvas:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(style.RESOLUTION)
    measuring = Canvas(writer)
    measuring.keep = (buffer, writer)  # type: ignore[attr-defined]
    return measuring


def pages_of(content: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", content))


def text_of(content: bytes, folder: Path, *options: str) -> str:
    """The text of a PDF, no-break spaces and line breaks as plain spaces."""
    path = folder / "report.pdf"
    path.write_bytes(content)
    done = subprocess.run(["pdftotext", *options, str(path), "-"], capture_output=True, check=True, timeout=60)
    return re.sub(r"\s+", " ", done.stdout.decode().replace("\f", " "))


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@each_example
def test_every_document_prints(qapp: QGuiApplication, build: Build, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    print_document(build(), path)
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert pages_of(content) > 1
    assert len(content) < 1_000_000
    assert [item.name for item in tmp_path.iterdir()] == ["report.pdf"]


@each_example
def test_page_one_is_one_page(canvas: Canvas, build: Build) -> None:
    assert len(paginate(page_one(canvas, build()), canvas.paper.content_height)) == 1


def test_page_one_stays_one_page_with_long_texts(canvas: Canvas) -> None:
    document = d.suspect_document()
    long = "a sentence that goes on and on, as sentences should not. " * 20
    verdict = replace(d.verdict(), headline=long, sentence=long)
    document = replace(
        document,
        model=d.model(d.LONG_NAME * 20),
        verdict=Known(verdict, Basis.COMPUTED, "rules"),
        advice=tuple(replace(item, title=long, detail=long) for item in d.advice()),
        wont_help=tuple(replace(item, sentence=long) for item in d.wont_help()),
        interrupted=long,
    )
    assert len(paginate(page_one(canvas, document), canvas.paper.content_height)) == 1


@needs_pdftotext
@each_example
def test_the_text_says_what_the_json_says(qapp: QGuiApplication, build: Build, tmp_path: Path) -> None:
    document = build()
    text = text_of(pdf_bytes(document), tmp_path, "-layout")
    value = document_json(document)
    for test in value["tests"]:
        assert plain(f.with_spread(test["tokens_per_s"], test["mad_tokens_per_s"])) in text
        for sample_s in test["samples_s"]:
            assert f.sample(sample_s) in text
    if value["timeline"]:
        for name in ("wait_s", "stream_s", "total_s"):
            assert plain(f.seconds(value["timeline"][name])) in text
    if value["ceilings"]:
        assert plain(f.bandwidth(value["ceilings"]["read_bytes_per_s"])) in text
        assert plain(f.flop_rate(value["ceilings"]["compute_flop_per_s"])) in text
        assert plain(f.tokens_per_s(value["ceilings"]["decode_tokens_per_s"])) in text
    for advice in value["advice"]:
        saving = f.saving(advice["saved_s"], advice["saved_s_low"], advice["saved_s_high"])
        assert f"saves {plain(saving)}" in text
    assert f.count(value["model"]["parameters"]) in text
    assert "maria" not in text


@needs_pdftotext
def test_page_one_has_what_anyone_needs(qapp: QGuiApplication, tmp_path: Path) -> None:
    text = text_of(pdf_bytes(d.complete_document()), tmp_path, "-l", "1")
    for words in (
        "Prefill is your problem.", "ONE REQUEST", "nothing on screen 1 min 37 s", "writing 25.9 s", "DO THIS FIRST",
        "Retrieve 8 passages instead of 40", "saves 48–65 s", "DO NOT BUY THIS", "A second GPU", "THE TWO MACHINES",
        "limited by compute", "limited by memory", "84 % of the 49.2 tokens/s", "HOW SURE", "✓ Valid run",
        "llama-cpp-python 0.3.36", "two-machines 0.1.0",
    ):  # fmt: skip
        assert words in text
    assert re.search(r"1 ?/ ?\d", text)
    assert "Quantise" not in text, "page one shows the first three only"


@needs_pdftotext
def test_sceptics_find_conditions_method_and_commands(qapp: QGuiApplication, tmp_path: Path) -> None:
    text = text_of(pdf_bytes(d.suspect_document()), tmp_path, "-layout")
    for words in (
        "max of float32", "ggml Q4_K, repacked", "balance point", "safe mode", "invalid", "Decode, at least",
        "two-machines diagnose llama-3.1-8b-instruct-q4_k_m.gguf --workload rag", "llama-bench -m", "Method",
    ):  # fmt: skip
        assert words in text


CHINESE_FONT = re.compile("CJK|Droid Sans Fallback|WenQuanYi|PingFang|Source Han")


def fonts() -> str:
    return subprocess.run(["fc-list"], capture_output=True, check=True, text=True).stdout


@needs_pdftotext
@pytest.mark.parametrize(
    "name", [d.CYRILLIC_NAME, d.CHINESE_NAME, d.LONG_NAME, "emoji 🦙 model", "\u202eevil", "x" * 5000]
)
def test_names_of_any_script_and_length(qapp: QGuiApplication, name: str, tmp_path: Path) -> None:
    document = replace(d.complete_document(), model=d.model(name))
    content = pdf_bytes(document)
    text = text_of(content, tmp_path)
    assert "Prefill is your problem." in text
    if "emoji" in name:
        assert "emoji [llama] model" in text or "🦙" in text, "a sign without a font is named, not an empty box"
    if name == d.CHINESE_NAME and shutil.which("fc-list") and CHINESE_FONT.search(fonts()):
        assert "通义千问" in text
    if name == d.CYRILLIC_NAME:
        assert name in text
        info = subprocess.run(["pdfinfo", str(tmp_path / "report.pdf")], capture_output=True, check=True)
        assert name in info.stdout.decode()


@needs_pdftotext
@pytest.mark.parametrize(("wait_s", "stream_s"), [(0.0, 5.0), (0.02, 60.0), (300.0, 0.1), (4.0, 0.0)])
def test_narrow_parts_of_a_request_are_named_all_the_same(
    qapp: QGuiApplication, wait_s: float, stream_s: float, tmp_path: Path
) -> None:
    line = replace(d.timeline(), wait_s=wait_s, stream_s=stream_s, total_s=wait_s + stream_s, first_time=NO_COURSE)
    document = replace(d.complete_document(), timeline=Known(line, Basis.COMPUTED, "x"))
    text = text_of(pdf_bytes(document), tmp_path, "-l", "1")
    assert f"nothing on screen {plain(f.seconds(wait_s))}" in text
    assert f"writing {plain(f.seconds(stream_s))}" in text


def test_another_thread_may_print(qapp: QGuiApplication) -> None:
    results: list[bytes] = []
    thread = threading.Thread(target=lambda: results.append(pdf_bytes(d.complete_document())))
    thread.start()
    thread.join(60)
    assert results[0].startswith(b"%PDF-")


def test_a_missing_folder_is_an_error_of_ours(qapp: QGuiApplication, tmp_path: Path) -> None:
    with pytest.raises(CannotWrite):
        print_document(d.complete_document(), tmp_path / "none" / "report.pdf")


def test_long_texts_end_in_an_ellipsis_inside_their_width(canvas: Canvas) -> None:
    box = canvas.text("word " * 300, style.BODY, 120, 2)
    assert box.layout.text().endswith("…")
    assert box.width <= 120.5
    assert box.height < 3 * style.BODY.size * style.BODY.leading


def test_the_batch_curve_is_drawn_with_its_names_and_its_table(qapp: QGuiApplication, tmp_path: Path) -> None:
    text = text_of(pdf_bytes(d.swept_document()), tmp_path, "-layout")
    chart = text[: text.index("One step of all")]
    for words in ("streams decoded together", "together", "each", "at most"):
        assert words in chart


def test_reasons_of_stamps_are_numbered_and_stand_once_below_the_table(qapp: QGuiApplication, tmp_path: Path) -> None:
    document = d.suspect_document()
    text = plain(text_of(pdf_bytes(document), tmp_path))
    reasons = list(dict.fromkeys(test.conditions.because for test in document.tests))
    assert len(reasons) == 2
    for number, because in enumerate(reasons, 1):
        words = plain("; ".join(because))
        assert text.count(f" {number}) {words[:1].upper()}{words[1:30]}") == 1
