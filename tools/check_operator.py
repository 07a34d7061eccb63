"""Says what an operator has and what it lacks: ``python tools/check_operator.py leaky_relu``.

One line per part: ``ok``, ``failed``, or ``not there yet`` with the file to add or to edit. A must
are only the reference kernel and its tests: other parts are added where they are worth it, and what
lacks them is still run, by Python or as plain C.

Which parts there are is read from the registry, the traits and the tables. It needs no build; the
kernels of the native engine are then not run. Exit codes: 0 nothing failed, 1 something failed,
2 there is no such operator.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from arenite import native
from arenite.firmware.kernels import cortex_m, cortex_m55, portable
from arenite.firmware.streaming.reach import goes_by_rows
from arenite.libraries.cmsis_nn.cost.loops import is_counted
from arenite.libraries.cmsis_nn.cost.steps import STEPS
from arenite.ops import registry
from arenite.ops.traits import NO_TRAITS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "src/arenite"
COSTS = f"{PACKAGE}/libraries/cmsis_nn/cost"
#: ``pytest`` found no test that it was asked for.
NO_TESTS = 5


class Line(NamedTuple):
    """A part of an operator: how it stands, and where."""

    part: str
    state: str
    note: str

    def __str__(self) -> str:
        """As it is printed."""
        return f"{self.part:19} {self.state}: {self.note}"


def ok(part: str, note: str) -> Line:
    """A part that is there."""
    return Line(part, "ok", note)


def missing(part: str, note: str) -> Line:
    """A part that could be added, and in which file."""
    return Line(part, "not there yet", note)


def main(arguments: list[str] | None = None) -> int:
    """Print the lines of one operator; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operator", help="leaky_relu, LEAKY_RELU, SignalFramer, signal_framer")
    given = parser.parse_args(arguments).operator
    names = every_name()
    name = name_of(given, names)
    if name is None:
        print(f"expected an operator, got {given!r}{nearest(given, names)}", file=sys.stderr)
        return 2
    failed = False
    for line in lines_of(name):
        print(line, flush=True)
        failed |= line.state == "failed"
    return int(failed)


def every_name() -> list[str]:
    """The operators that Arenite has."""
    return [*registry.builtin_names(), *registry.custom_names(), *registry.mnn_names()]


def name_of(given: str, names: list[str]) -> str | None:
    """The operator that is meant: its name or its file's, in any case."""
    wanted = given.lower()
    return next((name for name in names if wanted in (name.lower(), stem_of(name))), None)


def nearest(given: str, names: list[str]) -> str:
    """The names that look like another one, as the end of a sentence."""
    stems = [stem_of(name) for name in names]
    close = get_close_matches(given.lower(), stems, 3)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def stem_of(name: str) -> str:
    """What an operator's test is named after: ``if`` for IF, whose module is ``if_``."""
    return module_of(name).rpartition(".")[2].rstrip("_")


def module_of(name: str) -> str:
    """The module of an operator that there is."""
    module = registry.module_name(name)
    assert module is not None, name
    return module


def lines_of(name: str) -> Iterator[Line]:
    """All parts, in the order in which they are written."""
    yield tests(name)
    yield native_kernel(name)
    yield firmware_kernel("firmware", portable, name)
    yield firmware_kernel("firmware, DSP", cortex_m, name)
    yield firmware_kernel("firmware, MVE", cortex_m55, name)
    yield streaming(name)
    yield costs(name)
    yield traits(name)
    yield docs(name)


def tests(name: str) -> Line:
    """The operator's own tests, which are run."""
    namespace = module_of(name).split(".")[2]
    path = f"tests/ops/{namespace}/test_{stem_of(name)}.py"
    if not (ROOT / path).exists():
        return missing("tests", path)
    return tested("tests", path, path)


def native_kernel(name: str) -> Line:
    """The kernel of the native engine, whose tests are run where it is built."""
    part = "native kernel"
    path = declaring(name)
    if path is None:
        if name in portable.CALLERS:
            return ok(part, "none needed: it calls subgraphs, as the engine's steps do")
        return missing(part, f"csrc/portable/{stem_of(name)}.c (Python runs it)")
    if not native.available():
        return Line(part, "not built", f"make native, then {path} is tested")
    return tested(part, path, "tests/native", "-k", f"[{name}-")


