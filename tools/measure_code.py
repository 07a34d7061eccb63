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
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tflm_gcc import Build, run

from arenite.analysis.resolver_code import resolver
from arenite.cores import CORES
from arenite.errors import BoardError
from arenite.files import save
from arenite.formats import load
from arenite.kernels.closure import sources_for
from arenite.kernels.tree import Tree, find_tree

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/arenite/libraries/cmsis_nn/code_sizes.csv"
#: As firmware is released.
_FLAGS = ("-DNDEBUG",)
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


def size(build: Build, objects: list[Path], roots: list[str]) -> int:
    """Bytes of flash of a program that keeps these symbols: code, constants and initial values."""
    keep = [f"-Wl,-u,{root}" for root in roots]
    elf = build.linked(objects, "-specs=nano.specs", "-Wl,-e,measured", *keep)
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
    build = Build(tree, processor, ROOT / "build/code", _FLAGS)
    build.prepare()
    main_cc = build.folder / "main.cc"
    save(main_cc, _MAIN.encode())
    with ThreadPoolExecutor(options.jobs) as pool:
        objects = list(pool.map(build.compiled, [main_cc, *files]))
    known = symbols(objects)
    column = {"": size(build, objects, [])}
    roots = {}
    for name, functions in sorted(lines.items()):
        roots[name] = [known[one] for one in functions if one in known]
        if functions[0] in known:
            column[name] = size(build, objects, roots[name]) - column[""]
            print(f"{name} {column[name]:,}", flush=True)
    write(processor, column)
    check(build, options.models, objects, column, roots)


def sources(tree: Tree, names: list[str]) -> list[Path]:
    """Sources of all operators that the tree has kernels for; those of accelerators are not."""
    calls = [f"resolver.{name}()" for name in names]
    try:
        return sources_for(tree, calls)
    except BoardError as error:
        return sources_for(tree, [call for call in calls if call not in str(error)])


def check(
    build: Build,
    models: list[str],
    objects: list[Path],
    column: dict[str, int],
    roots: dict[str, list[str]],
) -> None:
    """Say for models how far the sum is off what is linked for them."""
    for path in models:
        names = re.findall(r"Add\w+", " ".join(resolver(load(path)).lines))
        if not all(name in column for name in names):
            continue
        whole = size(build, objects, [root for name in names for root in roots[name]])
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
