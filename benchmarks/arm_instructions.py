"""Instructions of one inference on Arm processors, emulated by QEMU, next to LiteRT with XNNPACK.

``python benchmarks/arm_instructions.py [--cpu CPU ...] [--by-symbol N] [--by-operator] [--json]
[MODEL ...]``

A MODEL is the name of one of ``../shared/models``, or a file; kws, vww, ic, ad and sww in int8 by
default. Counted is ``invoke()`` on one thread, called by Python: a plugin counts what the guest
executes, and the difference of 40 and 20 inferences is divided. Instructions are no time: a
processor takes more for some than for others, and waits for memory. ``--by-symbol`` lists the
functions of Arenite's engine that take the most, ``--by-operator`` a model's operators instead of
the table: what the engine executes for each, a thousand or so of them for the call alone. The
processor is made by ``tools/arm.py``; what it has decides which kernels both engines choose.
"""

from __future__ import annotations

import argparse
import bisect
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shared import ROOT, parser_of

sys.path += [str(ROOT), str(ROOT / "tools")]

import arm
from debian import MissingError
from tests.shared import ROOT as SHARED
from wheels import BUILD, environment_for

HERE = Path(__file__).parent
MODELS = ("kws_int8", "vww_int8", "ic_int8", "ad_int8", "sww_int8")
ENGINES = ("arenite", "litert")
INFERENCES = 20
#: Of QEMU, the first whose interface of plugins has no version 1.
SECOND_INTERFACE = 9
#: What lies outside of Arenite's engine: Python, NumPy, the C library.
ELSEWHERE = "(not in the engine)"
LARGEST_MODULE = 1 << 23


@dataclass(frozen=True)
class Count:
    """Instructions of one inference: all of them, and by address of their block."""

    all: float
    blocks: dict[int, float] = field(default_factory=dict)


# -- counting ----------------------------------------------------------------------------


def plugin(there: arm.Machine) -> Path:
    """The plugin, compiled for the QEMU that loads it.

    Raises:
        SystemExit: It does not compile.
    """
    said = subprocess.check_output([*there.qemu, "--version"], text=True)
    major = int(said.split("version ")[1].split(".")[0])
    target = arm.FOLDER / "count.so"
    processor = os.uname().machine
    command = [sys.executable, "-m", "ziglang", "cc", f"--target={processor}-linux-gnu.2.17"]
    command += ["-O2", "-shared", "-fPIC", "-Wl,--allow-shlib-undefined", "-o", str(target)]
    command += [f"-DVERSION={2 if major >= SECOND_INTERFACE else 1}", str(HERE / "arm_count.c")]
    subprocess.run(command, env=environment_for(arm.TAG), check=True)
    return target


def marks(text: str) -> tuple[list[int], list[Counter[int]]]:
    """What the plugin wrote at every mark: all instructions so far, and by address of a block."""
    totals, blocks = list[int](), list[Counter[int]]()
    for line in text.splitlines():
        words = line.split()
        if len(words) == 1:
            totals.append(int(words[0]))
            blocks.append(Counter())
        else:
            blocks[-1][int(words[0], 16)] += int(words[1])
    return totals, blocks


def parse(text: str, inferences: int) -> Count:
    """Of three marks, with as many inferences, and twice as many, between."""
    totals, blocks = marks(text)
    if len(totals) != 3:
        raise ValueError(f"expected three marks of the plugin, got {len(totals)}")
    more = blocks[2] - blocks[1]
    # All between the marks but the inferences is in both differences.
    whole = (totals[2] - totals[1]) - (totals[1] - totals[0])
    return Count(whole / inferences, {at: n / (2 * inferences) for at, n in more.items()})


def emulated(
    there: arm.Machine, library: Path, cpu: str, arguments: Sequence[str], *, blocks: bool
) -> tuple[str, list[str]]:
    """What the plugin wrote of ``arm_inferences.py``, and the lines that that printed.

    Raises:
        SystemExit: The emulated program fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "count"
        environment = arm.environment(cpu)
        environment["QEMU_PLUGIN"] = f"{library},out={out},profile={int(blocks)}"
        command = [str(there.python), str(HERE / "arm_inferences.py"), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(arguments)} on {cpu}: {done.stderr[-2000:]}")
        return out.read_text("utf-8"), done.stdout.splitlines()


def counted(
    there: arm.Machine, library: Path, cpu: str, engine: str, model: Path, *, blocks: bool
) -> tuple[Count, int]:
    """Instructions of an engine's inference, and where Arenite's module was loaded."""
    arguments = [engine, str(model), str(INFERENCES)]
    text, said = emulated(there, library, cpu, arguments, blocks=blocks)
    return parse(text, INFERENCES), int(said[-1], 16)


# -- by operator -------------------------------------------------------------------------


def in_engine(blocks: Counter[int], start: int) -> int:
    """Instructions of a module that begins at an address."""
    return sum(count for at, count in blocks.items() if 0 <= at - start < LARGEST_MODULE)


def of_operators(text: str, start: int) -> list[int]:
    """What the engine executed between every two marks."""
    _, blocks = marks(text)
    so_far = [in_engine(some, start) for some in blocks]
    return [end - begin for begin, end in zip(so_far[::2], so_far[1::2], strict=True)]


def by_operator(there: arm.Machine, library: Path, cpus: Sequence[str], model: Path) -> str:
    """Markdown: a model's operators, and by processor what the engine executes for each."""
    names, columns = list[str](), list[list[int]]()
    for cpu in cpus:
        arguments = ["arenite", str(model), "operators"]
        text, (start, *names) = emulated(there, library, cpu, arguments, blocks=True)
        columns.append(of_operators(text, int(start, 16)))
    lines = [f"| {model.stem} | {' | '.join(cpus)} |", "|---|" + "--:|" * len(cpus)]
    for number, (name, *counts) in enumerate(zip(names, *columns, strict=True)):
        lines.append(f"| {number} {name} | {' | '.join(map(amount, counts))} |")
    return "\n".join([*lines, f"| all | {' | '.join(amount(sum(c)) for c in columns)} |"])