def declaring(name: str) -> str | None:
    """The C file with an operator's portable kernel."""
    declaration = re.compile(rf"^AR_\w*PORTABLE_KERNEL\(\s*{re.escape(name)},", re.MULTILINE)
    files = sorted((ROOT / "csrc" / "portable").glob("*.c"))
    found = (file for file in files if declaration.search(file.read_text("utf-8")))
    return next((file.relative_to(ROOT).as_posix() for file in found), None)


def tested(part: str, path: str, *arguments: str) -> Line:
    """What pytest says of some tests; its output is printed where they fail."""
    sources = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": sources},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == NO_TESTS:
        return ok(part, f"{path}; no test of {arguments[0]} is named after it")
    if done.returncode:
        print(done.stdout + done.stderr, end="", file=sys.stderr)
        return Line(part, "failed", f"python -m pytest {' '.join(arguments)}")
    return ok(part, f"{path}, {summary(done.stdout)}")


def summary(printed: str) -> str:
    """``4 passed, 1 skipped``, the last line of what pytest printed."""
    return printed.strip().rpartition("\n")[2].rpartition(" in ")[0].strip("= ")


def firmware_kernel(part: str, room: Any, name: str) -> Line:
    """The kernel of one kind of processor, in the table of its room."""
    kernels: Mapping[str, Callable[..., Any]] = room.KERNELS
    folder = Path(room.__file__).parent.relative_to(ROOT).as_posix()
    kernel = kernels.get(name)
    if kernel is not None:
        return ok(part, source_of(kernel))
    instead = "" if room is portable else ", beside plain C"
    return missing(part, f"{folder}/{module_of(name).rpartition('.')[2]}.py{instead}")


def source_of(function: Callable[..., Any]) -> str:
    """The file of a function, as seen from the project's folder."""
    path = inspect.getsourcefile(inspect.unwrap(getattr(function, "func", function)))
    assert path is not None
    return Path(path).relative_to(ROOT).as_posix()


def streaming(name: str) -> Line:
    """Whether its layers go row by row."""
    path = f"{PACKAGE}/firmware/streaming/reach.py"
    if not goes_by_rows(name):
        return missing("streaming", f"{path}, or elementwise in TRAITS")
    return ok("streaming", "element by element" if registry.traits_of(name).elementwise else path)


def costs(name: str) -> Line:
    """Measured rows of its kernels, and how often their loops run: neither counts alone."""
    rows = len({(kernel, loop) for one in STEPS.values() for kernel, loop in measured(name, one)})
    lacking = [f"{COSTS}/tables/O2/steps.csv"] * (not rows)
    lacking += [f"{COSTS}/loops/"] * (not is_counted(name))
    if lacking:
        return missing("costs", ", ".join(lacking))
    return ok("costs", f"{rows} measured loops in {COSTS}/tables/O2/steps.csv")


def measured(name: str, steps: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Kernels and loops of an operator that one processor has numbers of."""
    for kernel, loops in steps.items():
        if kernel.partition(",")[0] == name:
            yield from ((kernel, loop) for loop in loops)
        elif name in loops:  # TFLM's code around a function of CMSIS-NN
            yield kernel, name


def traits(name: str) -> Line:
    """What the operator states for passes, streaming and reports."""
    if not hasattr(import_module(module_of(name)), "TRAITS"):
        return missing("traits", f"TRAITS in src/{module_of(name).replace('.', '/')}.py")
    default = asdict(NO_TRAITS)
    own = asdict(registry.traits_of(name)).items()
    stated = [
        key if value is True else f"{key}={value}" for key, value in own if value != default[key]
    ]
    return ok("traits", ", ".join(stated) or "none that helps")


def docs(name: str) -> Line:
    """The section that ``make docs`` writes."""
    path = "docs/operators.md"
    if f"\n## {name}\n" not in (ROOT / path).read_text("utf-8"):
        return missing("docs", f"{path} (make docs)")
    return ok("docs", path)


if __name__ == "__main__":
    sys.exit(main())
