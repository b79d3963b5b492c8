"""Folders for files of an experiment: gone at the end, also those of a run that was killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.core.errors import AdvisorError
from advisor.session.scratch import remove_left_overs, scratch_folder


def test_everything_in_it_is_gone_at_the_end(tmp_path) -> None:
    with scratch_folder(tmp_path / "scratch") as folder:
        (folder / "half.gguf").write_bytes(b"GGUF")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_also_after_an_error_which_stays_the_one_it_was(tmp_path) -> None:
    with pytest.raises(OSError, match="mine"), scratch_folder(tmp_path) as folder:
        (folder / "half.gguf").write_bytes(b"GGUF")
        raise OSError("mine")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_runs_folder_goes_and_one_in_use_stays(tmp_path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from advisor.session.scratch import scratch_folder\n"
        "with scratch_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half.gguf').write_bytes(b'GGUF'); print(folder, flush=True); time.sleep(60)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    folder = Path(child.stdout.readline().strip())
    try:
        remove_left_overs(tmp_path)
        assert (folder / "half.gguf").exists()
    finally:
        child.kill()
        child.communicate()
    assert (folder / "half.gguf").exists()
    with scratch_folder(tmp_path) as mine:
        assert [path for path in tmp_path.iterdir() if path != mine] == []


def test_what_others_put_there_stays(tmp_path) -> None:
    (tmp_path / "trial-notes").mkdir()
    (tmp_path / "trial-notes" / "text.txt").write_text("mine")
    remove_left_overs(tmp_path)
    assert (tmp_path / "trial-notes" / "text.txt").exists()


def test_a_place_that_cannot_be_written_to_is_one_sentence(tmp_path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(AdvisorError, match="scratch") as refused, scratch_folder(tmp_path / "file" / "scratch"):
        pass
    assert refused.value.hint


