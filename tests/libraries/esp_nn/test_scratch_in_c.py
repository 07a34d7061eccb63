"""Scratch memory next to the functions of ESP-NN's C that say it, of trees that the user names.

``ARENITE_ESP_NN`` has folders that end in a release, such as ``esp-nn/1.2.6``, with colons between
them (semicolons on Windows); without it this is skipped. ``ARENITE_ESP_NN_SHAPES`` is the number
of shapes of each function; releases 1.1.2, 1.2.3 and 1.2.6 equal their C in all of 2,000,
1.2.6 in all of 100,000.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arenite.libraries.esp_nn.dispatch import scratch
from arenite.libraries.shapes import ConvShape, Dims, Pair
from arenite.target import Target

pytest.importorskip("ziglang")
TREES = [Path(one) for one in os.environ.get("ARENITE_ESP_NN", "").split(os.pathsep) if one]
COUNT = int(os.environ.get("ARENITE_ESP_NN_SHAPES", "2000"))
KERNELS = {"conv": scratch.conv_2d, "depthwise_conv": scratch.depthwise_conv_2d}
_BEGIN = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "esp_nn_defs.h"
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
"""
#: Thirteen numbers in, one out.
_MAIN = """
int main(void)
{
    int n[13];
    while (fread(n, sizeof n, 1, stdin)) {
        data_dims_t in = {n[1], n[0], n[2], 1}, filter = {n[4], n[3], n[2], 1};
        data_dims_t out = {n[6], n[5], n[7], 1};
        PARAMS params = {.stride = {n[9], n[8]}, .padding = {n[11], n[10]}, DEPTHWISE};
        int size = FUNCTION(&in, &filter, &out, &params);
        fwrite(&size, sizeof size, 1, stdout);
    }
    return 0;
}
"""
_SIZE = r"^int (esp_nn_get_{kernel}_scratch_size_{chip}\([^{{]*\{{\n.*?^\}}\n)"


def shapes(kernel: str, count: int) -> list[ConvShape]:
    """Convolutions as TFLM makes them: every padding SAME or VALID, every stride to 4."""
    rng = np.random.default_rng(0)
    found = []
    while len(found) < count:
        height, width = rng.integers(1, 40, 2)
        taps, stride = rng.integers(1, 8, 2), rng.integers(1, 5, 2)
        if rng.random() < 0.3:
            taps[:] = rng.choice([1, 3])
        if rng.random() < 0.3:
            stride[:] = 1
        depth = int(rng.choice([rng.integers(1, 40), 8 * rng.integers(1, 9)]))
        multiplier = int(rng.choice([1, 1, 2, 4, 8])) if kernel == "depthwise_conv" else 1
        units = depth * multiplier if kernel == "depthwise_conv" else int(rng.integers(1, 40))
        axes = [
            _axis(*map(int, one), same=rng.random() < 0.6)
            for one in zip((height, width), taps, stride, strict=True)
        ]
        if min(size for size, _ in axes) < 1:
            continue
        (rows, above), (columns, left) = axes
        found.append(
            ConvShape(
                Dims(1, int(height), int(width), depth),
                Dims(1, int(taps[0]), int(taps[1]), depth),
                Dims(1, rows, columns, units),
                Pair(int(stride[0]), int(stride[1])),
                Pair(above, left),
                ch_mult=multiplier,
            )
        )
    return found


def _axis(size: int, taps: int, stride: int, *, same: bool) -> tuple[int, int]:
    """Windows along an axis, and the padding in front."""
    if not same:
        return (size - taps) // stride + 1, 0
    windows = -(-size // stride)
    return windows, max(0, (windows - 1) * stride + taps - size) // 2


def sizes_in_c(
    tree: Path, kernel: str, chip: str, given: list[ConvShape], folder: Path
) -> list[int]:
    """What the tree's own function says."""
    pattern = re.compile(_SIZE.format(kernel=kernel, chip=chip), re.DOTALL | re.MULTILINE)
    texts = [path.read_text("utf-8") for path in sorted(tree.glob("src/convolution/*.c"))]
    ((text, match),) = [(text, found) for text in texts if (found := pattern.search(text))]
    sizes = "\n".join(re.findall(r"^#define \w+ +\(?[0-9][0-9 *()]*$", text, re.MULTILINE))
    depthwise = kernel == "depthwise_conv"
    body = _MAIN.replace("FUNCTION", f"esp_nn_get_{kernel}_scratch_size_{chip}")
    body = body.replace("PARAMS", "dw_conv_params_t" if depthwise else "conv_params_t")
    body = body.replace("DEPTHWISE", ".ch_mult = n[12]" if depthwise else ".in_offset = 0")
    source, program = folder / "sizes.c", folder / "sizes.exe"
    source.write_text(f"{_BEGIN}{sizes}\nint {match[1]}{body}", "utf-8")
    command = [sys.executable, "-m", "ziglang", "cc", "-O1", "-w", f"-I{tree / 'include'}"]
    subprocess.run([*command, str(source), "-o", str(program)], check=True)
    numbers = np.array([_numbers(one) for one in given], np.int32)
    ran = subprocess.run([str(program)], input=numbers.tobytes(), capture_output=True, check=True)
    return np.frombuffer(ran.stdout, np.int32).tolist()


def _numbers(conv: ConvShape) -> list[int]:
    image, taps, output = conv.input, conv.filter, conv.output
    return [
        *(image.h, image.w, image.c, taps.h, taps.w, output.h, output.w, output.c),
        *(conv.stride.h, conv.stride.w, conv.padding.h, conv.padding.w, conv.ch_mult),
    ]


@pytest.mark.skipif(not TREES, reason="ARENITE_ESP_NN names no folder with ESP-NN's sources")
@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)
@pytest.mark.parametrize(
    ("chip", "kernel"),
    [("esp32s3", "conv"), ("esp32s3", "depthwise_conv"), ("esp32p4", "conv")],
)
def test_scratch_is_what_the_c_says(tree: Path, chip: str, kernel: str, tmp_path: Path) -> None:
    target = Target(chip, library_version=tree.name)
    given = shapes(kernel, COUNT)
    ours = [scratch.size(KERNELS[kernel](conv, target)) for conv in given]
    theirs = sizes_in_c(tree, kernel, chip, given, tmp_path)
    different = [pair for pair in zip(given, ours, theirs, strict=True) if pair[1] != pair[2]]
    assert not different, different[0]
