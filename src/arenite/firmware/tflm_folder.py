"""A model as a folder for a firmware with TensorFlow Lite Micro: the other export.

For those who stay with TFLM: the model as an aligned array, a resolver with just its operators, the
arena that it takes on the target, a program around them, and a self-test with what an inference
shall give there.

Facts: TFLM's ``micro/micro_mutable_op_resolver.h``, ``micro/micro_interpreter.h`` and
``micro/examples/hello_world``; a model's array is aligned as a FlatBuffer asks for (16).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from arenite.analysis.resolver_code import Resolver, resolver
from arenite.c_text import C_TYPES, code_span, fill, initializer
from arenite.cores import DEFAULT
from arenite.errors import UnsupportedOperatorError
from arenite.firmware.folder.exported import manifest_facts
from arenite.firmware.folder.manifest import MANIFEST
from arenite.firmware.folder.writing import check_room, write_folder
from arenite.firmware.network.names import c_name
from arenite.firmware.plan.golden import SAMPLES, sample
from arenite.firmware.text.tflm_text import HEADER, MAIN, README, SELFTEST
from arenite.formats import Source, model_of
from arenite.formats.tflite_write import write
from arenite.model import Model, Tensor, TensorType
from arenite.ops.context import Array
from arenite.runtime.interpreter import Interpreter
from arenite.target import Target, find_target


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
    needed = resolver(model)
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
    files = _files(model, result, needed, interpreter, data)
    result = replace(result, files=(*files, MANIFEST))
    return replace(result, kept=write_folder(place, files, manifest_facts(tflm_facts(result))))


def tflm_facts(result: TflmExport) -> dict[str, Any]:
    """What ``arenite export --library tflm --json`` prints; see ``docs/cli.md`` for the keys."""
    facts = {key: value for key, value in vars(result).items() if key != "folder"}
    return {"library": "tflm", **facts}


def _files(
    model: Model, result: TflmExport, needed: Resolver, interpreter: Interpreter, data: bytes
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
        f"src/{name}_model.h": fill(HEADER, **words, **_registrations(needed)),
        f"src/{name}_model.cc": f'#include "{name}_model.h"\n\n'
        f"alignas(16) const unsigned char {name}_model[{len(data)}] = {array};",
        f"src/{name}_selftest.cc": fill(SELFTEST, **words, **_golden(model, interpreter)),
        "src/main.cc": fill(MAIN, **words),
        "README.md": fill(README, **words, source=f" from {code_span(source)}" if source else ""),
    }
    return {path: text + "\n" for path, text in texts.items()}


def _registrations(needed: Resolver) -> dict[str, str]:
    """The resolver's lines, and declarations of custom operators' functions."""
    calls = [line.rstrip(";") for line in needed.lines[1:]]
    customs = [call.rsplit(", ", 1)[1][:-1] for call in calls if "AddCustom(" in call]
    return {
        "calls": "\n".join(f"TF_LITE_ENSURE_STATUS({call});" for call in calls),
        "customs": "".join(f"\nTFLMRegistration* {one};  // yours" for one in customs),
    }


def _golden(model: Model, interpreter: Interpreter) -> dict[str, Any]:
    """What the self-test's samples shall give, inference by inference."""
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
