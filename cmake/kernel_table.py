"""Writes the table of all kernels, found in the files that declare them.

``python kernel_table.py OUTPUT CSRC ISA...``: the C source ``OUTPUT``, with the kernels of
``CSRC/portable``, which is compiled once for each ``ISA``, and of the folders ``CSRC/lanes/ISA``.
See ``csrc/engine/kernel.h`` for how a file declares one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

PORTABLE = re.compile(r"^AR_PORTABLE_KERNEL\(\s*(\w+),", re.MULTILINE)
LANES = re.compile(r"^AR_(?:FAMILY_)?KERNEL\(\s*(\w+),\s*(\d+),\s*(\w+),", re.MULTILINE)


class Kernel(NamedTuple):
    """A kernel: for its instruction set and operator, the ``order``-th to be tried."""

    isa: str
    operator: str
    order: int

    @property
    def symbol(self) -> str:
        """Its name in C."""
        return f"ar_kernel_{self.isa}_{self.operator}_{self.order}"


def portable_kernels(csrc: Path) -> list[str]:
    """The operators that have a portable kernel."""
    files = sorted((csrc / "portable").glob("*.c"))
    return unique([name for file in files for name in PORTABLE.findall(file.read_text("utf-8"))])


def lanes_kernels(csrc: Path, isas: list[str]) -> list[Kernel]:
    """The kernels of the folders of some instruction sets."""
    files = [file for isa in isas for file in sorted((csrc / "lanes" / isa).glob("*.c"))]
    found = [match for file in files for match in LANES.findall(file.read_text("utf-8"))]
    return unique([Kernel(isa, operator, int(order)) for isa, order, operator in found])


def unique(found: list) -> list:
    """All in order; a kernel that two lines declare ends the build."""
    if twice := sorted({kernel for kernel in found if found.count(kernel) > 1}):
        sys.exit(f"kernels: expected one declaration each, got two of {twice[0]}")
    return sorted(found)


def table(csrc: Path, isas: list[str]) -> str:
    """The C source."""
    lists: dict[str, list[str]] = {}
    for kernel in lanes_kernels(csrc, isas):
        lists.setdefault(kernel.isa, []).append(kernel.symbol)
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
    Path(sys.argv[1]).write_text(table(Path(sys.argv[2]), sys.argv[3:]), "utf-8")
