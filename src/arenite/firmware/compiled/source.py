"""``own_kernels.cc``: users' kernels in C++ with a context that is served from the plan.

Facts: TFLM ``micro/micro_interpreter_graph.cc`` (all ``init``, then all ``prepare``),
``micro/micro_allocator.cc`` (what a temporary tensor is filled with; vectors of the model as
``TfLiteIntArray`` and ``TfLiteFloatArray``), ``c/common.h``. The classes around are those of the
host's shim (``kernels/shim/context.h``), so that both serve the same trees.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import numpy as np

from arenite.c_text import fill, float_literal, text_file
from arenite.firmware.compiled.work import Compiled, Port
from arenite.firmware.network.kernel import Constant, Work
from arenite.firmware.plan.program import Program
from arenite.kernels.build import SHIM, context_macros, registration_type
from arenite.kernels.tree import Tree, find_tree
from arenite.model import TensorType

SOURCE, CONTEXT = "own_kernels.cc", "own_context.h"
#: What a file says of itself here.
_ABOUT = re.compile(r"\A(?://.*\n)+\n")
_SOURCE = _ABOUT.sub("", text_file(__name__, SOURCE))
_CONTEXT = _ABOUT.sub("", (SHIM / "context.h").read_text("utf-8"))
_PARSER_HEADER = """\
#if __has_include("tensorflow/lite/micro/tflite_bridge/flatbuffer_conversions_bridge.h")
#include "tensorflow/lite/micro/tflite_bridge/flatbuffer_conversions_bridge.h"
#else
#include "tensorflow/lite/micro/flatbuffer_conversions_bridge.h"
#endif
#include "tensorflow/lite/schema/schema_generated.h\""""
_PARSING = _ABOUT.sub("", text_file(__name__, "parsing.cc"))
_NO_PARSING = "void read_options(const Kernel&, TfLiteNode&) {}"


def own_kernels(program: Program) -> dict[str, str]:
    """The folder's files around users' kernels by name; none where there are none."""
    works = program.compiled
    if not works:
        return {}
    found: list[Compiled] = [work.compiled for work in works]
    tree = find_tree(found[0].origin.request.tflm, needs_cmsis_nn=False)
    tables = _Tables(program, works)
    name = program.name
    parsers = any(one.parser for one in found)
    words = {"name": name, "NAME": name.upper()}
    text = fill(
        _SOURCE,
        **words,
        tree="\n".join(_macros(tree)),
        parser_header=_PARSER_HEADER if parsers else "// no options of builtin operators",
        declarations="\n".join(dict.fromkeys(one.origin.function.declaration for one in found)),
        registration=registration_type(tree),
        tensor_count=max(len(tables.ports), 1),
        kernel_count=len(found),
        temps=max(one.temps for one in found),
        tables="\n".join(tables.lines()),
        parsing=fill(_PARSING, cases="\n".join(_parsers(found))) if parsers else _NO_PARSING,
        intermediates=_intermediates(tree),
        functions="\n".join(_functions(program)),
    )
    return {SOURCE: text.rstrip("\n") + "\n", CONTEXT: _CONTEXT}


def _macros(tree: Tree) -> Iterator[str]:
    """Macros of the tree that ``own_context.h`` asks for."""
    for name, value in context_macros(tree).items():
        yield f"#define {name} {value}".rstrip()
    if "AK_COMPRESSION_KNOWN" in tree.defines:
        yield from ("#ifdef USE_TFLM_COMPRESSION", "#define AK_COMPRESSION", "#endif")


def _functions(program: Program) -> Iterator[str]:
    """The functions that ``model.c`` calls: kernels are numbered in their order."""
    for number, work in enumerate(program.compiled):
        assert work.routine is not None
        yield f"int {program.function(work.routine)}(void) {{ return run({number}); }}"


def _parsers(found: Sequence[Compiled]) -> Iterator[str]:
    for number, one in enumerate(found):
        if one.parser:
            yield f"case {number}: parse = tree::{one.parser}; break;"


def _intermediates(tree: Tree) -> str:
    """Vendors' nodes may have no such field."""
    has_them = "intermediates" in tree.text("tensorflow/lite/core/c/common.h") + tree.text(
        "tensorflow/lite/c/common.h"
    )
    return "node.intermediates = ints(its.intermediates);" if has_them else ""


