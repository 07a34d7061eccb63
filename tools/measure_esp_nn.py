"""Measure what ESP-NN's generic kernels of int8 take on RISC-V, loop by loop.

    python tools/measure_esp_nn.py --esp-nn TREE --compare
    python tools/measure_esp_nn.py --esp-nn TREE --release 1.1.0 --write

Kernels are built as ESP-NN's ``CMakeLists.txt`` has it, and called with the shapes of random layers
on an emulated core that counts how often every instruction runs. Two thirds of the layers say what
a pass of a loop takes, the others how far that is off. ``--compare`` says how far it is from the
table's rows, ``--write`` puts it there: a column holds from its release on, up to the next one.

It needs ``riscv64-unknown-elf-gcc`` (12.2 made the table's rows) with picolibc, SciPy (group
``dev``), Unicorn (extra ``board``), and a checkout of ``espressif/esp-nn`` (1.1.2 and 1.2.3 made
the table's rows).
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cost_fit import Key, Pass, Sample, errors, fit
from cost_layers import layers

from arenite.analysis.device import DeviceOperator, device_operators
from arenite.emulator import machine as memory
from arenite.emulator.elf import Image, read_elf
from arenite.emulator.machine import Machine
from arenite.firmware.compiler.zig import link_script
from arenite.libraries import shapes
from arenite.libraries.esp_nn.cost.estimate import STEPS, TABLE
from arenite.ops.constraints import NodeView
from arenite.target import find_target

HERE = Path(__file__).resolve().parent
TARGET = find_target("esp32c3")
_GCC = (
    *("riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-O2", "-w", "-nostartfiles"),
    *("-specs=picolibc.specs", "-DCONFIG_NN_OPTIMIZED", "-fno-builtin-printf", "-Wl,--gc-sections"),
    *("-ffunction-sections", "-fdata-sections"),
)
#: Of TFLM, as ESP-NN's own are measured without it; see ``steps.csv``.
_GLUE: Key = ("TFLM", "glue")
#: Functions whose instructions no kernel runs.
_OURS = re.compile(r"kernel_|esp_nn_set_")


def main() -> None:
    """Measure the kernels."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--esp-nn", required=True, type=Path, help="a folder with its sources")
    parser.add_argument("--release", choices=STEPS, default=[*STEPS][-1], help="column of rows")
    parser.add_argument("--count", type=int, default=210, help="layers of an operator")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compare", action="store_true", help="with the table's rows")
    parser.add_argument("--write", action="store_true", help="into the table")
    options = parser.parse_args()
    image = built(options.esp_nn)
    symbol = functions(image)
    samples = list(counted(image, options.count, options.seed))
    symbols = {at: symbol(at) for sample in samples for at in sample.times}
    costs = fit([*samples[::3], *samples[1::3]], symbols)
    off = errors(samples[2::3], costs)
    for kernel, (median, worst, count) in off.items():
        print(f"{kernel}: {median:.1f} % in the median, {worst:.1f} % at worst, {count} layers")
    known = STEPS[options.release]
    if options.compare:
        for key, cost in costs.items():
            print(f"{', '.join(key)}: {known.get(key, 0):g} -> {cost.instructions:.1f}")
    if options.write:
        write(options.release, costs)


def built(tree: Path) -> Image:
    """The kernels, linked for the emulated core.

    Raises:
        CalledProcessError: The compiler does not take them.
    """
    generic = [path for path in tree.glob("src/*/*.c") if path.stem.endswith(("_ansi", "_opt"))]
    with tempfile.TemporaryDirectory() as folder:
        script, elf = Path(folder, "link.ld"), Path(folder, "kernels.elf")
        script.write_text(link_script((HERE / "esp_nn_kernels.ld").read_text("utf-8"), memory))
        command = [*_GCC, f"-I{tree}/include", f"-I{tree}/src/common", "-T", str(script)]
        command += [str(HERE / "esp_nn_kernels.c"), *map(str, generic), "-lgcc", "-o", str(elf)]
        subprocess.run(command, check=True)
        return read_elf(elf.read_bytes())


def counted(image: Image, count: int, seed: int) -> Iterator[Sample]:
    """What random layers ran; those that ESP-NN does not take are left out."""
    machine, symbol = Machine(image, TARGET.processor), functions(image)
    _fill(machine, np.random.default_rng(seed))
    models = (model for name in _SHAPES for model in layers(name, count, seed))
    with machine.counting():
        for model in models:
            operator = device_operators(model, TARGET)[0]
            if operator.calls_library and operator.loops and not _is_grouped(operator):
                yield _counted(machine, operator, symbol)


