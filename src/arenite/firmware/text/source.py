"""A program as C: ``model.h``, ``model.c``, ``weights.c``, ``kernels.c`` and their headers.

Files are C11 that a C++ compiler takes as well. Nothing in them is global but the arena, which is
static, and constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from arenite.c_text import c_elements, call_of, fill, float_literal, indented, templates, text_file
from arenite.cores import CORES, DEFAULT, Instructions
from arenite.firmware.network.kernel import Routine, text_of
from arenite.firmware.network.layers import Value
from arenite.firmware.plan.program import Kept, Program
from arenite.firmware.streaming.driver import Names, driver_of, helpers_of
from arenite.firmware.text.arithmetic import arithmetic_h
from arenite.firmware.text.assembly import commented
from arenite.firmware.text.headers import includes, own_headers
from arenite.firmware.text.weights import declarations, definitions
from arenite.model import TensorType
from arenite.model.text import printable

_C = templates(__name__)

_ABOUT_INPUTS = {
    "overwritten": "Inputs lie in that arena and are overwritten by an inference. An output may "
    "lie where an\n * input does: read it before you write the next input.",
    "apart": "Inputs lie in that arena and are overwritten by an inference. No output lies where "
    "an input\n * does: the next input may be written while the last output is read.",
    "kept": "Inputs lie in that arena, and inferences leave them as they are.",
    "rows": "Rows of the input are asked for when they are needed; they lie nowhere as a whole.",
}

_ONE = "/* One inference. */"
_SHARING = (
    "Others may use it between inferences:\n * write all inputs after they did.",
    "It holds what inferences remember:\n * nothing else may write to it.",
)

_SCALE = """
#define ${PORT}_SCALE $scale
#define ${PORT}_ZERO_POINT $zero"""


#: Types whose ports have helpers to quantise, and their ranges.
_RANGES = {
    TensorType.INT8: (-128, 127),
    TensorType.UINT8: (0, 255),
    TensorType.INT16: (-32768, 32767),
}

#: Types whose elements are bytes in C.
_BYTES = (TensorType.UINT8, TensorType.BOOL)


def sources(program: Program, processor: str = DEFAULT, *, model_hash: str = "") -> dict[str, str]:
    """The text of every C file by its name.

    Args:
        program: What they compute.
        processor: What assembly is for.
        model_hash: The model's SHA-256, where it is known.
    """
    kernels, headers = _kernels_c(program), own_headers(program.routines)
    files = {
        "model.h": _model_h(program, model_hash),
        "model.c": _model_c(program),
        "arithmetic.h": arithmetic_h("".join([kernels, *headers.values()])),
        **headers,
        "kernels.h": _kernels_h(program),
        "kernels.c": kernels,
        "weights.h": _weights_h(program),
        "weights.c": definitions(program),
        **_own_kernels(program),
    }
    assembly = "".join(
        commented(
            text_of(routine, program.routines, program.name),
            program.function(routine),
            routine.about,
            routine.parameters,
        )
        for routine in program.routines
        if routine.language == "s"
    )
    if assembly:
        core, name = CORES[processor], program.name.upper()
        instructions, defined = _INSTRUCTIONS[core.instructions]
        head = fill(
            _HEAD,
            processor=processor,
            instructions=instructions,
            defined=defined,
            zig=core.clang,
            NAME=name,
        )
        files["kernels.S"] = f"{head}\n\n{assembly}"
    return files


def _own_kernels(program: Program) -> dict[str, str]:
    """Files of C++ around users' kernels."""
    if not program.compiled:
        return {}
    from arenite.firmware.compiled.source import own_kernels  # noqa: PLC0415 - needs the engine

    return own_kernels(program)


_HEAD = text_file(__name__, "kernels_head.S")
#: What assembly takes, and how a preprocessor knows that it is there.
_INSTRUCTIONS: dict[Instructions, tuple[str, str]] = {
    "plain": ("Thumb instructions", "defined(__thumb__)"),
    "dsp": (
        "Thumb-2 with the DSP extension",
        "defined(__ARM_FEATURE_DSP) && defined(__thumb2__)",
    ),
}


