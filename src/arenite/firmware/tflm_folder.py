"""A model as a folder for a firmware with TensorFlow Lite Micro: the other export.

For those who stay with TFLM: the model as an aligned array, a resolver with just its operators, the
arena that it takes on the target, a program around them, and a self-test with what an inference
shall give there.

Facts: TFLM's ``micro/micro_mutable_op_resolver.h``, ``micro/micro_interpreter.h`` and
``micro/examples/hello_world``; a model's array is aligned as a FlatBuffer asks for (16).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arenite.analysis.resolver_code import Resolver, resolver
from arenite.c_text import C_TYPES, code_span, fill, initializer
from arenite.cores import DEFAULT
from arenite.errors import UnsupportedOperatorError
from arenite.firmware.folder.exported import manifest_facts
from arenite.firmware.folder.manifest import MANIFEST
from arenite.firmware.folder.writing import check_room, write_folder
from arenite.firmware.network.names import SOURCES, c_name
from arenite.firmware.plan.golden import SAMPLES, sample
from arenite.firmware.text.tflm_text import HEADER, MAIN, README, SELFTEST
from arenite.formats import Source, model_of
from arenite.formats.tflite_write import write
from arenite.model import Model, Tensor, TensorType
from arenite.ops.context import Array
from arenite.runtime.interpreter import Interpreter
from arenite.target import Target, find_target

if TYPE_CHECKING:  # they need the native engine
    from arenite.kernels.build import Origin
    from arenite.kernels.symbols import Function


@dataclass(frozen=True)
class TflmExport:
    """A folder for TFLM that was written.

    Attributes:
        folder: Where.
        name: What all names in C++ begin with.
        target: The firmware that the arena and the golden outputs are of.
        arena_bytes: The smallest arena that TFLM allocates the model's tensors in there.
        model_bytes: The model's array in flash.
        operators: The resolver's size.
        files: Names of all files.
        kept: Files that were changed since the export before, as main.cc is meant to be, and
            stayed as they were.
    """

    folder: str
    name: str
    target: str
    arena_bytes: int
    model_bytes: int
    operators: int
    files: tuple[str, ...]
    kept: tuple[str, ...] = ()


def export_tflm(
    model: Model | Source,
    folder: str | os.PathLike[str],
    *,
    target: Target | str | None = DEFAULT,
    name: str | None = None,
) -> TflmExport:
    """Write a model for a firmware with TFLM.

    Sources of a user's own C++ kernels, where those run it, come along.

    Args:
        model: A model, a file's path, or a file's bytes.
        folder: A new or empty folder, or one that was exported before.
        target: The firmware: its memory and bits. None is TFLM on this machine.
        name: What all names in C++ begin with; by default the file's.

    Raises:
        UnsupportedOperatorError: TFLM has no kernels for some operators; names them all.
        FileExistsError: There are other files in the folder, sources that were changed since they
            were exported, or links.
        ValueError: The name is no C identifier in lower case.
        OSError: A file cannot be written.
    """
    model = model_of(model)
    meant = find_target(target)
    origins = _origins(model)
    functions = {operator: one.function for operator, one in origins.items()}
    needed = resolver(model, {name: one.pointer for name, one in functions.items()})
    if needed.missing:
        missing = list(needed.missing)
        raise UnsupportedOperatorError(f"TFLM has no {', '.join(missing)}", missing)
    place, data = Path(os.fspath(folder)), write(model)
    check_room(place)
    interpreter = Interpreter(model, target=meant)
    result = TflmExport(
        str(place),
        c_name(model.source, name),
        meant.processor,
        interpreter.arena.size,
        len(data),
        max(needed.operators, 1),
        (),
    )
    customs = _declared(needed, functions)
    files = _files(model, result, interpreter, data, {"calls": _calls(needed), "customs": customs})
    files |= _own_sources([*origins.values()], files)
    result = replace(result, files=(*files, MANIFEST))
    return replace(result, kept=write_folder(place, files, manifest_facts(tflm_facts(result))))


def _origins(model: Model) -> Mapping[str, Origin]:
    """Where the C++ kernels are from that run the model's operators."""
    if not model.registrations:
        return {}
    from arenite.kernels.compile import origins_of  # noqa: PLC0415 - needs the engine

    return origins_of(model)


def _own_sources(origins: Collection[Origin], files: Collection[str]) -> dict[str, str]:
    if not origins:
        return {}
    from arenite.firmware.compiled.folder import own_sources  # noqa: PLC0415 - needs the engine

    names = [path.removeprefix(f"{SOURCES}/") for path in files]
    return {f"{SOURCES}/{name}": text for name, text in own_sources(origins, names).items()}


