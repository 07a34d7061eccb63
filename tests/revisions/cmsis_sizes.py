"""Scratch sizes as CMSIS-NN's own functions say them, of releases and of both sides of each change.

``python -m tests.revisions.cmsis_sizes REPOSITORY`` takes a git directory of ARM-software/CMSIS-NN,
compiles ``*get_buffer_size*.c`` of each state for this host, where those for DSP instructions and
vectors are functions of their own (since February 2023), asks all of them for the same random
shapes, and writes ``cmsis_sizes.json``: the shapes, and the sizes that are not those of the state
before, none of a function that it has not. A commit that does not compile is left out (e8db23a6).
What depends on Arm's compiler cannot be asked here.
"""

from __future__ import annotations

import csv
import ctypes
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from arenite.libraries.cmsis_nn.decisions.conv_2d import (
    arm_convolve_wrapper_s8,
    arm_convolve_wrapper_s16,
)
from arenite.libraries.cmsis_nn.decisions.depthwise_conv_2d import (
    arm_depthwise_conv_wrapper_s4,
    arm_depthwise_conv_wrapper_s8,
)
from arenite.libraries.cmsis_nn.decisions.transpose_conv import arm_transpose_conv_wrapper_s8
from arenite.libraries.shapes import ConvShape, Dims, Pair
from arenite.revisions.cmsis_nn import LAST, changes, day_of
from arenite.target import Target
from tests.revisions.measure import text_of
from tests.worker import ROOT

FIGURES = Path(__file__).with_name("cmsis_sizes.json")
PER_FUNCTION = 40
#: The first state whose functions can be asked on this host.
_ASKED = "2023-02-13"
Sizes = dict[str, list[int]]
#: Suffixes of the functions, and a processor that has such instructions.
KINDS = {"": "cortex-m3", "_dsp": "cortex-m4", "_mve": "cortex-m55"}
#: What is asked, by the stem of the function.
OURS: dict[str, Callable[[ConvShape, Target], Any]] = {
    "arm_convolve_wrapper_s8": arm_convolve_wrapper_s8,
    "arm_convolve_wrapper_s16": arm_convolve_wrapper_s16,
    "arm_depthwise_conv_wrapper_s8": arm_depthwise_conv_wrapper_s8,
    "arm_depthwise_conv_wrapper_s4": arm_depthwise_conv_wrapper_s4,
    "arm_transpose_conv_s8": arm_transpose_conv_wrapper_s8,
}


def states() -> dict[str, str]:
    """Commits by state, oldest first: releases, both sides of changes, the last."""
    text = (ROOT / "src/arenite/revisions/cmsis_nn_releases.csv").read_text(encoding="utf-8")
    found = {row["name"]: row["commit"] for row in csv.DictReader(text.splitlines())}
    for row in changes().values():
        if row.oracle == "compiler":
            found[row.since] = row.commit
    found[LAST] = "99f736a6"
    asked = {name: one for name, one in found.items() if day_of(name) >= _ASKED}
    return dict(sorted(asked.items(), key=lambda pair: day_of(pair[0])))


