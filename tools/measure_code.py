"""Measure the code that a firmware with TFLM and CMSIS-NN takes of flash, operator by operator.

    python tools/measure_code.py --tflm TREE --target cortex-m4

writes a column of ``src/arenite/libraries/cmsis_nn/code_sizes.csv``. It needs ``arm-none-eabi-gcc``
and TFLM's sources, as ``arenite board --stock`` does. TFLM is compiled with ``-O2``, once for each
core, and linked with ``--gc-sections``: the interpreter alone, then with one operator more. What
operators share is counted for each of them, so a sum is too high; models with all of their
operators are linked as well, and say by how much.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from arenite.analysis.resolver_code import resolver
from arenite.cores import CORES
from arenite.errors import BoardError
from arenite.formats import load
from arenite.kernels.closure import sources_for
from arenite.kernels.tree import Tree, find_tree

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/arenite/libraries/cmsis_nn/code_sizes.csv"
WORK = ROOT / "build/code"
_FLAGS = [
    *("-mthumb", "-O2", "-w", "-fshort-enums", "-funsigned-char", "-fomit-frame-pointer"),
    *("-ffunction-sections", "-fdata-sections", "-fno-unwind-tables", "-DNDEBUG"),
    *("-fno-asynchronous-unwind-tables", "-fmessage-length=0", "-DTF_LITE_STATIC_MEMORY"),
    *("-DTF_LITE_DISABLE_X86_NEON", "-DCMSIS_NN", "-DKERNELS_OPTIMIZED_FOR_SPEED"),
]
_CXX = ["-std=c++17", "-fno-rtti", "-fno-exceptions", "-fno-threadsafe-statics"]
#: The interpreter, and nothing that an operator brings.
_MAIN = """\
#include <new>
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/schema/schema_generated.h"
extern const unsigned char* measured_model;
extern "C" void DebugLog(const char*, va_list) {}
extern "C" int DebugVsnprintf(char*, size_t, const char*, va_list) { return 0; }
namespace tflite {
uint32_t ticks_per_second() { return 1; }
uint32_t GetCurrentTimeTicks() { return 0; }
void InitializeTarget() {}
}
const unsigned char* volatile bytes;
extern "C" int measured(unsigned char* arena, unsigned size) {
  static tflite::MicroMutableOpResolver<1> resolver;
  static tflite::MicroInterpreter interpreter(tflite::GetModel(bytes), resolver, arena, size);
  if (interpreter.AllocateTensors() != kTfLiteOk) return 1;
  interpreter.input(0)->data.int8[0] = 1;
  if (interpreter.Invoke() != kTfLiteOk) return 1;
  return interpreter.output(0)->data.int8[0];
}
extern "C" void _exit(int) { for (;;) {} }
"""


def run(*command: str) -> str:
    """What a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:400]}\n{done.stderr[-2000:]}")
    return done.stdout


def machine(processor: str) -> list[str]:
    """GCC's options for a core."""
    floats = ["-mfloat-abi=hard", "-mfpu=auto"] if CORES[processor].has_fpu else []
    return [f"-mcpu={processor}", *floats]


def compiled(source: Path, tree: Tree, processor: str) -> Path:
    """An object file, made once."""
    is_c = source.suffix == ".c"
    options = [*machine(processor), *_FLAGS, *([] if is_c else _CXX)]
    options += [f"-I{path}" for path in tree.includes]
    key = hashlib.sha256(f"{source} {options}".encode() + source.read_bytes()).hexdigest()[:16]
    made = WORK / processor / f"{source.stem}-{key}.o"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        run("arm-none-eabi-gcc", *options, "-c", str(source), "-o", f"{made}.new")
        Path(f"{made}.new").rename(made)
    return made


def size(objects: list[Path], processor: str, roots: list[str]) -> int:
    """Bytes of flash of a program that keeps these symbols: code, constants and initial values."""
    elf = WORK / processor / "firmware.elf"
    keep = [f"-Wl,-u,{root}" for root in roots]
    run(
        *(
            "arm-none-eabi-g++",
            *machine(processor),
            "-mthumb",
            "-nostartfiles",
            "-Wl,--gc-sections",
        ),
        *(
            "-specs=nano.specs",
            "-specs=nosys.specs",
            "-Wl,-e,measured",
            "-Wl,--defsym=__dso_handle=0",
            "-Wl,--no-warn-rwx-segments",
        ),
        *keep,
        *map(str, objects),
        *("-lm", "-o", str(elf)),
    )
    text, data = run("arm-none-eabi-size", str(elf)).splitlines()[1].split()[:2]
    return int(text) + int(data)


