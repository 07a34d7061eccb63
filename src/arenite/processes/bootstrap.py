"""The script of a Python child: ``python bootstrap.py COUNT FOLDER... VERDICT MODULE ARGUMENT...``.

It is started by its path: no Python, 3.10 neither, then looks for modules in the current folder.
``FOLDER...`` are the driver's own, and Arenite is the one that this file belongs to. ``VERDICT`` is
where the exit code is written down (:mod:`arenite.processes.verdict`); empty for nowhere.
"""

import os
import sys


def _own_arenite(folder: str) -> None:
    from importlib.util import module_from_spec, spec_from_file_location  # noqa: PLC0415

    spec = spec_from_file_location(
        "arenite", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None
    assert spec.loader is not None
    package = sys.modules["arenite"] = module_from_spec(spec)
    spec.loader.exec_module(package)


def _begin(count: int, arguments: list[str]) -> int:
    sys.path[:] = arguments[:count]
    _own_arenite(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from arenite.processes.inside import run  # noqa: PLC0415 - found only now

    verdict, module, *words = arguments[count:]
    return run(module, words, verdict)


if __name__ == "__main__":
    sys.exit(_begin(int(sys.argv[1]), sys.argv[2:]))
