"""The self-test of a folder: golden inputs, checksums of every layer and of every constant.

Inputs are made on the spot, by the same few lines here and in C. What the network shall give
for them is computed by the reference when the folder is written.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from arenite.c_text import c_elements, fill, float_literal, templates
from arenite.firmware.network.layers import Value
from arenite.firmware.plan.golden import WHOLE, Golden
from arenite.firmware.plan.program import Program
from arenite.model import TensorType
from arenite.ops.context import Array

_C = templates(__name__)

#: Of others, which need no arithmetic of doubles.
_COMPARED = """\
static int is_known(const void *data, size_t bytes, const known *wanted) {
  return crc32(0, data, bytes) == wanted->crc;
}"""

_INVOKE = """\
    write_inputs(s.sample);
    const int status = ${name}_invoke_observed(check, &s);"""

_INVOKE_DELIVERED = """\
    source from = {s.sample, 0};
    const int status = ${name}_invoke_observed(deliver, &from, check, &s);"""

_INPUT = _C["input"]

_CONSTANT = '  if (crc32(0, $name, $bytes) != 0x${crc}u) fail(s, "constant", $number);'


def selftest_files(program: Program, golden: Golden) -> dict[str, str]:
    """``selftest.h`` and ``selftest.c``."""
    samples = len(golden.samples)
    names = {"name": program.name, "NAME": program.name.upper(), "samples": samples}
    return {
        "selftest.h": fill(_C["header"], **names) + "\n",
        "selftest.c": _source(program, golden, names) + "\n",
    }


def _source(program: Program, golden: Golden, names: dict[str, Any]) -> str:
    results = golden.results
    network = program.network
    outputs = [[_Part(one, one) for one in row or ()] for row in golden.outputs]
    compared = [part.array for row in outputs for part in row]
    checked = {piece.value for piece in program.pieces}
    has_floats = any(one.dtype == np.float32 for one in chain(compared, *results))
    return fill(
        _C["source"],
        **names,
        layers=sum(any(value in checked for value in layer.outputs) for layer in network.layers),
        unfinished="continue" if program.may_end else 'fail(&s, "results", s.result)',
        rows=max(len(results), 1),
        results=max(len(program.pieces), 1),
        golden=_table([_pieces(program, row) for row in results]),
        in_pieces=", piece by piece" if program.groups else "",
        outputs=len(network.outputs),
        golden_outputs=_table(outputs),
        compared=_C["floats_compared"] if has_floats else _COMPARED,
        output_bytes=", ".join(str(value.nbytes) for value in network.outputs),
        constants="\n".join(_constant_checks(program)) or "(void)s;",
        **_feeding(program, golden.whole),
    )


def _feeding(program: Program, whole: int | None) -> dict[str, str]:
    """The self-test's way of giving inputs."""
    name, values = program.name, program.network.inputs
    if program.inputs == "rows":
        value = values[0]
        kind, size = c_elements(value.type, value.size)
        size //= value.shape[1]
        return {
            "write_inputs": fill(_C["deliver"], size=size, type=kind, value=_form(value, whole)),
            "invoke": fill(_INVOKE_DELIVERED, name=name),
        }
    inputs = "\n".join(
        _write_input(name, i, value, _form(value, whole)) for i, value in enumerate(values)
    )
    return {
        "write_inputs": fill(_C["write_inputs"], inputs=inputs),
        "invoke": fill(_INVOKE, name=name),
    }


class _Part(NamedTuple):
    """Some of an array: a piece that observers are told of, or all of it."""

    array: Array
    whole: Array


def _pieces(program: Program, results: list[Array]) -> list[_Part]:
    """Pieces that observers are told of, of all layers' results."""
    produced = [value.index for layer in program.network.layers for value in layer.outputs]
    data = dict(zip(produced, results, strict=True))
    found = []
    for one in program.pieces:
        whole = data[one.value.index].reshape(-1)
        first, end = one.begin // whole.itemsize, (one.begin + one.bytes) // whole.itemsize
        found.append(_Part(whole[first:end], whole))
    return found


def _table(rows: list[list[_Part]]) -> str:
    lines = (", ".join(map(_known, row)) or "{0, 0, 0}" for row in rows)
    return "\n".join(f"{{{line}}}," for line in lines) or "{{0, 0, 0}},"


def _known(part: _Part) -> str:
    """Expectation of the self-test for an array, or for a piece of one.

    Elements of floats may be off by 1e-5 of the largest magnitude, errors that are noise add up to
    their root's number of that.
    """
    array, whole = part
    if array.dtype != np.float32:
        return f"{{0x{_crc(array):08x}u, 0, 0}}"
    flat = array.reshape(-1).astype(np.float64)
    if not np.isfinite(whole).all():
        return "{0, 0, -1}"
    tolerance = 1e-5 * 128 * np.sqrt(flat.size) * float(np.abs(whole).max(initial=0))
    total = (flat * _weights(flat.size)).sum()
    tolerance += 1e-7 * abs(total) + 1e-30
    if max(tolerance, abs(total)) > np.finfo(np.float32).max:
        return "{0, 0, -1}"
    return f"{{0, {float_literal(total)}, {float_literal(tolerance)}}}"


def _weights(count: int) -> Array:
    """Noise from -128 to 127, as C makes it."""
    seed, weights = 1, np.empty(count)
    for i in range(count):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        weights[i] = (seed >> 24) - 128
    return weights


def _crc(array: Array) -> int:
    return crc32(np.ascontiguousarray(array).tobytes())


def _constant_checks(program: Program) -> list[str]:
    constants = program.constants.values()
    pairs = [(program.constant(one), one.values) for one in constants]
    return [
        fill(_CONSTANT, name=name, bytes=array.nbytes, crc=f"{_crc(array):08x}", number=i)
        for i, (name, array) in enumerate(pairs)
    ]


def _write_input(name: str, index: int, value: Value, form: str) -> str:
    kind, count = c_elements(value.type, value.size)
    size = f"{name.upper()}_INPUT{index}_SIZE" if count == value.size else count
    return fill(_INPUT, size=size, type=kind, name=name, index=index, value=form)


def _form(value: Value, whole: int | None) -> str:
    """An element that ``byte`` becomes."""
    if whole is not None and value.type in WHOLE:
        return f"({c_elements(value.type, value.size)[0]})(byte * 0 + {whole})"
    forms = {
        TensorType.FLOAT32: "(float)byte / 32.0f",
        TensorType.UINT8: "(uint8_t)(byte + 128)",
        TensorType.INT16: "(int16_t)(byte * 256 + (byte + 128))",
        TensorType.BOOL: "(uint8_t)(byte & 1)",
    }
    return forms.get(value.type, f"({c_elements(value.type, value.size)[0]})byte")