def _counted(machine: Machine, operator: DeviceOperator, symbol: Callable[[int], str]) -> Sample:
    sizes = np.array(_SHAPES[operator.view.name](operator.view), np.int32)
    machine.write(machine.address("kernel_shapes"), sizes.tobytes())
    before = machine.blocks()[0]
    machine.call("kernel_" + operator.function.removeprefix("esp_nn_").rpartition("_s8_")[0])
    ran = _times(machine, machine.blocks()[0] - before)
    times = {at: n for at, n in ran.items() if not _OURS.match(symbol(at))}
    loops = {loop[:2]: loop.times for loop in operator.loops or () if loop[:2] != _GLUE}
    return Sample(operator.function, loops, times, dict.fromkeys(times, 0.0))


def functions(image: Image) -> Callable[[int], str]:
    """What says to which function an instruction belongs."""
    starts = sorted((at, name) for name, at in image.symbols.items() if name[0] not in ".$")
    return lambda address: starts[bisect_right(starts, (address, "~")) - 1][1]


def _is_grouped(operator: DeviceOperator) -> bool:
    """ESP-NN computes groups wrongly; see ``faults.py``."""
    if operator.view.name != "CONV_2D":
        return False
    return shapes.convolution(operator.view).groups > 1


def _fill(machine: Machine, rng: np.random.Generator) -> None:
    values = {
        "input": rng.integers(-128, 128, 1 << 16).astype(np.int8),
        "other": rng.integers(-127, 128, 1 << 16).astype(np.int8),
        "bias": rng.integers(-1000, 1000, 1 << 10).astype(np.int32),
        "multiplier": rng.integers(1 << 30, (1 << 31) - 1, 1 << 10).astype(np.int32),
        "shift": rng.integers(-10, -3, 1 << 10).astype(np.int32),
    }
    for name, array in values.items():
        machine.write(machine.address(f"kernel_{name}"), array.tobytes())


def _times(machine: Machine, blocks: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """How often every instruction ran, by address; the lowest two bits say how long it is."""
    found = Counter[int]()
    for (start, size), count in blocks.items():
        code, at = machine.read(start, size), 0
        while at < size:
            found[start + at] += count
            at += 4 if code[at] & 3 == 3 else 2
    return found


def _window(conv: shapes.ConvShape, more: int = 1) -> list[int]:
    sides = (size for one in (conv.input, conv.filter, conv.output) for size in astuple(one)[1:])
    return [*sides, *astuple(conv.stride), *astuple(conv.padding), more]


def _convolution(view: NodeView) -> list[int]:
    conv = shapes.convolution(view)
    return _window(conv, conv.input.n)


def _depthwise(view: NodeView) -> list[int]:
    conv = shapes.depthwise_convolution(view)
    return _window(conv, conv.ch_mult)


def _pool(view: NodeView) -> list[int]:
    return _window(shapes.pooling(view))


def _dense(view: NodeView) -> list[int]:
    layer = shapes.fully_connected(view)
    return [layer.batches, layer.depth, layer.units]


def _values(view: NodeView) -> list[int]:
    return [view.output(0).size]


def _rows(view: NodeView) -> list[int]:
    depth = view.input(0).shape[-1]
    return [view.input(0).size // depth, depth]


_SHAPES = {
    "CONV_2D": _convolution,
    "DEPTHWISE_CONV_2D": _depthwise,
    "FULLY_CONNECTED": _dense,
    "AVERAGE_POOL_2D": _pool,
    "MAX_POOL_2D": _pool,
    "ADD": _values,
    "MUL": _values,
    "SOFTMAX": _rows,
}


def write(release: str, costs: Mapping[Key, Pass]) -> None:
    """Put what was measured into the table; what was not stays."""
    STEPS[release] |= {key: round(cost.instructions, 1) for key, cost in costs.items()}
    keys = sorted({key for rows in STEPS.values() for key in rows})
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kernel", "loop", *STEPS])
        for key in keys:
            writer.writerow([*key, *(f"{rows.get(key, 0):g}" for rows in STEPS.values())])


if __name__ == "__main__":
    main()
