"""Starts the worker in a Python that two-machines is not installed in: ``python PATH/TO/start.py``.

Our package's folder may lie in a site-packages folder, full of packages built for another Python. So it is not put on
the other Python's path: only the package ``advisor`` is made known, by the place it lies in.
"""

import importlib.util
import os
import sys

OLDEST = (3, 8)


def main() -> None:
    """Make ``advisor`` importable, then do what ``python -m advisor.benchmarks.worker`` does."""
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 (before anything else is imported)
    package = os.path.dirname(os.path.dirname(here))  # noqa: PTH120
    # Older Pythons put the script's folder first, where our file names would shadow the standard library's.
    sys.path[:] = [entry for entry in sys.path if entry and os.path.abspath(entry) != here]  # noqa: PTH100
    spec = importlib.util.spec_from_file_location(
        "advisor",
        os.path.join(package, "__init__.py"),  # noqa: PTH118
        submodule_search_locations=[package],
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["advisor"] = module
    spec.loader.exec_module(module)
    from advisor.benchmarks.worker.__main__ import main as work

    work()


if __name__ == "__main__":
    if sys.version_info < OLDEST:
        sys.exit("Two Machines measures in Python 3.8 or newer; this one is " + sys.version.split()[0])
    main()
