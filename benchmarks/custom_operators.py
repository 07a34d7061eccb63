"""TFLM's custom operators on about 16 KB, as models of one operator each.

What :mod:`operators` times next to TFLM; LiteRT has none of them. The operators' own options are
those of their tests, sizes are larger.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from flatbuffers import flexbuffers

from arenite.model import Model, ModelBuilder, TensorType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.ops.codes import Codes, huffman, looked_up, pruned
from tests.ops.signal.models import Port, signal_model

Array = np.ndarray[Any, Any]
#: Numbers of int16 in 16 KB, and of 32 bits.
HALVES, WORDS = 8192, 4096
KINDS = ("int16", "int32", "float32")


class Custom(NamedTuple):
    """An operator, the type it works on, and a model with it alone."""

    name: str
    kind: str
    build: Callable[[], Model]


def cases() -> Iterator[Custom]:
    """All custom operators of TFLM."""
    yield from signals()
    yield from transforms()
    yield from banks()
    yield Custom("CIRCULAR_BUFFER", "int8", circular_buffer)
    for name, codes in decoded().items():
        yield Custom(f"TFLM_DECODE {name}", "int8", lambda codes=codes: decode(codes))
    for regular in (True, False):
        name = "TFLite_Detection_PostProcess" + (" regular" if regular else " fast")
        yield Custom(name, "float32", lambda regular=regular: detection(regular=regular))


def made(
    name: str, kind: str, options: dict[str, int], inputs: list[Port], *outputs: tuple[Any, str]
) -> Custom:
    """An operator of the signal library."""
    full = f"Signal{name}"
    return Custom(full, kind, lambda: signal_model(full, options, inputs, [*outputs]))


def signals() -> Iterator[Custom]:
    """Operators on samples and frames of int16."""
    x: Port = ((HALVES,), "int16")
    yield made("Delay", "int16", {"delay_length": 256}, [x], x)
    framing = {"frame_size": 512, "frame_step": 256, "prefill": 1}
    frames = ((HALVES // 256, 512), "int16")
    yield made("Framer", "int16", framing, [x], frames, ((), "bool"))
    stacking = {
        "num_channels": HALVES // 4,
        "stacker_left_context": 3,
        "stacker_right_context": 0,
        "stacker_step": 1,
    }
    yield made("Stacker", "int16", stacking, [((HALVES // 4,), "int16")], x, ((), "bool"))
    window = np.arange(512, dtype=np.int16)
    rows = ((HALVES // 512, 512), "int16")
    yield made("Window", "int16", {"shift": 12}, [rows, window], rows)
    for kind in ("int16", "float32"):
        count = HALVES if kind == "int16" else WORDS
        adding = {"T": int(TensorType.of(kind)), "frame_step": 256}
        parts = ((count // 512, 512), kind)
        yield made("OverlapAdd", kind, adding, [parts], ((count // 2,), kind))
    yield made("FftAutoScale", "int16", {}, [x], x, ((), "int32"))
    energy = {"start_index": 0, "end_index": HALVES // 2}
    yield made("Energy", "int16", energy, [x], ((HALVES // 2,), "uint32"))


def transforms() -> Iterator[Custom]:
    """Transforms of eight rows of 512."""
    for kind in KINDS:
        options = {"T": int(TensorType.of(kind)), "fft_length": 512}
        rows, pairs = ((8, 512), kind), ((8, 514), kind)
        yield made("Rfft", kind, options, [rows], pairs)
        yield made("Irfft", kind, options, [pairs], rows)


def banks() -> Iterator[Custom]:
    """Filter banks, and what is done with their channels."""
    words = ((WORDS,), "uint32")
    channels = 40
    starts = np.linspace(0, 200, channels + 1).astype(np.int16)
    widths = np.full(channels + 1, 48, np.int16)
    factors = np.arange(256, dtype=np.int16)
    bank = [((256,), "uint32"), factors, factors[::-1].copy(), starts, starts, widths]
    sums = ((channels,), "uint64")
    yield made("FilterBank", "uint32", {"num_channels": channels}, bank, sums)
    numbers = ((WORDS // 2,), "uint64")
    roots = ((WORDS // 2,), "uint32")
    yield made("FilterBankSquareRoot", "uint64", {}, [numbers, ((), "int32")], roots)
    logs = {"input_correction_bits": 3, "output_scale": 64}
    yield made("FilterBankLog", "uint32", logs, [words], ((WORDS,), "int16"))
    subtraction = {
        "alternate_one_minus_smoothing": 8192,
        "alternate_smoothing": 8192,
        "clamping": 0,
        "min_signal_remaining": 819,
        "num_channels": WORDS,
        "one_minus_smoothing": 15974,
        "smoothing": 410,
        "smoothing_bits": 10,
        "spectral_subtraction_bits": 14,
    }
    name = "FilterBankSpectralSubtraction"
    yield made(name, "uint32", subtraction, [words], words, words)
    gains = np.linspace(32767, 0, 125).astype(np.int16)
    yield made("PCAN", "uint32", {"snr_shift": 6}, [words, words, gains], words)


def circular_buffer() -> Model:
    """A buffer of 16 slots of 1 KB."""
    b = ModelBuilder()
    x = b.input("x", (1, 1, 16, 64), "int8", scale=0.5)
    y = b.variable("y", (1, 16, 16, 64), "int8", scale=0.5)
    b.operator("CIRCULAR_BUFFER", [x], [y], custom_options=flexbuffers.Dumps([1]))
    b.output(y)
    return b.build()


def decoded() -> dict[str, Codes]:
    """16 KB of weights, in TFLM's three codes."""
    rng = np.random.default_rng(0)
    table = np.arange(-8, 8, dtype=np.int8).reshape(1, -1)
    values = np.rint(rng.normal(size=2 * HALVES) * 3).astype(np.int8)
    return {
        "table": looked_up(rng.integers(0, 16, 2 * HALVES), table, 4),
        "huffman": huffman(values, wide=False, first=5, later=5),
        "prune": pruned(values * (rng.random(2 * HALVES) < 0.3), np.zeros(2 * HALVES, np.int8)),
    }


