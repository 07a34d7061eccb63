"""Checks that no accumulator of the vector kernels is kept on the stack.

``python tools/spills.py BUILD_FOLDER...``. Compiles ``csrc/simd`` to assembly as each build does,
for x86-64 or for aarch64 (of a wheel: ``build/wheels/manylinux_2_17_aarch64``), and looks for
vector registers that an innermost loop with multiply-accumulate instructions stores to the
stack: with them a kernel is 1.3 to 1.7 times slower, and still right.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

#: Functions that may: those that run when a model is prepared, and those for the rare channels
#: whose requantisation has no float form.
EXEMPT = re.compile(r"plan_by_line$|line_for$|proven$|exact_")

FUNCTION = re.compile(r"([A-Za-z_]\w*):")
BLOCK = re.compile(r"(?:\.L(BB\w+):|(?:#|//) %bb\.\d+:)")  # x86-64's comments, and Arm's
IN_LOOP = re.compile(r"in Loop: Header=(BB\w+)")
INNERMOST = "This Inner Loop Header"
#: Of SMULL's products, those whose sums are begun (SADDLP) as well as those that go on (SADALP).
ACCUMULATES = re.compile(
    r"\s+(?:vpdpbusd|vpdpwssd|vpmaddwd|vfmadd|[su]dot|[su]mmla|[su]mlal|[su]ad(?:alp|dlp)|f?mla)"
)
#: By the stack pointer or, on aarch64, by whatever clang says is a spill; an array that grows the
#: stack in a loop is one that it could not keep in registers.
SPILL = re.compile(
    r"\s+vmov\w+\s+%[xyz]mm\d+, -?\d*\(%r[sb]p\)"
    r"|\s+st[ur]?[rp]\s+q\d+,.*(?:\[sp|\[x29|Folded Spill)"
    r"|\s+mov\s+sp, x"
)


def loops(assembly: str) -> Iterator[tuple[str, list[str]]]:
    """Every innermost loop: its function, and its instructions. clang's comments say which."""
    function, innermost, of_header = "", False, dict[str, list[str]]()
    header = None
    for line in assembly.splitlines():
        if found := FUNCTION.match(line):
            function = found[1]
        if found := BLOCK.match(line):
            outer = IN_LOOP.search(line)
            header = outer[1] if outer else found[1]
            innermost = False
        if INNERMOST in line and not innermost and header:
            innermost = True
            of_header[header] = []
            yield function, of_header[header]
        if header in of_header and not line.lstrip().startswith(("#", "//", ".")):
            of_header[header].append(line)


def spilling(assembly: str) -> tuple[int, list[str]]:
    """How many loops accumulate, and a line for each that spills."""
    found = list(loops(assembly))
    hot = [(name, code) for name, code in found if any(map(ACCUMULATES.match, code))]
    spills = [
        f"{name}: {line.strip()}"
        for name, code in hot
        if not EXEMPT.match(name)
        for line in code
        if SPILL.match(line)
    ]
    return len(hot), spills


def assembly_of(entry: dict[str, str]) -> str:
    """What the compiler makes of a file of the build."""
    folder = Path(entry["directory"])
    command = shlex.split(entry["command"])
    place = command.index("-o") + 1
    output = folder / Path(command[place]).with_suffix(".s")
    command[place] = str(output)
    command[command.index("-c")] = "-S"
    caches = dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), str(folder / "zig"))
    subprocess.run(
        command, cwd=folder, env={**os.environ, **caches}, capture_output=True, check=True
    )
    return output.read_text("latin-1")  # tables of numbers may be printed as bytes


def spills_in(folder: str) -> bool:
    """Print what was found in a build; whether a hot loop spills, or there is none."""
    entries = json.loads((Path(folder) / "compile_commands.json").read_text("utf-8"))
    chosen = [entry for entry in entries if "/csrc/simd/" in entry["file"]]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda entry: spilling(assembly_of(entry)), chosen))
    for entry, (_, spills) in zip(chosen, results, strict=True):
        for line in spills:
            print(f"{Path(entry['file']).parent.name}/{Path(entry['file']).name}: {line}")
    count = sum(hot for hot, _ in results)
    bad = any(spills for _, spills in results) or not count
    said = "see above" if bad else "none uses the stack"
    print(f"spills: {count} accumulating loops in {folder}, {said}")
    return bad


def main(folders: list[str]) -> int:
    """Look at all builds; 1 if there is anything to say against one."""
    found = [spills_in(folder) for folder in folders]
    return any(found) or not found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