# -- by symbol ---------------------------------------------------------------------------


def symbols() -> list[tuple[int, str]]:
    """The engine's functions by address: the wheel's module is linked again, with names."""
    import lief  # noqa: PLC0415 - for this alone

    folder = BUILD / arm.TAG
    ninja = [sys.executable, "-m", "ninja", "-C", str(folder), "-t", "commands", "_engine.abi3.so"]
    said = subprocess.check_output(ninja, text=True)
    named = arm.FOLDER / "named.so"
    words = [word for word in shlex.split(said.splitlines()[-1]) if word not in {":", "&&", "-s"}]
    words[words.index("-o") + 1] = str(named)
    subprocess.run(words, cwd=folder, env=environment_for(arm.TAG), check=True)
    found = lief.parse(str(named)).symtab_symbols
    return sorted((one.value, str(one.name)) for one in found if one.is_function and one.value)


def by_symbol(
    blocks: dict[int, float], start: int, functions: list[tuple[int, str]]
) -> Counter[str]:
    """Instructions by function, of a module that begins at an address."""
    found: Counter[str] = Counter()
    addresses = [address for address, _ in functions]
    for at, count in blocks.items():
        place = bisect.bisect_right(addresses, at - start) - 1
        inside = 0 <= at - start < LARGEST_MODULE and place >= 0
        found[functions[place][1] if inside else ELSEWHERE] += count  # type: ignore[assignment]
    return found


# -- results -----------------------------------------------------------------------------


def amount(count: float) -> str:
    """Thousands of instructions: ``1,434 k``, ``37.3 k``."""
    return f"{count / 1000:,.1f} k" if count < 1e5 else f"{count / 1000:,.0f} k"


def table(rows: dict[str, dict[str, dict[str, float]]], cpus: Sequence[str]) -> str:
    """Markdown: models, and by processor both engines and LiteRT over Arenite."""
    heads = [f"{cpu}: Arenite | LiteRT | LiteRT / Arenite" for cpu in cpus]
    lines = [f"| | {' | '.join(heads)} |", "|---|" + "--:|" * (3 * len(cpus))]
    for model, of_cpu in rows.items():
        cells = [f"| {model} |"]
        for cpu in cpus:
            ours, theirs = (of_cpu[cpu][engine] for engine in ENGINES)
            cells.append(f"{amount(ours)} | {amount(theirs)} | {theirs / ours:.2f} |")
        lines.append(" ".join(cells))
    return "\n".join(lines)


def path_of(model: str) -> Path:
    """A model's file.

    Raises:
        SystemExit: There is none.
    """
    if Path(model).is_file():
        return Path(model).resolve()
    found = next(SHARED.glob(f"models/*/{model}.tflite"), None)
    if found is None:
        sys.exit(
            f"there is no {model}.tflite in {SHARED}/models: expected a file, or ARENITE_SHARED"
        )
    return found


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=MODELS)
    parser.add_argument("--cpu", action="append", choices=arm.CPUS, help="all by default")
    parser.add_argument("--by-symbol", type=int, metavar="N", help="the N functions with the most")
    parser.add_argument("--by-operator", action="store_true", help="Arenite's operators alone")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    paths = [path_of(model) for model in args.models]
    cpus = args.cpu or list(arm.CPUS)
    try:
        there = arm.ready(arm.wheel(quiet=args.json))
    except MissingError as error:
        sys.exit(f"instructions on Arm cannot be counted here: {error}")
    library = plugin(there)
    if args.by_operator:
        print(*(by_operator(there, library, cpus, path) for path in paths), sep="\n\n")
        return
    functions = symbols() if args.by_symbol else []
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for path in paths:
        for cpu in cpus:
            for engine in ENGINES:
                profile = bool(functions) and engine == "arenite"
                count, start = counted(there, library, cpu, engine, path, blocks=profile)
                rows.setdefault(path.stem, {}).setdefault(cpu, {})[engine] = count.all
                most = by_symbol(count.blocks, start, functions).most_common(args.by_symbol or 0)
                for name, instructions in most if profile else ():
                    print(f"{path.stem} {cpu} {amount(instructions):>10} {name}", file=sys.stderr)
    print(json.dumps(rows, indent=1) if args.json else table(rows, cpus))


if __name__ == "__main__":
    main()