def decode(codes: Codes) -> Model:
    """A constant out of its codes."""
    b = ModelBuilder()
    pair = [b.constant("codes", codes.codes), b.constant("meaning", codes.meaning)]
    y = b.tensor("y", (1, 2 * HALVES), "int8", scale=0.5)
    b.operator("TFLM_DECODE", pair, [y], custom_options=b"")
    b.output(y)
    return b.build()


def detection(*, regular: bool) -> Model:
    """Of 512 boxes and 4 classes ten are kept."""
    options = {
        "max_detections": 10,
        "max_classes_per_detection": 1,
        "detections_per_class": 10,
        "use_regular_nms": regular,
        "nms_score_threshold": 0.1,
        "nms_iou_threshold": 0.5,
        "num_classes": 4,
        "y_scale": 10.0,
        "x_scale": 10.0,
        "h_scale": 5.0,
        "w_scale": 5.0,
    }
    rng = np.random.default_rng(0)
    b = ModelBuilder()
    inputs = [
        b.input("encodings", (1, 512, 4), "float32"),
        b.input("scores", (1, 512, 5), "float32"),
        b.constant("anchors", rng.uniform(0.1, 1, (512, 4)).astype(np.float32)),
    ]
    shapes = ((1, 10, 4), (1, 10), (1, 10), (1,))
    outputs = [b.tensor(f"y{i}", shape, "float32") for i, shape in enumerate(shapes)]
    data = bytes(flexbuffers.Dumps(options))
    b.operator("TFLite_Detection_PostProcess", inputs, outputs, custom_options=data)
    for output in outputs:
        b.output(output)
    return b.build()
