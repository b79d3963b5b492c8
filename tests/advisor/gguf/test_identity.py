import hashlib
from pathlib import Path

from advisor.core.evidence import Known, Unknown
from advisor.gguf.identity import header_sha256
from advisor.gguf.reader import read_header
from tests.support.gguf_builder import decoder


def test_it_is_the_hash_of_everything_before_the_weights(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    decoder("llama").write(path)
    start = read_header(path).data_start
    found = header_sha256(path)
    assert isinstance(found, Known)
    assert found.value == hashlib.sha256(path.read_bytes()[:start]).hexdigest()


def test_weights_do_not_change_it_and_keys_do(tmp_path: Path) -> None:
    path, other = tmp_path / "m.gguf", tmp_path / "n.gguf"
    decoder("llama").write(path)
    decoder("qwen2").write(other)
    before = header_sha256(path).or_none()
    data = bytearray(path.read_bytes())
    data[-1] ^= 0xFF
    path.write_bytes(data)
    assert header_sha256(path).or_none() == before
    assert header_sha256(other).or_none() != before


def test_a_file_that_is_gone_has_none(tmp_path: Path) -> None:
    assert isinstance(header_sha256(tmp_path / "gone.gguf"), Unknown)