class _Tables:
    """The plan as arrays in C++."""

    def __init__(self, program: Program, works: Sequence[Work]) -> None:
        self._program, self._works = program, works
        self.ports: dict[int, Port] = {}
        for work in works:
            for port in work.compiled.ports:
                self.ports.setdefault(port.index, port)
        self._number = {index: number for number, index in enumerate(self.ports)}
        self._scratch: list[str] = []

    def lines(self) -> Iterator[str]:
        """All of them."""
        for number, port in enumerate(self.ports.values()):
            yield from _arrays(number, port)
        rows = [self._tensor(number, port) for number, port in enumerate(self.ports.values())]
        yield "const Tensor tensors[kTensors] = {"
        yield from (f"  {row}," for row in rows or ["{}"])
        yield "};"
        kernels = [self._kernel(number, work) for number, work in enumerate(self._works)]
        for number, work in enumerate(self._works):
            one: Compiled = work.compiled
            for side in ("inputs", "outputs", "intermediates"):
                yield self._indices(f"{side}_{number}", getattr(one, side))
        yield f"const Scratch scratch[{max(len(self._scratch), 1)}] = {{"
        yield from (f"  {row}," for row in self._scratch or ["{0, 0}"])
        yield "};"
        yield "const Kernel kernels[kKernels] = {"
        yield from (f"  {row}," for row in kernels)
        yield "};"

    def _indices(self, name: str, indices: Sequence[int]) -> str:
        numbers = [self._number.get(index, -1) for index in indices]
        return f"const int {name}[] = {{{', '.join(map(str, (len(numbers), *numbers)))}}};"

    def _tensor(self, number: int, port: Port) -> str:
        program, tensor, at = self._program, port.tensor, port.at
        place = "{nullptr, -1}"
        if isinstance(at, Constant):
            place = f"{{{program.constant(at)}, -1}}"
        elif at is not None:
            place = f"{{nullptr, {program.layout.tensors[at.index]}}}"
        scales = _scales(port)
        nbytes = tensor.type.nbytes(int(np.prod(port.shape, dtype=np.int64)))
        facts = [f"dims_{number}", place, nbytes, type_name(tensor.type)]
        facts += ["true" if tensor.is_variable else "false", len(scales), _axis(port)]
        facts += [f"&scales_{number}", f"zeros_{number}"] if scales else ["nullptr", "nullptr"]
        facts.append(float_literal(scales[0]) if scales else "0.0f")
        return f"{{{', '.join(map(str, facts))}}}"

    def _kernel(self, number: int, work: Work) -> str:
        one, layout = work.compiled, self._program.layout
        layer, name = one.operator
        first = len(self._scratch)
        places = layout.scratch[layer]
        self._scratch += [
            f"{{{at}, {piece.bytes}}}" for at, piece in zip(places, one.scratch, strict=True)
        ]
        options = self._program.constant(one.options) if one.options is not None else ""
        facts = [
            f"[]() -> const Registration* {{ return {one.origin.function.pointer}; }}",
            layer,
            json.dumps(name),
            *(f"{side}_{number}" for side in ("inputs", "outputs", "intermediates")),
            f"reinterpret_cast<const char*>({options})" if options else "nullptr",
            one.options.values.nbytes if options else 0,
        ]
        for state in (one.persistent, one.parsed):
            facts += [layout.states[state], state.bytes] if state is not None else [0, 0]
        return f"{{{', '.join(map(str, [*facts, first, len(one.scratch)]))}}}"


def _arrays(number: int, port: Port) -> Iterator[str]:
    """The arrays that a tensor points to: dimensions, scales, zero points."""
    dims = ", ".join(map(str, (len(port.shape), *port.shape)))
    yield f"const int dims_{number}[] = {{{dims}}};"
    scales = _scales(port)
    if not scales:
        return
    count, values = len(scales), ", ".join(map(float_literal, scales))
    yield (
        f"const struct {{ int size; float data[{count}]; }} "
        f"scales_{number} = {{{count}, {{{values}}}}};"
    )
    zeros = [int(zero) for zero in port.tensor.quantization.zero_point]  # type: ignore[union-attr]
    zeros = zeros if len(zeros) == count else zeros[:1] * count
    yield f"const int zeros_{number}[] = {{{', '.join(map(str, (count, *zeros)))}}};"


def _scales(port: Port) -> list[float]:
    found = port.tensor.quantization
    return [float(one) for one in found.scale] if found and len(found.zero_point) else []


def _axis(port: Port) -> int:
    found = port.tensor.quantization
    return 0 if found is None else found.quantized_dimension


def type_name(type_: TensorType) -> str:
    """TFLM's name of a type: ``kTfLiteUInt8``."""
    name = type_.name
    return f"kTfLiteUInt{name[4:]}" if name.startswith("UINT") else f"kTfLite{name.capitalize()}"
