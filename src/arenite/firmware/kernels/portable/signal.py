"""Operators of TFLM's signal library that remember nothing.

Facts: TFLM ``signal/src``. Bands and tables that reach outside of what there is, which the engine
refuses, are cut off there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arenite.firmware.c_text import C_TYPES, fill
from arenite.firmware.kernels.portable.elementwise_loop import argument, c_type
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.plan.kernel import Constant, Routine, Work
from arenite.firmware.plan.layers import Layer

_WINDOW = """\
for (int32_t start = 0; start < $size; start += $weights)
  for (int32_t i = 0; i < $weights; ++i)
    y[start + i] = ar_saturate_int16((x[start + i] * weights[i]) >> $shift);"""

_ENERGY = """\
for (int32_t i = 0; i < $size; ++i) y[i] = 0;
for (int32_t i = $start; i < $end; ++i) {
  const int32_t real = x[2 * i], imaginary = x[2 * i + 1];
  y[i] = (uint32_t)(real * real) + (uint32_t)(imaginary * imaginary);
}"""

_AUTO_SCALE = """\
int32_t largest = 0;
for (int32_t i = 0; i < $size; ++i) {
  const int32_t value = x[i];
  if (value > largest)
    largest = value;
  else if (-value > largest)
    largest = value == INT16_MIN ? INT16_MIN : -value; /* the magnitude of that in 16 bits */
}
const int32_t bits = largest > 0 ? ar_leading_zeros((uint32_t)largest) - 17 : 0;
for (int32_t i = 0; i < $size; ++i)
  y[i] = (int16_t)ar_sign_extend((uint32_t)x[i] << bits, 16);
