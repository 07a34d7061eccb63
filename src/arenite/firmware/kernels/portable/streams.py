"""Operators of TFLM's signal library that remember samples.

Their memory begins with zeros and has them again after a reset. Where a queue begins with samples,
what is kept is how many more there are. Facts: TFLM ``signal/src``.
"""

from __future__ import annotations

from typing import Any

from arenite.firmware.c_text import fill
from arenite.firmware.kernels.portable.elementwise_loop import argument, c_type
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.plan.kernel import Routine, State, Work
from arenite.firmware.plan.layers import Layer
from arenite.model import flexbuffer

_DELAY = """\
for (int32_t row = 0; row < $rows; ++row, x += $size, y += $size, line += $late) {
  for (int32_t i = 0; i < $size; ++i) y[i] = i < $late ? line[i] : x[i - $late];
  for (int32_t i = 0; i < $late; ++i)
    line[i] = i + $size < $late ? line[i + $size] : x[i + $size - $late];
}"""

#: Samples wait behind a row's counter, of which there are `$first` at the beginning.
_FRAMER = """\
uint8_t are_there = 1;
for (int32_t row = 0; row < $rows; ++row, more += 1, waiting += $most) {
  for (int32_t frame = 0; frame < $frames; ++frame, x += $step, y += $size) {
    int32_t count = *more + $first;
    if (count + $step < $size) {
      for (int32_t i = 0; i < $step; ++i) waiting[count + i] = x[i];
      for (int32_t i = 0; i < $size; ++i) y[i] = 0;
      *more += $step;
      are_there = 0;
      continue;
    }
    for (int32_t i = 0; i < $size; ++i) y[i] = i < count ? waiting[i] : x[i - count];
    for (int32_t i = 0; i < count; ++i)
      waiting[i] = i + $step < count ? waiting[i + $step] : x[i + $step - count];
  }
}
*valid = are_there;"""

_OVERLAP_ADD = """\
for (int32_t row = 0; row < $rows; ++row, sum += $size) {
  for (int32_t frame = 0; frame < $frames; ++frame, x += $size, y += $step) {
    for (int32_t i = 0; i < $size; ++i) sum[i] = $total;
    for (int32_t i = 0; i < $step; ++i) y[i] = sum[i];
    for (int32_t i = 0; i < $size; ++i) sum[i] = i + $step < $size ? sum[i + $step] : 0;
  }
}"""

_STACKER = """\
int32_t count = counters[0];
for (int32_t copies = counters[1] ? 1 : $copies; copies > 0; --copies, count += $channels)
  for (int32_t i = 0; i < $channels; ++i) waiting[count + i] = x[i];
const int is_there = count >= $size;
for (int32_t i = 0; i < $size; ++i) y[i] = is_there ? waiting[i] : 0;
if (is_there) {
  count -= $step;
  for (int32_t i = 0; i < count; ++i) waiting[i] = waiting[i + $step];
}
counters[0] = count;
counters[1] = 1;
*valid = is_there ? 1 : 0;"""

_SUBTRACTION = """\
for (int32_t i = 0; i < $channels; ++i) {
  const uint32_t signal = x[i], scaled = signal << $up;
  const uint64_t fresh = (uint64_t)scaled * (i & 1 ? $odd : $even);
  const uint64_t known = (uint64_t)kept[i] * (i & 1 ? $odd_rest : $even_rest);
  const uint32_t estimate = (uint32_t)((fresh + known) >> $down);
  const uint32_t taken = estimate < scaled ? estimate : scaled;
  const uint32_t left = (scaled - taken) >> $up;
  const uint32_t least = (uint32_t)(((uint64_t)signal * $remaining) >> $down);
  kept[i] = noise[i] = $next;
  y[i] = left > least ? left : least;
}"""


def delay(layer: Layer) -> Work:
    """What is on its way comes out first."""
    p = layer.params
    if not p.delay_length:
        text = f"for (int32_t i = 0; i < {layer.output.size}; ++i) y[i] = x[i];"
        return _work(layer, "signal_delay", text, ["y"], [])
    states = [("int16_t", "line", 2 * p.rows * p.delay_length)]
    return _work(
        layer,
        "signal_delay",
        _DELAY,
        ["y"],
        states,
        rows=p.rows,
        size=p.frame_size,
        late=p.delay_length,
    )


def framer(layer: Layer) -> Work:
    """Overlapping frames of a signal."""
    p = layer.params
    most = max(p.frame_size - 1, 1)
    prefill = flexbuffer.vector(layer.operator.custom_options).int32(2)
    states = [("int32_t", "more", 4 * p.rows), ("int16_t", "waiting", 2 * p.rows * most)]
    return _work(
        layer,
        "signal_framer",
        _FRAMER,
        ["y", "valid"],
        states,
        rows=p.rows,
        frames=p.frames,
        size=p.frame_size,
        step=p.frame_step,
        most=most,
        first=p.frame_size - p.frame_step if prefill else 0,
    )


def overlap_add(layer: Layer) -> Work:
    """Sums of overlapping frames."""
    p, kind = layer.params, c_type(layer.output)
    bytes_ = layer.output.type.nbytes(p.rows * p.frame_size)
    saturates = kind == "int16_t"
    return _work(
        layer,
        "signal_overlap_add",
        _OVERLAP_ADD,
        ["y"],
        [(kind, "sum", bytes_)],
        rows=p.rows,
        frames=p.frames,
        size=p.frame_size,
        step=p.frame_step,
        total="ar_saturate_int16(sum[i] + x[i])" if saturates else "sum[i] + x[i]",
    )


def stacker(layer: Layer) -> Work:
    """Frames side by side."""
    p = layer.params
    size = p.frames * p.num_channels
    states = [("int32_t", "counters", 8), ("int16_t", "waiting", 2 * (size + p.num_channels))]
    return _work(
        layer,
        "signal_stacker",
        _STACKER,
        ["y", "valid"],
        states,
        copies=p.repeats + 1,
        channels=p.num_channels,
        size=size,
        step=p.step * p.num_channels,
    )


def spectral_subtraction(layer: Layer) -> Work:
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
        _SUBTRACTION,
        ["y", "noise"],
        [("uint32_t", "kept", 4 * p.num_channels)],
        channels=p.num_channels,
        up=p.smoothing_bits,
        down=p.spectral_subtraction_bits,
        next="taken" if p.clamping else "estimate",
        **{name: f"{value & 0xFFFFFFFF}u" for name, value in factors.items()},
    )


def _work(
    layer: Layer,
    stem: str,
    text: str,
    outputs: list[str],
    states: list[tuple[str, str, int]],
    **values: Any,
) -> Work:
    """A routine of input 0, of outputs by these names, and of memory: type, name, bytes."""
    require_elements(layer)
    x = layer.input(0)
    parameters = (
        f"const {c_type(x)} *x",
        *(f"{c_type(y)} *{name}" for y, name in zip(layer.outputs, outputs, strict=True)),
        *(f"{kind} *{name}" for kind, name, _ in states),
    )
    kept = [State(f"{name} of layer {layer.index}", size) for _, name, size in states]
    routine = Routine(stem, parameters, fill(text, **values), about=str(layer))
    return Work(routine, (argument(x), *layer.outputs, *kept))


KERNELS = {
    "SignalDelay": delay,
    "SignalFramer": framer,
    "SignalOverlapAdd": overlap_add,
    "SignalStacker": stacker,
    "SignalFilterBankSpectralSubtraction": spectral_subtraction,
}
