"""Operators of TFLM's signal library that remember nothing.

Facts: TFLM ``signal/src``. Bands and tables that reach outside of what there is, which the engine
refuses, are cut off there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arenite.c_text import fill, templates
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Constant, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.ops.signal.signal_energy import SignalEnergyParams
from arenite.ops.signal.signal_filter_bank import SignalFilterBankParams
from arenite.ops.signal.signal_filter_bank_log import SignalFilterBankLogParams
from arenite.ops.signal.signal_pcan import SignalPcanParams
from arenite.ops.signal.signal_window import SignalWindowParams

_WINDOW = """\
for (int32_t start = 0; start < $size; start += $weights)
  for (int32_t i = 0; i < $weights; ++i)
    y[start + i] = ar_saturate_int16((x[start + i] * weights[i]) >> $shift);"""

_C = templates(__name__)

_ROOT = """\
const uint32_t down = (uint32_t)*shift & 31u;
for (int32_t i = 0; i < $size; ++i) y[i] = ar_rounded_root(x[i]) >> down;"""


def window(layer: Layer[SignalWindowParams]) -> Work:
    """Samples times weights, again and again."""
    sizes = {"size": layer.output.size, "weights": layer.input(1).size}
    return _work(layer, _WINDOW, ["x", "weights"], ["y"], shift=layer.params.shift, **sizes)


def energy(layer: Layer[SignalEnergyParams]) -> Work:
    """Squared magnitudes of some complex numbers."""
    p = layer.params
    return _work(
        layer, _C["energy"], ["x"], ["y"], size=layer.output.size, start=p.start, end=p.end
    )


def auto_scale(layer: AnyLayer) -> Work:
    """Samples shifted to the left as far as they go, and how far that is."""
    return _work(layer, _C["auto_scale"], ["x"], ["y", "shift"], size=layer.outputs[0].size)


def filter_bank(layer: Layer[SignalFilterBankParams]) -> Work:
    """Weighted sums of bands."""
    names = ["x", "weights", "unweights", "bins", "starts", "widths"]
    return _work(
        layer,
        _C["filter_bank"],
        names,
        ["y"],
        channels=layer.params.num_channels,
        bins=layer.input(0).size,
        factors=min(layer.input(1).size, layer.input(2).size),
    )


def filter_bank_log(layer: Layer[SignalFilterBankLogParams]) -> Work:
    """Logarithms from a table of their fractions."""
    p = layer.params
    table = Constant("table", np.asarray(p.bulges, np.int32))
    scale = f"{p.output_scale & 0xFFFFFFFF}u"
    bits = p.input_correction_bits
    return _work(
        layer, _C["log"], ["x"], ["y"], table, size=layer.output.size, bits=bits, scale=scale
    )


def square_root(layer: AnyLayer) -> Work:
    """Rounded roots, shifted to the right."""
    return _work(layer, _ROOT, ["x", "shift"], ["y"], size=layer.output.size)


def pcan(layer: Layer[SignalPcanParams]) -> Work:
    """Gains from a table of parabolas."""
    last = layer.input(2).size - 3
    sizes = {"size": layer.output.size, "last": last, "shift": layer.params.snr_shift}
    return _work(layer, _C["pcan"], ["x", "noise", "table"], ["y"], **sizes)


def _work(
    layer: AnyLayer,
    text: str,
    inputs: list[str],
    outputs: list[str],
    *tables: Constant,
    **values: Any,
) -> Work:
    """A routine of all inputs and outputs by these names, and of constants."""
    require_elements(layer)
    arrays = {name: layer.input(number) for number, name in enumerate(inputs)}
    read = {table.role: table for table in tables}
    written = dict(zip(outputs, layer.outputs, strict=True))
    text = fill(text, **values)
    return work_of(layer, text, {**arrays, **read, **written}, writes=outputs, stem=_stem(layer))


def _stem(layer: AnyLayer) -> str:
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