def registered(tree: Tree) -> dict[str, tuple[str, str]]:
    """For each ``Add...`` line of the resolver its registration and its parser."""
    text = (tree.root / "tensorflow/lite/micro/micro_mutable_op_resolver.h").read_text()
    found = {}
    for part in re.split(r"\n  TfLiteStatus ", text)[1:]:
        name = re.match(r"Add\w+", part)
        function = re.search(r"Register_\w+", part)
        parser = re.search(r"\b(Parse\w+)\)", part)
        if name and function:
            found[name.group()] = function.group(), parser[1] if parser else ""
    return found


def symbols(objects: list[Path]) -> dict[str, str]:
    """Mangled names by function, of registrations and parsers."""
    found = {}
    for line in run("arm-none-eabi-nm", "--defined-only", *map(str, objects)).splitlines():
        name = line.split()[-1] if line.split() else ""
        match = re.match(r"_ZN6tflite(\d+)", name)
        if match and " T " in line:
            function = name[match.end() : match.end() + int(match[1])]
            found.setdefault(function, name)
    return found


def main() -> None:
    """Measure a core and write its column."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tflm", required=True, help="TFLM's sources")
    parser.add_argument("--target", default="cortex-m4")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("models", nargs="*", help="models that the sum is checked on")
    parser.add_argument("--only", help="some lines of the resolver: AddConv2D,AddSoftmax")
    options = parser.parse_args()
    tree, processor = find_tree(options.tflm), options.target
    lines = registered(tree)
    if options.only:
        lines = {name: lines[name] for name in options.only.split(",")}
    files = sources(tree, sorted(lines))
    WORK.mkdir(parents=True, exist_ok=True)
    main_cc = WORK / "main.cc"
    if not main_cc.exists():
        main_cc.write_text(_MAIN)
    with ThreadPoolExecutor(options.jobs) as pool:
        objects = list(pool.map(lambda file: compiled(file, tree, processor), [main_cc, *files]))
    known = symbols(objects)
    base = size(objects, processor, [])
    column = {"": base}
    roots = {}
    for name, functions in sorted(lines.items()):
        roots[name] = [known[one] for one in functions if one in known]
        if functions[0] in known:
            column[name] = size(objects, processor, roots[name]) - base
            print(f"{name} {column[name]:,}", flush=True)
    write(processor, column)
    check(options.models, objects, processor, column, roots)


def sources(tree: Tree, names: list[str]) -> list[Path]:
    """Sources of all operators that the tree has kernels for; those of accelerators are not."""
    calls = [f"resolver.{name}()" for name in names]
    try:
        return sources_for(tree, calls)
    except BoardError as error:
        return sources_for(tree, [call for call in calls if call not in str(error)])


def check(
    models: list[str],
    objects: list[Path],
    processor: str,
    column: dict[str, int],
    roots: dict[str, list[str]],
) -> None:
    """Say for models how far the sum is off what is linked for them."""
    for path in models:
        names = re.findall(r"Add\w+", " ".join(resolver(load(path)).lines))
        if not all(name in column for name in names):
            continue
        whole = size(objects, processor, [root for name in names for root in roots[name]])
        added = column[""] + sum(column[name] for name in names)
        print(f"{Path(path).name}: {whole:,} linked, {added:,} added, {added / whole - 1:+.1%}")


def write(processor: str, column: dict[str, int]) -> None:
    """Put a column into the table, beside those that are there."""
    rows: dict[str, dict[str, str]] = {}
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            rows = {row["method"]: row for row in csv.DictReader(file)}
    for name, count in column.items():
        rows.setdefault(name, {"method": name})[processor] = str(count)
    columns = ["method", *(core for core in CORES if any(core in row for row in rows.values()))]
    with TABLE.open("w", newline="") as file:
        table = csv.DictWriter(file, columns, lineterminator="\n", restval="")
        table.writeheader()
        table.writerows(rows[name] for name in sorted(rows))


if __name__ == "__main__":
    main()
