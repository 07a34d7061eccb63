"""``python -m tests.digests --check``: every digest, with every engine and instruction set here.

``--write`` draws the models anew where TFLM's package is.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from arenite import native
from arenite.errors import UndefinedWarning
from tests.digests.cases import Case, read, save
from tests.digests.digest import Digest, are_equal, of_native, of_reference

FILE = Path(__file__).with_name("digests.json")


def expected() -> list[Digest]:
    """The digests of all cases, in their order."""
    by_operator: dict[str, list[Digest]] = json.loads(FILE.read_text("utf-8"))
    return [digest for digests in by_operator.values() for digest in digests]


def write() -> None:
    """Draw models, ask TFLM's package, and write what it agrees with."""
    from tests.digests.draw import draw_all

    cases = draw_all()
    save(cases)
    found: dict[str, list[str]] = {}
    for case in cases:
        found.setdefault(case.operator, []).append(json.dumps(of_reference(case)))
    rows = ",\n".join(
        f' "{name}": [\n  ' + ",\n  ".join(digests) + "\n ]" for name, digests in found.items()
    )
    FILE.write_text(f"{{\n{rows}\n}}\n", "utf-8")
    print(f"{len(cases)} models of {len(found)} operators written")


def isas() -> tuple[str, ...]:
    """The instruction sets whose kernels run here."""
    if not native.available():
        return ()
    from arenite.native.program import available_isas

    return tuple(available_isas())


def differing(cases: list[Case], digests: list[Digest], engine: str) -> Counter[str]:
    """How many models of which operators give other digests with an engine."""
    wrong: Counter[str] = Counter()
    for case, digest in zip(cases, digests, strict=True):
        mine = of_reference(case) if engine == "reference" else of_native(case, engine)
        if not are_equal(mine, digest):
            wrong[case.operator] += 1
    return wrong


def check() -> int:
    """Compare all digests; 1 if any differs."""
    warnings.simplefilter("ignore", UndefinedWarning)
    cases, digests, failed = read(), expected(), 0
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, ", end="")
    print(f"NumPy {np.__version__}: {len(cases)} models")
    for engine in ("reference", *isas()):
        wrong = differing(cases, digests, engine)
        failed += wrong.total()
        print(f"{engine}: {dict(wrong) or 'all equal'}", flush=True)
    return 1 if failed else 0


def main() -> int:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    either = parser.add_mutually_exclusive_group(required=True)
    either.add_argument("--check", action="store_true", help="compare with what is committed")
    either.add_argument("--write", action="store_true", help="draw models, ask TFLM's package")
    if parser.parse_args().check:
        return check()
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
