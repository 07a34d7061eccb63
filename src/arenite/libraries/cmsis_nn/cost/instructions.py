"""DSP and vector instructions of an operator's loops, as CMSIS-NN's C code asks for.

The counts are those of the intrinsics (and inline assembly) in the source, so
:mod:`arenite.libraries.cmsis_nn.arithmetic.convolve` counts the same when it computes.
``SXTB16_RORn`` is one SXTB16: the rotation is part of the instruction; GCC makes one of ROR and the
SXTB16 or SXTAB16 behind it, too, so that compiled code runs no ROR. SMLAL stands for one
requantisation, VQRDMULH for that of four values; VSTRB counts copies and fills only. ``MLA`` is a
product of what is left over behind the fours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from arenite.libraries.cmsis_nn.cost.loops import Loop
from arenite.target import Target

_Counts = Mapping[str, int]


def _dot(smlad: int, sxtb16: int, sxtab16: int = 0, ror: int = 0) -> _Counts:
    counts = {"SMLAD": smlad, "SXTB16": sxtb16, "SXTAB16": sxtab16, "ROR": ror}
    return {name: count for name, count in counts.items() if count}


def _requantize(outputs: int) -> _Counts:
    return {"SMLAL": outputs}


def _mla(products: int) -> _Counts:
    return {"MLA": products}


_KERNEL: dict[str, _Counts] = {
    "2 channels": _requantize(4),
    "2 channels, 4 columns": _dot(8, sxtb16=4, ror=2),
    "2 channels, column": _mla(4),
    "last channel": _requantize(2),
    "last channel, 4 columns": _dot(4, sxtb16=2, ror=1),
    "last channel, column": _mla(2),
}
_VECTOR_BY_MATRIX: dict[str, _Counts] = {
    "call": {"PKHBT": 1},
    "2 units": _requantize(2),
    "2 units, 16 columns": _dot(16, sxtb16=16, sxtab16=8),
    **dict.fromkeys(("2 units, any 4 columns", "2 units, next 4 columns"), _dot(4, 4, 2)),
    **dict.fromkeys(("2 units, any column", "2 units, next column"), _mla(2)),
    "last unit": _requantize(1),
    "last unit, 16 columns": _dot(8, sxtb16=8, sxtab16=8),
    **dict.fromkeys(("last unit, any 4 columns", "last unit, next 4 columns"), _dot(2, 2, 2)),
    **dict.fromkeys(("last unit, any column", "last unit, next column"), _mla(1)),
}
_TAP: _Counts = {"SMLABB": 2, "SMLATT": 2, "SXTB16": 2, "SXTAB16": 2}

_DSP: dict[str, dict[str, _Counts]] = {
    "arm_s8_to_s16_unordered_with_offset": {
        "call": {"PKHBT": 1},
        "4 values": {"SXTAB16": 2, "ROR": 1},
    },
    "arm_q7_to_q15_with_offset": {
        "call": {"PKHBT": 1},
        "4 values": {"SXTAB16": 2, "ROR": 1, "PKHTB": 1, "PKHBT": 1},
    },
    "arm_nn_mat_mult_kernel_s8_s16": _KERNEL,
    "arm_nn_mat_mult_kernel_row_offset_s8_s16": _KERNEL,
    "arm_convolve_s8": {
        "last position, channel": _requantize(1),
        "last position, channel, 4 columns": _dot(2, sxtb16=2, ror=1),
        "last position, channel, column": _mla(1),
    },
    "arm_nn_mat_mult_nt_t_s8": {
        "2 channels, 2 rows": _requantize(4),
        "2 channels, 2 rows, 16 columns": _dot(32, sxtb16=32),
        "2 channels, 2 rows, 4 columns": _dot(8, sxtb16=8),
        "2 channels, 2 rows, column": _mla(4),
        "2 channels, last row": _requantize(2),
        "2 channels, last row, 16 columns": _dot(16, sxtb16=24),
        "2 channels, last row, 4 columns": _dot(4, sxtb16=6),
        "2 channels, last row, column": _mla(2),
        "last channel, row": _requantize(1),
        "last channel, row, column": _mla(1),
    },
    "arm_depthwise_conv_3x3_s8": {
        "4 channels": {"PKHBT": 1, "SMLAL": 4},
        "4 channels, row of taps": _TAP,
        "4 channels, outer tap": _TAP,
        "channel": _requantize(1),
        "channel, row of taps": _mla(1),
        "channel, outer tap": _mla(1),
    },
    "arm_depthwise_conv_s8_opt": {
        "4 channels": _requantize(4),
        "4 channels, 2 taps": {"SXTB16": 4, "ROR": 2, "PKHBT": 4, "PKHTB": 4, "SMLAD": 4},
        "4 channels, last tap": _mla(4),
        "channel": _requantize(1),
        "channel, tap": _mla(1),
    },
    "depthwise_conv_s8_mult_4": {"4 channels": _requantize(4), "4 channels, tap": _mla(4)},
    "depthwise_conv_s8_generic": {"channel": _requantize(1), "channel, tap": _mla(1)},
    "arm_nn_vec_mat_mult_t_s8": _VECTOR_BY_MATRIX,
    "arm_nn_vec_mat_mult_t_per_ch_s8": _VECTOR_BY_MATRIX,
    "arm_elementwise_add_s8": {
        "4 values": {"SXTB16": 4, "ROR": 2, "SADD16": 4, "SMLAL": 12},
        "value": _requantize(3),
    },
    "arm_elementwise_mul_s8": {
        "4 values": {"SXTB16": 4, "ROR": 2, "SADD16": 4, "SMULBB": 2, "SMULTT": 2, "SMLAL": 4},
        "value": {"SMLAL": 1},
    },
    "arm_avgpool_s8": {"next tap, channel": {"QADD": 1}},
}

_BLOCKS: dict[str, _Counts] = {
    "copy, 16 bytes": {"VLDRB": 1, "VSTRB": 1},
    "fill, 16 bytes": {"VSTRB": 1},
}
_UNITS: dict[str, _Counts] = {
    "4 units": {"VQRDMULH": 1},
    "last unit": _requantize(1),
    "4 units, 16 columns": {"VLDRB": 5, "VMLADAVA": 4},
    "last unit, 16 columns": {"VLDRB": 2, "VMLADAVA": 1},
}
_MVE: dict[str, dict[str, _Counts]] = {
    "arm_nn_mat_mult_nt_t_s8": {
        "4 rows, channel": {"VLDRB": 1, "VQRDMULH": 1},
        "4 rows, channel, 16 columns": {"VLDRB": 5, "VMLADAVA": 4, "VADDVA": 1},
        "row, channel": {"VLDRB": 1},
        "row, channel, 16 columns": {"VLDRB": 2, "VMLADAVA": 1, "VADDVA": 1},
        "row, 4 channels": {"VQRDMULH": 1},
        "row, last channels": _requantize(1),
    },
    "arm_convolve_s8": _BLOCKS,
    "arm_convolve_1_x_n_s8": _BLOCKS,
    "arm_depthwise_conv_s8_opt": {
        **_BLOCKS,
        "last position, 4 channels": {"VQRDMULH": 1},
        "last position, 4 channels, tap": {"VLDRB": 2, "VMUL": 1},
    },
    "arm_nn_depthwise_conv_nt_t_s8": {
        "4 channels": {"VMUL": 1, "VQRDMULH": 4},
        "4 channels, tap": {"VLDRB": 5, "VMUL": 4},
    },
    "arm_nn_vec_mat_mult_t_s8": _UNITS,
    "arm_nn_vec_mat_mult_t_per_ch_s8": _UNITS,
}


def instruction_counts(loops: Iterable[Loop], target: Target) -> Counter[str]:
    """DSP or vector instructions of one inference by mnemonic; none on other targets."""
    table = {"dsp": _DSP, "mve": _MVE}.get(target.instructions, {})
    counts: Counter[str] = Counter()
    for loop in loops:
        for name, count in table.get(loop.function, {}).get(loop.step, {}).items():
            if loop.times:
                counts[name] += count * loop.times
    return counts