def _guarded(guard: str, includes: tuple[str, ...], body: str) -> str:
    lines = "\n".join(f"#include {one}" for one in includes)
    return fill(_C["guarded"], guard=guard, includes=lines, body=body) + "\n"


# -- the interface ------------------------------------------------------------------------


def _model_h(program: Program, model_hash: str) -> str:
    name, network = program.name, program.network
    state = sum(one.bytes for one in program.kept)
    ports = [_port(program, "input", i, value) for i, value in enumerate(network.inputs)]
    ports += [_port(program, "output", i, value) for i, value in enumerate(network.outputs)]
    if program.compiled:
        ports.append(fill(_C["own"], name=name, NAME=name.upper()))
    body = fill(
        _C["api"],
        title=name,
        name=name,
        NAME=name.upper(),
        hash=model_hash,
        arena=program.arena_bytes,
        state=state,
        sharing=_SHARING[state > 0],
        constants=program.constant_bytes,
        layers=len(network.layers),
        inputs=len(network.inputs),
        outputs=len(network.outputs),
        remembers=f"this network remembers {f'{state:,} bytes' if state else 'nothing'}",
        ports="\n\n".join(ports),
        about_inputs=_ABOUT_INPUTS[program.inputs],
        in_pieces=", row by row where there is no more of it" if program.groups else "",
        **_rows(program),
    )
    return _guarded(f"{name.upper()}_MODEL_H", ("<stddef.h>", "<stdint.h>"), body)


def _port(program: Program, side: str, index: int, value: Value) -> str:
    name, port = program.name, f"{side}{index}"
    type_ = c_elements(value.type, value.size)[0]
    text = _C["port"]
    low, high = _RANGES.get(value.type, (0, 0))
    helpers = high > 0 and 0 < value.scale < np.inf
    if helpers:
        text += f"{_SCALE}\n\n{_C['quantize']}"
    return fill(
        text,
        text=_commented(f"{side} {index}, {_element(value)}: {printable(value.name)}"),
        PORT=f"{name}_{port}".upper(),
        name=name,
        port=port,
        what=side,
        type=type_,
        size=value.size,
        bytes=value.nbytes,
        rank=len(value.shape),
        shape=", ".join(map(str, value.shape)) or "1",
        scale=float_literal(value.scale),
        zero=value.zero_point,
        low=low,
        high=high,
        bound=4 * (high + 1 - low),
    )


def _element(value: Value) -> str:
    """Type of an element; bytes hold it where C has no such type."""
    kind, count = c_elements(value.type, value.size)
    is_own = (kind != "uint8_t" and count == value.size) or value.type in _BYTES
    return kind if is_own else f"{value.type} in bytes"


def _commented(text: str) -> str:
    """A file's words, which cannot end a comment or continue a line."""
    return text.translate({ord("/"): "|", ord("\\"): "|", ord("?"): "."})


# -- the driver ---------------------------------------------------------------------------


def _model_c(program: Program) -> str:
    network, places = program.network, program.layout.tensors
    inputs, outputs = (
        "\n".join(
            f"case {i}: return arena + {places[value.index]};"
            for i, value in enumerate(side)
            if value.index in places
        )
        for side in (network.inputs, network.outputs)
    )
    text = fill(
        _C["model_c"],
        name=program.name,
        NAME=program.name.upper(),
        inputs=inputs,
        outputs=outputs,
        first=_fills([one for one in program.kept if one.fill]),
        reset="\n".join(_resets(program)),
        layers="\n".join(_steps(program)),
        begun=f"{program.name}_prepare_kernels(arena)"
        if program.compiled
        else f"{program.name.upper()}_OK",
        groups=_groups(program),
        **_rows(program),
    )
    return text + "\n"


def _rows(program: Program) -> dict[str, str]:
    """Lines of the interface for who delivers rows, if they are delivered."""
    names = {"delivery": _ONE, "rows_only": "void", "rows": "", "rows_passed": ""}
    if program.inputs != "rows":
        return names
    name, only = program.name, f"{program.name}_row_fn rows, void *rows_user"
    delivery = fill(_C["delivery"], name=name, NAME=name.upper(), bytes=program.row_bytes)
    return {
        "delivery": f"{delivery}\n\n{_ONE}",
        "rows_only": only,
        "rows": f"{only}, ",
        "rows_passed": "rows, rows_user, ",
    }


