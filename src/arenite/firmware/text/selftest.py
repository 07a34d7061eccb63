"""The self-test of a folder: golden inputs, checksums of every layer and of every constant.

Inputs are made on the spot, by the same few lines here and in C. What the network shall give
for them is computed by the reference when the folder is written.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from arenite.firmware.c_text import c_elements, fill, float_literal, indented
from arenite.firmware.plan.golden import WHOLE, Golden
from arenite.firmware.plan.layers import Value
from arenite.firmware.plan.program import Program
from arenite.model import TensorType
from arenite.ops.context import Array

_HEADER = """\
#ifndef ${NAME}_SELFTEST_H
#define ${NAME}_SELFTEST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Runs $samples inferences and compares every layer, every output and every constant with what
 * they shall be. Prints PASS, or FAIL and where, through `print`; 0 if all is well. */
int ${name}_selftest(void (*print)(const char *text));

#ifdef __cplusplus
}
#endif

#endif
"""

_SOURCE = """\
#include "selftest.h"

#include "model.h"
#include "weights.h"

/* What is known of an array: its CRC-32. Floats differ in their last bits between compilers; of
 * those a sum with noise for weights, and how far it may be off. A negative number: any. */
typedef struct {
  uint32_t crc;
  float sum, tolerance;
} known;

/* Of what every layer gives$in_pieces, sample by sample. */
static const known golden[$rows][$results] = {
$golden
};
/* Of every output, when the inference is over. */
static const known golden_outputs[$rows][$outputs] = {
$golden_outputs
};
static const size_t output_bytes[$outputs] = {$output_bytes};

typedef struct {
  void (*print)(const char *text);
  int sample, result, failures;
} state;