def tflm_facts(result: TflmExport) -> dict[str, Any]:
    """Facts of ``arenite export --library tflm --json``; see ``docs/cli.md`` for the keys."""
    facts = {key: value for key, value in vars(result).items() if key != "folder"}
    return {"library": "tflm", **facts}


def _files(
    model: Model, result: TflmExport, interpreter: Interpreter, data: bytes, lines: dict[str, str]
) -> dict[str, str]:
    name = result.name
    camel = "".join(part.capitalize() for part in name.split("_"))
    words = {
        "name": name,
        "NAME": name.upper(),
        "Name": camel,
        "arena": result.arena_bytes,
        "bytes": len(data),
        "operators": result.operators,
        "target": result.target,
    }
    source = Path(model.source).name
    array = initializer(np.frombuffer(data, np.uint8))
    texts = {
        f"src/{name}_model.h": fill(HEADER, **words, **lines),
        f"src/{name}_model.cc": f'#include "{name}_model.h"\n\n'
        f"alignas(16) const unsigned char {name}_model[{len(data)}] = {array};",
        f"src/{name}_selftest.cc": fill(SELFTEST, **words, **_golden(model, interpreter)),
        "src/main.cc": fill(MAIN, **words),
        "README.md": fill(README, **words, source=f" from {code_span(source)}" if source else ""),
    }
    return {path: text + "\n" for path, text in texts.items()}


def _calls(needed: Resolver) -> str:
    """The resolver's lines."""
    calls = [line.rstrip(";") for line in needed.lines[1:]]
    return "\n".join(f"TF_LITE_ENSURE_STATUS({call});" for call in calls)


def _declared(needed: Resolver, own: Mapping[str, Function]) -> str:
    """Declarations of a user's functions, those in C++ that are elsewhere among them."""
    known = [one.pointer for one in own.values()]
    calls = [line for line in needed.lines if "AddCustom(" in line]
    functions = [call.rstrip(";").rsplit(", ", 1)[1][:-1] for call in calls]
    elsewhere = [one for one in functions if one not in known]
    lines = [f"TFLMRegistration* {one};  // yours" for one in elsewhere]
    lines += dict.fromkeys(one.declaration for one in own.values())
    return "".join(f"\n{line}" for line in lines)


def _golden(model: Model, interpreter: Interpreter) -> dict[str, Any]:
    """Outputs that the self-test expects of its samples, inference by inference."""
    rows = [_outputs(interpreter(*sample(model.inputs, number))) for number in range(SAMPLES)]
    arrays = []
    for index, tensor in enumerate(model.outputs):
        values = np.stack([row[index].reshape(-1) for row in rows])
        kind = C_TYPES[tensor.type.dtype]
        shape = f"[{SAMPLES}][{values.shape[1]}]"
        lines = ",\n".join(initializer(row) for row in values)
        arrays.append(f"const {kind} golden{index}{shape} = {{\n{lines}\n}};")
    checks = (
        fill(_CHECK, index=index, kind=C_TYPES[tensor.type.dtype], size=tensor.size)
        for index, tensor in enumerate(model.outputs)
    )
    inputs = (_write_input(index, tensor) for index, tensor in enumerate(model.inputs))
    return {
        "samples": SAMPLES,
        "golden": "\n".join(arrays),
        "inputs": "\n".join(inputs),
        "checks": "\n".join(checks),
    }


def _outputs(result: Array | tuple[Array, ...]) -> tuple[Array, ...]:
    return result if isinstance(result, tuple) else (result,)


#: A byte of a sample as the types have it, as in :func:`arenite.firmware.text.selftest.sample`.
_VALUES = {
    TensorType.FLOAT32: "static_cast<float>(byte) / 32.0f",
    TensorType.UINT8: "static_cast<uint8_t>(byte + 128)",
    TensorType.INT16: "static_cast<int16_t>(byte * 256 + (byte + 128))",
    TensorType.BOOL: "(byte & 1) != 0",
}

_CHECK = """\
failures += Compare(sample, $index,
                    static_cast<const $kind*>(interpreter.output($index)->data.data),
                    golden$index[sample], $size);"""
_INPUT = """\
auto* input$index = static_cast<$kind*>(interpreter.input($index)->data.data);
for (int i = 0; i < $size; ++i) {
  const int byte = NextByte(sample, seed);
  input$index[i] = $value;
}"""


def _write_input(index: int, tensor: Tensor) -> str:
    kind = C_TYPES[tensor.type.dtype]
    value = _VALUES.get(tensor.type, f"static_cast<{kind}>(byte)")
    return fill(_INPUT, index=index, kind=kind, size=tensor.size, value=value)
