"""Writes the table of all kernels, found in the files that declare them.

``python kernel_table.py OUTPUT CSRC ISAS FOLDERS``: the C source ``OUTPUT``, with the kernels of
``CSRC/portable``, compiled once for each of ``ISAS``, and of ``FOLDERS`` in ``CSRC/simd``.
Both are lists as CMake has them.
See ``csrc/engine/kernel.h`` for how a file declares one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

DECLARATION = re.compile(r"^AR_\w*KERNEL\(", re.MULTILINE)
PORTABLE = re.compile(r"AR_(?:FLAT_|SHARED_)?PORTABLE_KERNEL\(\s*(\w+),")
LANES = re.compile(r"AR_(?:FAMILY_|FLAT_)?KERNEL\(\s*(\w+),\s*(\d+),\s*(\w+),")


class Kernel(NamedTuple):
    """A kernel: for its instruction set and operator, the ``order``-th to be tried."""

    isa: str
    operator: str
    order: int

    def __str__(self) -> str:
        """Its name in C."""
        return f"ar_kernel_{self.isa}_{self.operator}_{self.order}"


def declarations(files: Iterable[Path], form: re.Pattern[str], wanted: str) -> list[re.Match[str]]:
    """What files declare, each line of the right form."""
    found = []
    for file in files:
        text = file.read_text("utf-8")
        for line in DECLARATION.finditer(text):
            match = form.match(text, line.start())
            if not match:
                number = text.count("\n", 0, line.start()) + 1
                sys.exit(f"{file}:{number}: expected {wanted}")
            found.append(match)
    return found


def portable_kernels(csrc: Path) -> list[str]:
    """The operators that have a portable kernel."""
    found = declarations(
        (csrc / "portable").glob("*.c"), PORTABLE, "AR_PORTABLE_KERNEL(OPERATOR, ...)"
    )
    return in_order([match[1] for match in found])


def simd_kernels(csrc: Path, folders: list[str]) -> list[Kernel]:
    """The kernels in some folders."""
    files = [file for folder in folders for file in (csrc / "simd" / folder).glob("*.c")]
    found = declarations(files, LANES, "AR_KERNEL(ISA, ORDER, OPERATOR, ...)")
    return in_order([Kernel(match[1], match[3], int(match[2])) for match in found])


def in_order(found: list[Any]) -> list[Any]:
    """All of them sorted; one that two lines declare ends the build."""
    if twice := sorted(kernel for kernel in set(found) if found.count(kernel) > 1):
        sys.exit(f"kernels: expected one declaration each, got two of {twice[0]}")
    return sorted(found)


def table(csrc: Path, isas: list[str], folders: list[str]) -> str:
    """The C source."""
    lists: dict[str, list[str]] = {}
    for kernel in simd_kernels(csrc, folders):
        lists.setdefault(kernel.isa, []).append(str(kernel))
    for isa in isas:
        portable = [f"ar_portable_{name}_{isa}" for name in portable_kernels(csrc)]
        lists.setdefault(isa, []).extend(portable)
    lines = ['#include "engine/table.h"', ""]
    lines += [f"extern const ar_kernel {name};" for names in lists.values() for name in names]
    for isa, names in lists.items():
        entries = "".join(f"  &{name},\n" for name in names)
        lines += ["", f"static const ar_kernel *const {isa}[] = {{\n{entries}  0,\n}};"]
    rows = "".join(f"  [AR_{isa.upper()}] = {isa},\n" for isa in lists)
    lines += ["", f"const ar_kernel *const *const ar_kernel_table[AR_ISA_COUNT] = {{\n{rows}}};"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    lists = [[name for name in argument.split(";") if name] for argument in sys.argv[3:]]
    Path(sys.argv[1]).write_text(table(Path(sys.argv[2]), *lists), "utf-8")