static uint32_t crc32(uint32_t crc, const void *data, size_t bytes) {
  static const uint32_t table[16] = {
      0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u,
      0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
      0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
  const uint8_t *byte = (const uint8_t *)data;
  crc = ~crc;
  for (size_t i = 0; i < bytes; ++i) {
    crc ^= byte[i];
    crc = (crc >> 4) ^ table[crc & 15u];
    crc = (crc >> 4) ^ table[crc & 15u];
  }
  return ~crc;
}

$compared

static void print_number(void (*print)(const char *text), int number) {
  char digits[12];
  int at = 11;
  digits[at] = 0;
  do digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  print(digits + at);
}

static void fail(state *s, const char *what, int number) {
  s->failures += 1;
  s->print("FAIL sample ");
  print_number(s->print, s->sample);
  s->print(", ");
  s->print(what);
  s->print(" ");
  print_number(s->print, number);
  s->print("\\n");
}

static void check(void *user, int layer, const char *name, const void *result, size_t bytes) {
  state *s = (state *)user;
  if (!result) return; /* a layer without one */
  if (s->result >= $results || !is_known(result, bytes, &golden[s->sample][s->result]))
    fail(s, name, layer);
  s->result += 1;
}

static void check_constants(state *s) {
$constants
}

/* A byte of the sample: noise, all of the lowest, all of the highest. */
static int8_t next_byte(int sample, uint32_t *seed) {
  if (sample == 2) return -128;
  if (sample == 3) return 127;
  *seed = *seed * 1664525u + 1013904223u;
  return (int8_t)((int)(*seed >> 24) - 128);
}

$write_inputs

int ${name}_selftest(void (*print)(const char *text)) {
  state s = {print, 0, 0, 0};
  check_constants(&s);
  ${name}_init();
  for (; s.sample < $samples; ++s.sample) {
    s.result = 0;
$invoke
    if (s.result != $results) $unfinished;
    for (int i = 0; i < $outputs; ++i)
      if (!is_known(${name}_output(i), output_bytes[i], &golden_outputs[s.sample][i]))
        fail(&s, "output", i);
  }
  print(s.failures ? "FAIL $name\\n" : "PASS $name: $samples inferences, $layers layers each\\n");
  return s.failures;
}
"""

#: Of networks with floats.
_FLOATS_COMPARED = """\
static int is_near(const void *data, size_t bytes, const known *wanted) {
  const float *x = (const float *)data;
  uint32_t seed = 1;
  double sum = -(double)wanted->sum;
  if (wanted->tolerance < 0) return 1;
  for (size_t i = 0; i < bytes / sizeof *x; ++i) {
    seed = seed * 1664525u + 1013904223u;
    sum += (double)x[i] * ((int)(seed >> 24) - 128);
  }
  return sum <= (double)wanted->tolerance && -sum <= (double)wanted->tolerance;
}

static int is_known(const void *data, size_t bytes, const known *wanted) {
  if (wanted->tolerance != 0) return is_near(data, bytes, wanted);
  return crc32(0, data, bytes) == wanted->crc;
}"""

#: Of others, which need no arithmetic of doubles.
_COMPARED = """\
static int is_known(const void *data, size_t bytes, const known *wanted) {
  return crc32(0, data, bytes) == wanted->crc;
}"""

_WRITE_INPUTS = """\
static void write_inputs(int sample) {
  uint32_t seed = (uint32_t)sample;
$inputs
  (void)seed;
}"""
_INVOKE = """\
    write_inputs(s.sample);
    ${name}_invoke_observed(check, &s);"""

#: The same where rows are delivered when they are needed.
_DELIVER = """\
typedef struct {
  int sample;
  uint32_t seed;
} source;

static void deliver(void *user, int32_t row, void *to) {
  source *from = (source *)user;
  if (row == 0) from->seed = (uint32_t)from->sample;
  for (int i = 0; i < $size; ++i) {
    const int8_t byte = next_byte(from->sample, &from->seed);
    (($type *)to)[i] = $value;
  }
}"""
_INVOKE_DELIVERED = """\
    source from = {s.sample, 0};
    ${name}_invoke_observed(deliver, &from, check, &s);"""

_INPUT = """\
  for (int i = 0; i < $size; ++i) {
    const int8_t byte = next_byte(sample, &seed);
    (($type *)${name}_input($index))[i] = $value;
  }"""

_CONSTANT = '  if (crc32(0, $name, $bytes) != 0x${crc}u) fail(s, "constant", $number);'


def selftest_files(program: Program, golden: Golden) -> dict[str, str]:
    """``selftest.h`` and ``selftest.c``."""
    samples = len(golden.samples)
    names = {"name": program.name, "NAME": program.name.upper(), "samples": samples}
    return {
        "selftest.h": fill(_HEADER, **names) + "\n",
        "selftest.c": _source(program, golden, names) + "\n",
    }


def _source(program: Program, golden: Golden, names: dict[str, Any]) -> str:
    results = golden.results
    network = program.network
    outputs = [[_Part(one, one) for one in row or ()] for row in golden.outputs]
    compared = [part.array for row in outputs for part in row]
    has_floats = any(one.dtype == np.float32 for one in chain(compared, *results))
    return fill(
        _SOURCE,
        **names,
        layers=len(network.layers),
        unfinished="continue" if program.may_end else 'fail(&s, "results", s.result)',
        rows=max(len(results), 1),
        results=max(len(program.pieces), 1),
        golden=_table([_pieces(program, row) for row in results]),
        in_pieces=", piece by piece" if program.groups else "",
        outputs=len(network.outputs),
        golden_outputs=_table(outputs),
        compared=_FLOATS_COMPARED if has_floats else _COMPARED,
        output_bytes=", ".join(str(value.nbytes) for value in network.outputs),
        constants=indented("\n".join(_constant_checks(program)) or "(void)s;"),
        **_feeding(program, golden.whole),
    )


def _feeding(program: Program, whole: int | None) -> dict[str, str]:
    """How inputs come in."""
    name, values = program.name, program.network.inputs
    if program.inputs == "rows":
        value = values[0]
        kind, size = c_elements(value.type, value.size)
        size //= value.shape[1]
        return {
            "write_inputs": fill(_DELIVER, size=size, type=kind, value=_form(value, whole)),
            "invoke": indented(fill(_INVOKE_DELIVERED, name=name), 4),
        }
    inputs = "\n".join(
        _write_input(name, i, value, _form(value, whole)) for i, value in enumerate(values)
    )
    return {
        "write_inputs": fill(_WRITE_INPUTS, inputs=indented(inputs)),
        "invoke": indented(fill(_INVOKE, name=name), 4),
    }


class _Part(NamedTuple):
    """Some of an array: a piece that observers are told of, or all of it."""

    array: Array
    whole: Array


def _pieces(program: Program, results: list[Array]) -> list[_Part]:
    """What observers are told of, of all layers' results."""
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
    return "\n".join(f"    {{{line}}}," for line in lines) or "    {{0, 0, 0}},"


def _known(part: _Part) -> str:
    """What the self-test knows of an array, or of a piece of one.

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
    kind, size = c_elements(value.type, value.size)
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
