"""The Qt front end of Two Machines."""

import ctypes
import sys

_SPARE_REFERENCES = 1 << 40


def _keep_true_alive() -> None:
    """Workaround, PySide6 6.12.0 with Python 3.11: each ``Signal.emit()`` gives away a reference to ``True``.

    It returns ``True`` without owning it, so that after some thousand signals Python ends the process with
    "deallocating True or False". From Python 3.12 on ``True`` is immortal and nothing happens; here it is given so
    many references that it is, too. To see it: ``sys.getrefcount(True)`` before and after a hundred emissions.
    """
    if sys.version_info < (3, 12) and sys.implementation.name == "cpython" and sys.maxsize > 2**32:
        ctypes.c_ssize_t.from_address(id(True)).value += _SPARE_REFERENCES


_keep_true_alive()