*shift = bits;"""

_FILTER_BANK = """\
uint64_t left = 0;
for (int32_t channel = 0; channel <= $channels; ++channel) {
  const int32_t width = widths[channel], bin = bins[channel], start = starts[channel];
  uint64_t sum = left, rest = 0;
  const int inside = bin >= 0 && bin + width <= $bins && start >= 0 && start + width <= $factors;
  for (int32_t i = 0; inside && i < width; ++i) {
    sum += (uint64_t)((int64_t)weights[start + i] * (int64_t)x[bin + i]);
    rest += (uint64_t)((int64_t)unweights[start + i] * (int64_t)x[bin + i]);
  }
  if (channel > 0) y[channel - 1] = sum; /* the first is only there for what it leaves */
  left = rest;
}"""

_LOG = """\
for (int32_t i = 0; i < $size; ++i) {
  const uint32_t value = x[i] << $bits;
  if (value <= 1) {
    y[i] = 0;
    continue;
  }
  const int32_t whole = 31 - ar_leading_zeros(value);
  const int32_t fraction =
      (int32_t)(((uint64_t)(value - (UINT32_C(1) << whole)) << 16) >> whole);
  const int32_t segment = fraction >> 9, inside = fraction - (segment << 9);
  const int32_t low = table[segment], high = table[segment + 1];
  const int32_t log_2 = (whole << 16) + fraction + low + (((high - low) * inside) >> 16);
  const uint32_t natural = (uint32_t)((INT64_C(45426) * log_2 + (1 << 15)) >> 16);
  const uint32_t scaled = ($scale * natural + (1u << 15)) >> 16;
  y[i] = (int16_t)(scaled < INT16_MAX ? scaled : INT16_MAX);
}"""

_ROOT = """\
const uint32_t down = (uint32_t)*shift & 31u;
for (int32_t i = 0; i < $size; ++i) y[i] = ar_rounded_root(x[i]) >> down;"""

_PCAN = """\
for (int32_t i = 0; i < $size; ++i) {
  const uint32_t level = noise[i];
  const int32_t bits = 32 - ar_leading_zeros(level);
  int32_t at = level <= 2 ? (int32_t)level : 4 * bits - 6;
  if (at > $last) at = $last;
  int32_t gain = table[at];
  if (level > 2) {
    const int32_t fraction = (int32_t)(((uint64_t)level << 11) >> bits) & 0x3FF;
    const int32_t bent = ((table[at + 2] * fraction) >> 5) + table[at + 1] * 32;
    const int32_t sum = ((bent * fraction + (1 << 14)) >> 15) + gain;
    gain = ar_sign_extend((uint32_t)sum, 16);
  }
  const uint32_t snr = (uint32_t)(((uint64_t)x[i] * (uint32_t)gain) >> $shift);
  y[i] = snr < 2u << 12 ? (snr * snr) >> 20 : (snr >> 6) - (1u << 6);
}"""


def window(layer: Layer) -> Work:
    """Samples times weights, again and again."""
    sizes = {"size": layer.output.size, "weights": layer.input(1).size}
    return _work(layer, _WINDOW, ["x", "weights"], ["y"], shift=layer.params.shift, **sizes)


def energy(layer: Layer) -> Work:
    """Squared magnitudes of some complex numbers."""
    p = layer.params
    return _work(layer, _ENERGY, ["x"], ["y"], size=layer.output.size, start=p.start, end=p.end)


def auto_scale(layer: Layer) -> Work:
    """Samples shifted to the left as far as they go, and how far that is."""
    return _work(layer, _AUTO_SCALE, ["x"], ["y", "shift"], size=layer.outputs[0].size)


def filter_bank(layer: Layer) -> Work:
    """Weighted sums of bands."""
    names = ["x", "weights", "unweights", "bins", "starts", "widths"]
    return _work(
        layer,
        _FILTER_BANK,
        names,
        ["y"],
        channels=layer.params.num_channels,
        bins=layer.input(0).size,
        factors=min(layer.input(1).size, layer.input(2).size),
    )


def filter_bank_log(layer: Layer) -> Work:
    """Logarithms from a table of their fractions."""
    p = layer.params
    table = Constant("table", np.asarray(p.bulges, np.int32))
    scale = f"{p.output_scale & 0xFFFFFFFF}u"
    bits = p.input_correction_bits
    return _work(layer, _LOG, ["x"], ["y"], table, size=layer.output.size, bits=bits, scale=scale)


def square_root(layer: Layer) -> Work:
    """Rounded roots, shifted to the right."""
    return _work(layer, _ROOT, ["x", "shift"], ["y"], size=layer.output.size)


def pcan(layer: Layer) -> Work:
    """Gains from a table of parabolas."""
    last = layer.input(2).size - 3
    sizes = {"size": layer.output.size, "last": last, "shift": layer.params.snr_shift}
    return _work(layer, _PCAN, ["x", "noise", "table"], ["y"], **sizes)


def _work(
    layer: Layer,
    text: str,
    inputs: list[str],
    outputs: list[str],
    *tables: Constant,
    **values: Any,
) -> Work:
    """A routine of all inputs and outputs by these names, and of constants."""
    require_elements(layer)
    given = [layer.input(number) for number in range(len(inputs))]
    parameters = (
        *(f"const {c_type(x)} *{name}" for x, name in zip(given, inputs, strict=True)),
        *(f"const {C_TYPES[table.values.dtype]} *table" for table in tables),
        *(f"{c_type(y)} *{name}" for y, name in zip(layer.outputs, outputs, strict=True)),
    )
    routine = Routine(_stem(layer), parameters, fill(text, **values), about=str(layer))
    return Work(routine, (*map(argument, given), *tables, *layer.outputs))


def _stem(layer: Layer) -> str:
    """``SignalFilterBank`` as ``signal_filter_bank``."""
    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in layer.name)
    return words.replace("_p_c_a_n", "_pcan").strip("_")


KERNELS = {
    "SignalWindow": window,
    "SignalEnergy": energy,
    "SignalFftAutoScale": auto_scale,
    "SignalFilterBank": filter_bank,
    "SignalFilterBankLog": filter_bank_log,
    "SignalFilterBankSquareRoot": square_root,
    "SignalPCAN": pcan,
}
