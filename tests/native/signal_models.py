"""Small models of the signal library, for :mod:`tests.native.test_contract`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from arenite.model import Model
from tests.ops.signal.models import Port, signal_model

SPECTRAL_SUBTRACTION = {
    "alternate_one_minus_smoothing": 8,
    "alternate_smoothing": 8,
    "clamping": 0,
    "min_signal_remaining": 1,
    "num_channels": 3,
    "one_minus_smoothing": 8,
    "smoothing": 8,
    "smoothing_bits": 1,
    "spectral_subtraction_bits": 4,
}
STACKER = {
    "num_channels": 2,
    "stacker_left_context": 2,
    "stacker_right_context": 0,
    "stacker_step": 1,
}


def made(
    name: str, options: dict[str, int], inputs: list[Port], *outputs: tuple[Any, str]
) -> Callable[[], Model]:
    """A function that makes the model."""
    return lambda: signal_model(f"Signal{name}", options, inputs, [*outputs])


def numbers(*values: int) -> np.ndarray[Any, Any]:
    """A constant of int16."""
    return np.array(values, np.int16)


SIGNAL_MODELS = {
    "delay": made("Delay", {"delay_length": 8}, [((2, 5), "int16")], ((2, 5), "int16")),
    "framer": made(
        "Framer", {"frame_size": 4, "frame_step": 2, "prefill": 1},
        [((2, 6), "int16")], ((2, 3, 4), "int16"), ((), "bool"),
    ),
    "stacker": made("Stacker", STACKER, [((2,), "int16")], ((6,), "int16"), ((), "bool")),
    "overlap add": made(
        "OverlapAdd", {"T": 7, "frame_step": 2}, [((2, 3), "int16")], ((4,), "int16")
    ),
    "spectral subtraction": made(
        "FilterBankSpectralSubtraction", SPECTRAL_SUBTRACTION,
        [((3,), "uint32")], ((3,), "uint32"), ((3,), "uint32"),
    ),
    "energy": made(
        "Energy", {"start_index": 0, "end_index": 4}, [((8,), "int16")], ((4,), "uint32")
    ),
    "filter bank": made(
        "FilterBank", {"num_channels": 1},
        [((4,), "uint32"), *[numbers(1, 1)] * 2, *[numbers(0, 0)] * 2, numbers(1, 1)],
        ((1,), "uint64"),
    ),
    "filter bank log": made(
        "FilterBankLog", {"input_correction_bits": 3, "output_scale": 64},
        [((4,), "uint32")], ((4,), "int16"),
    ),
    "pcan": made(
        "PCAN", {"snr_shift": 6},
        [((4,), "uint32"), ((4,), "uint32"), np.ones(125, np.int16)], ((4,), "uint32"),
    ),
    "window": made(
        "Window", {"shift": 12}, [((4,), "int16"), numbers(1, 2, 3, 4)], ((4,), "int16")
    ),
    "rfft": made("Rfft", {"T": 7, "fft_length": 12}, [((12,), "int16")], ((14,), "int16")),
    "irfft": made("Irfft", {"T": 7, "fft_length": 12}, [((14,), "int16")], ((12,), "int16")),
}  # fmt: skip
