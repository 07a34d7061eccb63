"""What the compiler says of TFLM's structs of a day, for 32-bit Arm with small enums.

``python -m tests.revisions.structs_32 DAY=TREE ... --include FOLDER ...`` compiles the headers of
each tree (FlatBuffers and gemmlowp are among the other folders) and writes ``structs_32.json``.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from arenite.memory import structs
from arenite.memory.abi import Struct
from arenite.ops.shared import convolution, pooling, reduction
from arenite.ops.tflite import add, fully_connected, svdf

FIGURES = Path(__file__).with_name("structs_32.json")
STRUCTS: dict[str, Struct] = {
    "SingleArenaBufferAllocator": structs.SINGLE_ARENA_BUFFER_ALLOCATOR,
    "MicroAllocator": structs.micro_allocator_struct(structs.Abi("ilp32", 4)),
    "GreedyMemoryPlanner": structs.GREEDY_MEMORY_PLANNER,
    "NodeAndRegistration": structs.NODE_AND_REGISTRATION,
    "SubgraphAllocations": structs.SUBGRAPH_ALLOCATIONS,
    "TfLiteEvalTensor": structs.EVAL_TENSOR,
    "TfLiteTensor": structs.TENSOR,
    "OpDataConv": convolution.OP_DATA,
    "OpDataFullyConnected": fully_connected.OP_DATA,
    "OpDataReduce": reduction.OP_DATA,
    "OpDataSvdf": svdf.OP_DATA,
    "OpDataAdd": add.OP_DATA,
    "OpDataPooling": pooling.OP_DATA,
}
_MICRO = "tensorflow/lite/micro"
_HEADERS = (
    f"{_MICRO}/arena_allocator/single_arena_buffer_allocator.h",
    f"{_MICRO}/arena_allocator/simple_memory_allocator.h",
    f"{_MICRO}/simple_memory_allocator.h",
    f"{_MICRO}/micro_allocator.h",
    f"{_MICRO}/memory_planner/greedy_memory_planner.h",
    *(f"{_MICRO}/kernels/{one}.h" for one in ("conv", "fully_connected", "reduce", "svdf")),
    *(f"{_MICRO}/kernels/{one}.h" for one in ("add", "pooling")),
)
_FLAGS = (
    *("-target", "arm-linux-musleabi", "-fshort-enums", "-std=c++17", "-w", "-S", "-O1"),
    *("-DTF_LITE_STATIC_MEMORY", "-DFLATBUFFERS_LOCALE_INDEPENDENT=0"),
)


def sizes_in(tree: Path, includes: Sequence[Path]) -> dict[str, int]:
    """``sizeof`` of those structs that the tree's headers have."""
    headers = [name for name in _HEADERS if (tree / name).exists()]
    text = "".join((tree / name).read_text(encoding="utf-8") for name in headers)
    there = {name: _in_tree(name, text) for name in STRUCTS}
    wanted = {name: theirs for name, theirs in there.items() if theirs}
    lines = [f'#include "{name}"' for name in headers]
    values = ", ".join(f"sizeof({theirs})" for theirs in wanted.values())
    lines.append(f'extern "C" const unsigned sizes[] = {{{values}}};')
    numbers = _compiled("\n".join(lines), [tree, *includes])
    return dict(zip(wanted, numbers, strict=True))


def _in_tree(name: str, headers: str) -> str:
    """A struct's name in these headers; empty where it is not in them."""
    if name.startswith("TfLite"):
        return name
    older = name.replace("SingleArenaBuffer", "SimpleMemory")
    found = (one for one in (name, older) if re.search(rf"(struct|class) {one}\b[^;]*{{", headers))
    theirs = next(found, "")
    return f"tflite::{theirs}" if theirs else ""


def _compiled(source: str, includes: Sequence[Path]) -> list[int]:
    with tempfile.TemporaryDirectory() as folder:
        file, made = Path(folder, "sizes.cc"), Path(folder, "sizes.s")
        file.write_text(source, encoding="utf-8")
        places = [f"-I{place}" for place in includes]
        compiler = [sys.executable, "-m", "ziglang", "c++", *_FLAGS, *places]
        subprocess.run([*compiler, "-o", str(made), str(file)], check=True)
        assembly = made.read_text(encoding="utf-8").split("\nsizes:")[1].split(".size")[0]
    return [int(number) for number in re.findall(r"\.long\s+(\d+)", assembly)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", metavar="DAY=TREE")
    parser.add_argument("--include", action="append", type=Path, default=[])
    asked = parser.parse_args()
    measured = {}
    for day, _, tree in (one.partition("=") for one in asked.trees):
        # FlatBuffers go with the tree, where a folder of that name lies in it.
        own = Path(tree, "flatbuffers", "include")
        measured[day] = sizes_in(Path(tree), [*([own] if own.is_dir() else []), *asked.include])
    FIGURES.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
