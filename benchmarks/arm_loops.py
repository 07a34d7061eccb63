"""Cycles of the inner loops of Arm's kernels, as LLVM's models of processors have them.

``python benchmarks/arm_loops.py [--cpu CPU ...] [--json] [PATTERN]``

The functions of ``csrc/simd/neon`` whose names match PATTERN are compiled as for the wheel, and
llvm-mca, of Debian's packages, runs their innermost loops a hundred times, everything in the
nearest cache. A line per loop: products of an iteration, instructions per product, and by
processor products per cycle, next to what the model allows if nothing but the multiplications and
what adds them up were there: the processor's peak. A depthwise convolution leaves some lanes of
an SDOT unused, which count as well, and its loops contain the requantisation.

A model is not the processor. LLVM has none of Apple's newer processors but Cyclone's, of 2013.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared import ROOT, parser_of

sys.path += [str(ROOT), str(ROOT / "tools")]

import arm
from debian import MissingError, own_architecture, program, unpack
from spills import assembly_of, loops
from wheels import BUILD

LLVM = "llvm-19"
ITERATIONS = 100
#: Processors by what multiplies bytes on them.
CPUS = {
    "cortex-a53": {"smull"},
    "cortex-a55": {"smull", "sdot"},
    "neoverse-n1": {"smull", "sdot"},
    "neoverse-v1": {"smull", "sdot", "smmla"},
    "apple-m1": {"smull", "sdot"},
}
FUNCTIONS = (
    r"(paired_)?strip|tile_\d+x\d+|slide_up|(three|any)_up_[46]|tall_up_(two|any)|slide_rows"
)
#: Products per lane of the result.
PRODUCTS = {"sdot": 4, "smmla": 8, "smull": 1, "smlal": 1, "fmla": 1}
INSTRUCTION = re.compile(r"\s+([a-z]+)2?\s+v\d+\.(\d+)[bhsd]")
SUMS = re.compile(r"\s+(?:sad[ad]lp|saddw2?)\s")
CYCLES = re.compile(r"^Total Cycles:\s+(\d+)", re.MULTILINE)
ALONE = re.compile(r"^Block RThroughput:\s+([\d.]+)", re.MULTILINE)


@dataclass(frozen=True)
class Loop:
    """An innermost loop.

    Attributes:
        file, function: Where it is.
        kind: What multiplies: ``smull``, ``sdot``, ``smmla``, ``fmla``.
        code: Its instructions.
        products: Multiplications of an iteration.
    """

    file: str
    function: str
    kind: str
    code: list[str]
    products: int

    @property
    def multiplies(self) -> list[str]:
        """Its multiplications, and what adds them up."""
        return [line for line in self.code if products_of(line, self.kind) or SUMS.match(line)]


def products_of(line: str, kind: str) -> int:
    """How many products of a kind an instruction makes: of vectors alone.

    Lengthening ones that add (``smlal``) count with those that do not.
    """
    found = INSTRUCTION.match(line)
    if found is None or found[1].replace("smlal", "smull") != kind:
        return 0
    return int(found[2]) * PRODUCTS[found[1]]


def loops_of(file: str, assembly: str) -> Iterator[Loop]:
    """The innermost loops that multiply, of a file's assembly."""
    for function, code in list(loops(assembly)):
        integer = "float" not in file
        for kind in ("smmla", "sdot", "smull") if integer else ("fmla",):
            if products := sum(products_of(line, kind) for line in code):
                yield Loop(file, function, kind, code, products)
                break


def kernels(pattern: str) -> list[Loop]:
    """The loops of the functions that are asked for; the one with the most products of each."""
    commands = BUILD / arm.TAG / "compile_commands.json"
    found: dict[tuple[str, str], Loop] = {}
    for entry in json.loads(commands.read_text("utf-8")):
        path = Path(entry["file"])
        if path.parent.name != "neon" or not path.name.startswith(("gemm", "depthwise")):
            continue
        for loop in loops_of(path.stem, assembly_of(entry)):
            place = (loop.file, loop.function)
            best = found.get(place)
            if re.fullmatch(pattern, loop.function) and (
                best is None or loop.products > best.products
            ):
                found[place] = loop
    return [found[place] for place in sorted(found)]


def analysed(mca: Sequence[str], cpu: str, code: Sequence[str]) -> str:
    """What llvm-mca says of some instructions.

    Raises:
        SystemExit: It does not know one of them.
    """
    command = [*mca, "-mtriple=aarch64-linux-gnu", f"-mcpu={cpu}", f"-iterations={ITERATIONS}"]
    command += ["-mattr=+dotprod,+i8mm", "-"]
    text = "\n".join(code) + "\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"llvm-mca for {cpu}: {done.stderr[-2000:]}")
    return done.stdout


def speeds(mca: Sequence[str], cpu: str, loop: Loop) -> tuple[float, float] | None:
    """Products per cycle of a loop, and of its multiplications alone; None where there are none."""
    if loop.kind not in CPUS[cpu] | {"fmla"}:
        return None
    cycles = re.search(CYCLES, analysed(mca, cpu, loop.code))
    alone = re.search(ALONE, analysed(mca, cpu, loop.multiplies))
    if cycles is None or alone is None:
        raise ValueError("expected llvm-mca's cycles and throughput")
    return loop.products * ITERATIONS / int(cycles[1]), loop.products / float(alone[1])


def table(found: Sequence[tuple[Loop, dict[str, tuple[float, float] | None]]]) -> str:
    """Markdown, a line per loop."""
    cpus = list(found[0][1]) if found else []
    lines = [f"| loop | products | instructions per product | {' | '.join(cpus)} |"]
    lines.append("|---|--:|--:|" + "--:|" * len(cpus))
    for loop, by_cpu in found:
        name = f"{loop.file} {loop.function} ({loop.kind.upper()})"
        cells = [f"{one[0]:.1f} of {one[1]:.0f}" if one else "-" for one in by_cpu.values()]
        per_product = len(loop.code) / loop.products
        lines.append(f"| {name} | {loop.products} | {per_product:.3f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("pattern", nargs="?", default=FUNCTIONS, metavar="PATTERN")
    parser.add_argument("--cpu", action="append", choices=CPUS, help="all by default")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    args = parser.parse_args()
    try:
        root = unpack(arm.FOLDER / "llvm", own_architecture(), [LLVM])
    except MissingError as error:
        sys.exit(f"loops cannot be analysed here: {error}")
    mca = program(root, f"usr/lib/{LLVM}/bin/llvm-mca")
    arm.wheel(quiet=True)
    found = [
        (loop, {cpu: speeds(mca, cpu, loop) for cpu in args.cpu or CPUS})
        for loop in kernels(args.pattern)
    ]
    if args.json:
        rows = [{"file": one.file, "function": one.function, "speeds": by} for one, by in found]
        print(json.dumps(rows, indent=1))
    else:
        print(table(found))


if __name__ == "__main__":
    main()
