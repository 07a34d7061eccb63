"""Operators of TFLM's signal library that remember samples.

Their memory begins with zeros and has them again after a reset. Where a queue begins with samples,
what is kept is how many more there are. Facts: TFLM ``signal/src``.
"""

from __future__ import annotations

from typing import Any

from arenite.c_text import fill, templates
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Arrays, State, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import flexbuffer
from arenite.ops.signal.signal_delay import SignalDelayParams
from arenite.ops.signal.signal_filter_bank_spectral_subtraction import (
    SignalFilterBankSpectralSubtractionParams,
)
from arenite.ops.signal.signal_framer import SignalFramerParams
from arenite.ops.signal.signal_overlap_add import SignalOverlapAddParams
from arenite.ops.signal.signal_stacker import SignalStackerParams

_C = templates(__name__)


def delay(layer: Layer[SignalDelayParams]) -> Work:
    """Delay a signal: the samples kept from earlier inferences come out first."""
    p = layer.params
    if not p.delay_length:
        text = f"for (int32_t i = 0; i < {layer.output.size}; ++i) y[i] = x[i];"
        return _work(layer, "signal_delay", text, ["y"], [])
    states = [("int16_t", "line", 2 * p.rows * p.delay_length)]
    return _work(
        layer,
        "signal_delay",
        _C["delay"],
        ["y"],
        states,
        rows=p.rows,
        size=p.frame_size,
        late=p.delay_length,
    )


def framer(layer: Layer[SignalFramerParams]) -> Work:
    """Overlapping frames of a signal."""
    p = layer.params
    most = max(p.frame_size - 1, 1)
    prefill = flexbuffer.vector(layer.operator.custom_options).int32(2)
    states = [("int32_t", "more", 4 * p.rows), ("int16_t", "waiting", 2 * p.rows * most)]
    return _work(
        layer,
        "signal_framer",
        _C["framer"],
        ["y", "valid"],
        states,
        rows=p.rows,
        frames=p.frames,
        size=p.frame_size,
        step=p.frame_step,
        most=most,
        first=p.frame_size - p.frame_step if prefill else 0,
    )


def overlap_add(layer: Layer[SignalOverlapAddParams]) -> Work:
    """Sums of overlapping frames."""
    p, kind = layer.params, c_type(layer.output)
    bytes_ = layer.output.type.nbytes(p.rows * p.frame_size)
    saturates = kind == "int16_t"
    return _work(
        layer,
        "signal_overlap_add",
        _C["overlap_add"],
        ["y"],
        [(kind, "sum", bytes_)],
        rows=p.rows,
        frames=p.frames,
        size=p.frame_size,
        step=p.frame_step,
        total="ar_saturate_int16(sum[i] + x[i])" if saturates else "sum[i] + x[i]",
    )


def stacker(layer: Layer[SignalStackerParams]) -> Work:
    """Frames side by side."""
    p = layer.params
    size = p.frames * p.num_channels
    states = [("int32_t", "counters", 8), ("int16_t", "waiting", 2 * (size + p.num_channels))]
    return _work(
        layer,
        "signal_stacker",
        _C["stacker"],
        ["y", "valid"],
        states,
        copies=p.repeats + 1,
        channels=p.num_channels,
        size=size,
        step=p.step * p.num_channels,
    )


def spectral_subtraction(layer: Layer[SignalFilterBankSpectralSubtractionParams]) -> Work:
    """A signal without an estimate of its noise."""
    p = layer.params
    factors = {
        "even": p.smoothing,
        "odd": p.alternate_smoothing,
        "even_rest": p.one_minus_smoothing,
        "odd_rest": p.alternate_one_minus_smoothing,
        "remaining": p.min_signal_remaining,
    }
    return _work(
        layer,
        "signal_spectral_subtraction",
        _C["subtraction"],
        ["y", "noise"],
        [("uint32_t", "kept", 4 * p.num_channels)],
        channels=p.num_channels,
        up=p.smoothing_bits,
        down=p.spectral_subtraction_bits,
        next="taken" if p.clamping else "estimate",
        **{name: f"{value & 0xFFFFFFFF}u" for name, value in factors.items()},
    )


def _work(
    layer: AnyLayer,
    stem: str,
    text: str,
    outputs: list[str],
    states: list[tuple[str, str, int]],
    **values: Any,
) -> Work:
    """A routine of input 0, of outputs by these names, and of memory: type, name, bytes."""
    require_elements(layer)
    kept = {
        f"{kind} *{name}": State(f"{name} of layer {layer.index}", size)
        for kind, name, size in states
    }
    written = dict(zip(outputs, layer.outputs, strict=True))
    text = fill(text, **values)
    arrays: Arrays = {"x": layer.input(0), **written, **kept}
    return work_of(layer, text, arrays, writes=outputs, stem=stem)


KERNELS = {
    "SignalDelay": delay,
    "SignalFramer": framer,
    "SignalOverlapAdd": overlap_add,
    "SignalStacker": stacker,
    "SignalFilterBankSpectralSubtraction": spectral_subtraction,
}