def measured() -> tuple[dict[str, list[list[int]]], dict[str, Sizes]]:
    """Shapes by the stem of the function, and sizes by state and function."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    before: Sizes = {}
    sizes = {}
    for state, news in figures["sizes"].items():
        sizes[state] = before = {n: one for n, one in (before | news).items() if one}
    return figures["shapes"], sizes


def stem_of(name: str) -> tuple[str, str]:
    """``arm_convolve_wrapper_s8_dsp`` -> the function, and the kind of core."""
    kind = next((one for one in KINDS if one and name.endswith(one)), "")
    return name.removesuffix(kind), kind


def size_of(name: str, kind: str, shape: ConvShape, state: str) -> int:
    """What Arenite says."""
    path = OURS[name](shape, Target(KINDS[kind], cmsis_nn=state))
    return int(path.scratch[0].size) if path.scratch else 0


def shape_of(numbers: list[int]) -> ConvShape:
    """A shape from the numbers in a row of the figures."""
    (n, h, w, c), (fn, fh, fw, fc), (on, oh, ow, oc) = (numbers[i : i + 4] for i in (0, 4, 8))
    stride, padding, dilation = (Pair(*numbers[i : i + 2]) for i in (12, 14, 16))
    return ConvShape(
        *(Dims(n, h, w, c), Dims(fn, fh, fw, fc), Dims(on, oh, ow, oc)),
        *(stride, padding, dilation, numbers[18]),
    )


def numbers_of(shape: ConvShape) -> list[int]:
    """The reverse."""
    dims = [(d.n, d.h, d.w, d.c) for d in (shape.input, shape.filter, shape.output)]
    pairs = [(p.h, p.w) for p in (shape.stride, shape.padding, shape.dilation)]
    return [number for one in (*dims, *pairs) for number in one] + [shape.ch_mult]


def random_shape(name: str, rng: random.Random) -> ConvShape:
    """Lines and images, pixels and windows, groups and single channels."""
    is_line, is_pixel = rng.random() < 0.4, rng.random() < 0.3
    channels = rng.choice([1, 2, 3, 4, 8, 12, 16, 17, 24, 40])
    taps = (1, 1) if is_pixel else (1 if is_line else rng.randint(1, 4), rng.randint(1, 5))
    image = (1 if is_line else rng.randint(taps[0], 9), rng.randint(max(taps[1], 2), 14))
    one = rng.random() < 0.5
    stride = Pair(1, 1) if one else Pair(rng.randint(1, 3), rng.randint(1, 3))
    pad = Pair(0 if is_line else rng.randint(0, taps[0] // 2), rng.randint(0, taps[1] // 2))
    size = [
        max(1, (i + 2 * p - k) // s + 1)
        for i, p, k, s in zip(image, (pad.h, pad.w), taps, (stride.h, stride.w), strict=True)
    ]
    base = ConvShape(
        Dims(1, *image, channels),
        Dims(1, *taps, channels),
        Dims(1, *size, rng.choice([1, 2, 4, 9])),
        *(stride, pad),
    )
    if "depthwise" in name:
        multiplier = rng.choice([1, 1, 2, 4])
        many = channels * multiplier
        return replace(
            base,
            filter=Dims(1, *taps, many),
            output=replace(base.output, c=many),
            ch_mult=multiplier,
        )
    if "transpose" in name:
        return replace(base, filter=Dims(base.output.c, *taps, channels))
    groups = rng.choice([g for g in (1, 1, 2, 4) if channels % g == 0])
    return replace(base, filter=Dims(1, *taps, channels // groups))


# -- their side


def compiled(repository: str, commit: str, folder: Path) -> ctypes.CDLL:
    """The functions of a state."""
    archive = subprocess.run(
        ["git", "-C", repository, "archive", commit, "Include", "Source"],
        stdout=subprocess.PIPE,
        check=True,
    )
    subprocess.run(["tar", "x"], input=archive.stdout, cwd=folder, check=True)
    sources = sorted(folder.glob("Source/*/*get_buffer_size*_s*.c"))
    library = folder / "sizes.so"
    zig = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-shared",
        "-w",
        "-include",
        "stdint.h",
        "-IInclude",
        "-o",
        str(library),
    ]
    subprocess.run([*zig, *map(str, sources)], cwd=folder, check=True)
    return ctypes.CDLL(str(library))


def theirs(library: ctypes.CDLL, name: str, kind: str, shape: ConvShape, day: str) -> int | None:
    """What CMSIS-NN says; None where it has no such function."""
    function = getattr(library, f"{name}_get_buffer_size{kind}", None)
    if function is None:
        return None
    dims = [
        (ctypes.c_int32 * 4)(d.n, d.h, d.w, d.c) for d in (shape.input, shape.filter, shape.output)
    ]
    tiles = [n for p in (shape.stride, shape.padding, shape.dilation) for n in (p.w, p.h)]
    offsets = [0, 0, shape.ch_mult] if "depthwise" in name else [0, 0]
    if "transpose" in name:  # between padding and dilation there is what padding is added
        tiles = [*tiles[:4], 0, 0, *tiles[4:]]
        if day < changes()["transpose_conv_rows"].since:
            return int(function(*dims))
    numbers = [*offsets, *tiles, -128, 127]
    return int(function((ctypes.c_int32 * len(numbers))(*numbers), *dims))


def measure(repository: str) -> dict[str, Any]:
    """Shapes, and sizes where they are not as before."""
    rngs = {name: random.Random(name) for name in OURS}
    shapes = {
        name: [random_shape(name, rng) for _ in range(PER_FUNCTION)] for name, rng in rngs.items()
    }
    figures: dict[str, Any] = {
        "shapes": {name: [numbers_of(one) for one in many] for name, many in shapes.items()},
        "sizes": {},
    }
    before: Sizes = {}
    for state, commit in states().items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                library = compiled(repository, commit, Path(folder))
            except subprocess.CalledProcessError:
                print(state, commit, "does not compile", flush=True)
                continue
        asked = {
            name + kind: [theirs(library, name, kind, one, day_of(state)) for one in shapes[name]]
            for name in OURS
            for kind in KINDS
        }
        found = {name: [] if None in sizes else sizes for name, sizes in asked.items()}
        figures["sizes"][state] = {n: s for n, s in found.items() if before.get(n, []) != s}
        before = found
        wrong = [
            (name, one, size_of(*stem_of(name), one, state), size)
            for name, sizes in found.items()
            if sizes
            for one, size in zip(shapes[stem_of(name)[0]], sizes, strict=True)
            if size_of(*stem_of(name), one, state) != size
        ]
        print(
            state, commit, sum(map(len, found.values())), "sizes", len(wrong), "differ", wrong[:3]
        )
    return figures


if __name__ == "__main__":
    FIGURES.write_text(text_of(measure(sys.argv[1])), encoding="utf-8")
