"""What the bundle's executable runs: the program, or one of its modules in a further process of its own.

The bundle has no Python that ``-m`` could be given to, so the executable takes the place of it
(``advisor.core.processes``).
"""

import importlib
import sys
import types

from advisor.core.processes import RUN_MODULE

MODULES = ("advisor.benchmarks.worker", "ui", "ui.printing")


def main() -> int:
    """Run the program; returns its exit code."""
    # pyqtgraph imports it and uses none of it without a 3D view; it is nine megabytes.
    sys.modules["PySide6.QtOpenGL"] = types.ModuleType("PySide6.QtOpenGL")
    if len(sys.argv) > 2 and sys.argv[1] == RUN_MODULE:
        name = sys.argv[2]
        if name not in MODULES:
            print(f"two-machines: the bundle has no module {name}.", file=sys.stderr)
            return 2
        sys.argv[:] = [sys.argv[0], *sys.argv[3:]]
        return importlib.import_module(f"{name}.__main__").main() or 0
    from ui.__main__ import main as program

    return program()


if __name__ == "__main__":
    sys.exit(main())