def _groups(program: Program) -> str:
    """A function for every group."""
    places, texts = program.layout.tensors, []
    made = zip(program.groups, program.group_functions, program.layout.blocks, strict=True)
    for group, name, block in made:
        rows = _rows(program)["rows"] if group.is_fed else ""
        parameters = f"{rows}{program.name}_observer observer, void *user"
        names = Names(program.function, program.constant, places, block, parameters)
        texts.append(driver_of(group, name, names))
    return "\n".join(["", *helpers_of(texts), *texts]) if texts else ""


def _fills(kept: Sequence[Kept]) -> str:
    """Statements that give bytes their first values."""
    lines = (
        f"for (size_t i = 0; i < {one.bytes}; ++i) arena[{one.offset} + i] = {one.fill};"
        for one in kept
    )
    return "\n".join(lines) or "/* nothing */"


def _resets(program: Program) -> Iterator[str]:
    """Statements that forget what inferences remember."""
    yield _fills([one for one in program.kept if one.is_reset])
    if program.compiled:
        yield f"{program.name}_reset_kernels();"


def _steps(program: Program) -> Iterator[str]:
    if program.compiled:
        yield "int status;"
    for layer in program.network.layers:
        group = program.group(layer.index)
        if group is not None:
            if layer.index == group.first:
                yield f"/* {group.first} to {group.end - 1}, row by row */"
                rows = _rows(program)["rows_passed"] if group.is_fed else ""
                name = program.group_functions[program.groups.index(group)]
                yield f"{name}({rows}observer, user);"
            continue
        yield f"/* {layer.index}: {layer} */"
        call = program.call(layer.index)
        if call:
            yield call
        if not layer.outputs:
            yield f'TOLD({layer.index}, "{layer.name}", NULL, 0);'
        for value in layer.outputs:
            place = program.layout.tensors[value.index]
            yield f'DONE({layer.index}, "{layer.name}", {place}, {value.nbytes});'


# -- kernels and constants ----------------------------------------------------------------


def _weights_h(program: Program) -> str:
    body = declarations(program) or "/* no constants */"
    body = f"{_section(program, 'CONST')}\n\n{body}"
    return _guarded(f"{program.name.upper()}_WEIGHTS_H", ("<stdint.h>",), body)


def _section(program: Program, what: str) -> str:
    """The macro of attributes for what may have a section of its own."""
    return fill(_C["section"], NAME=program.name.upper(), WHAT=what)


def _prototype(program: Program, routine: Routine, attributes: str = "") -> str:
    name = f"{program.name}_{program.routines[routine]}"
    return call_of(f"{attributes}void {name}", routine.parameters)


def _kernels_h(program: Program) -> str:
    lines = [_section(program, "CODE"), ""]
    for routine in program.routines:
        if routine.language == "cc":
            continue
        prototype = _prototype(program, routine, f"{program.name.upper()}_CODE ")
        lines += [f"/* {routine.about} */", f"{prototype};"]
    lines += _compiled_h(program)
    body = "\n".join(lines)
    return _guarded(f"{program.name.upper()}_KERNELS_H", ("<stdint.h>",), body)


def _compiled_h(program: Program) -> Iterator[str]:
    """Functions that run a user's kernels in C++."""
    if not program.compiled:
        return
    yield "/* Operators that kernels of yours run, in own_kernels.cc. */"
    yield f"int {program.name}_prepare_kernels(uint8_t *memory);"
    yield f"void {program.name}_reset_kernels(void);"
    for work in program.compiled:
        assert work.routine is not None
        yield f"/* {work.routine.about} */"
        yield f"int {program.function(work.routine)}(void);"


#: Products and sums are rounded each for itself. GCC does so where it is told the standard.
_UNCONTRACTED = ("#ifdef __clang__", "#pragma STDC FP_CONTRACT OFF", "#endif", "")


def _kernels_c(program: Program) -> str:
    lines = ['#include "kernels.h"', "", *includes(program.routines), "", *_UNCONTRACTED]
    for routine in program.routines:
        if routine.language == "c":
            body = indented(text_of(routine, program.routines, program.name))
            lines += [f"{_prototype(program, routine)} {{", body, "}", ""]
    return "\n".join(lines)
