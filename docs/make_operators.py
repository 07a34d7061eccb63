"""Write ``docs/operators.md`` from the operators' own files: ``python docs/make_operators.py``.

Every sentence is a docstring: the operator's module says what it computes and what TFLM leaves
undefined, each of its constraints says what a model must fulfil.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from pathlib import Path

from arenite.ops import Registration, builtin, builtin_names, custom_names, mnn_names, module_name

PAGE = Path(__file__).resolve().parent / "operators.md"

HEAD = """\
# Operators

Made from the operators' files by `make docs`; do not edit.

Every operator runs where TensorFlow Lite Micro runs it and refuses what TensorFlow Lite
Micro refuses. The rows below are the constraints that are checked before `prepare`, word
for word as the error message gives them; `prepare` itself checks what needs arithmetic.
Options are given as `name = default`, in the schema's order. All are exported as C
as well ([firmware.md](firmware.md)).

## Models that TensorFlow Lite Micro runs and Arenite refuses

TensorFlow Lite Micro trusts a file. Here these are errors, because what they compute depends on
leftovers in memory, or on the order of a kernel's loops, or would need memory that is not theirs:

- **Operators out of order.** A tensor is read before an operator writes it, or nothing writes it;
  two operators write it; an operator writes an input of the graph, or an input of its own.
  Variables are free of that.
- **Another shape than the operator's.** The model declares an output with another number of
  elements than the operator computes.
- **As many elements in other dimensions** are an error for operators that count along them:
  {refused}; for FULLY_CONNECTED where the last dimension is another one, for SOFTMAX where it is
  smaller or the number of dimensions another one, for GATHER, GATHER_ND and BATCH_MATMUL where
  there are fewer dimensions, and for ADD, MAXIMUM, EQUAL and all others on inputs that broadcast,
  where these have different shapes. All others go through the elements in order, and the next
  operator sees them in the dimensions that the model declares, as on the device.
- **An offline plan in which an output overlaps an input** of the same operator that is still to be
  read, or two of its outputs or variables overlap. A lone output may begin below its input, as far
  as the operator's kernel on the target reads what is overwritten before, for {overlapping}.

## Models that both run, or only Arenite, with another result

`python -m tests.fuzz.differential` compares the two on changed models. What is left as it is:

- **Padding of more than 32,767.** TensorFlow Lite Micro keeps 16 bits of it, so that windows lie
  elsewhere (CONV_2D, DEPTHWISE_CONV_2D, the pools). Here they lie where the formula says.
- **A variable that has data in the file.** Its memory is set to its zero point as there; but the
  axes, shapes and sizes that are read when the operator is prepared are those of the file.
- **Options that no kernel reads**, such as the `output_type` of ARG_MAX and the `weights_format` of
  FULLY_CONNECTED, may have any value. TensorFlow Lite Micro refuses those that it does not know.
- **An intermediate tensor that is absent** (-1) counts for nothing. TensorFlow Lite Micro reads in
  front of its tensors.
"""
#: Operators for which TFLM counts along an output's declared dimensions.
REFUSED = (
    *("AVERAGE_POOL_2D", "BATCH_TO_SPACE_ND", "BROADCAST_TO", "CEIL", "CONCATENATION", "CONV_2D"),
    *("CUMSUM", "DEPTHWISE_CONV_2D", "EXP", "EXPAND_DIMS", "FILL", "L2_NORMALIZATION"),
    *("MAX_POOL_2D", "MIRROR_PAD", "PACK", "PAD", "PADV2", "PRELU", "RESIZE_BILINEAR"),
    *("RESIZE_NEAREST_NEIGHBOR", "ROUND", "SPACE_TO_BATCH_ND", "SPLIT", "SPLIT_V", "SQUEEZE"),
    *("STRIDED_SLICE", "SVDF", "TRANSPOSE", "TRANSPOSE_CONV", "UNIDIRECTIONAL_SEQUENCE_LSTM"),
)
#: How a paragraph of an operator's docstring begins that says what TFLM leaves undefined.
UNDEFINED = "Undefined in TFLM: "
#: And one of a custom operator that names the options in its file.
OPTIONS = "Options: "
CUSTOM = """\

# Custom operators

Those of TensorFlow Lite Micro. A file says their names letter by letter, and their options as a
FlexBuffer or in bytes of their own.
"""
MNN = """\

# Operators of .mnn files

What MNN computes and TensorFlow Lite's operators do not: [mnn.md](mnn.md). They come from `.mnn`
files only, and TensorFlow Lite Micro does not have them; MNN 3.6.1 is their measure. Their
options come from the file too, and have no place in a `.tflite` file.
"""


def page() -> str:
    """The whole page."""
    builtin_ones, custom, others = builtin_names(), custom_names(), mnn_names()
    head = HEAD.format(refused=", ".join(REFUSED), overlapping=", ".join(overlapping_names()))
    lines = [head, f"{len(builtin_ones)} builtin operators: {links(builtin_ones)}"]
    lines += map(section, builtin_ones)
    if custom:
        lines += [CUSTOM, f"{len(custom)} operators: {links(custom)}", *map(section, custom)]
    lines += [MNN, f"{len(others)} operators: {links(others)}", *map(section, others)]
    return "\n".join(lines)


def overlapping_names() -> list[str]:
    """The operators whose output may reach into an input."""
    found = ((name, builtin(name)) for name in builtin_names())
    return [name for name, one in found if one is not None and one.overlap is not None]


def links(names: list[str]) -> str:
    """The way to each section."""
    return " ".join(f"[{name}](#{name.lower()})" for name in names)


def section(name: str) -> str:
    """One operator: what it computes, its options and its constraints."""
    registration = builtin(name)
    assert registration is not None
    module = importlib.import_module(module_name(name))
    lines = ["", f"## {name}", "", summary(module.__doc__ or ""), ""]
    if said := paragraph(module.__doc__ or "", OPTIONS):
        lines += [f"{OPTIONS}{said}", ""]
    if undefined := paragraph(module.__doc__ or "", UNDEFINED):
        lines += [f"Undefined in TensorFlow Lite Micro: {undefined}", ""]
    if options := option_list(registration):
        lines += [f"Options: {options}.", ""]
    lines += [f"- {sentence}" for sentence in sentences(registration)]
    return "\n".join(lines) + "\n"


def summary(docstring: str) -> str:
    """The docstring's first paragraph, without the operator's name."""
    first = " ".join(inspect.cleandoc(docstring).split("\n\n")[0].split())
    _, _, text = first.partition(": ")
    text = text or first
    return text[0].upper() + text[1:]


def paragraph(docstring: str, beginning: str) -> str:
    """What follows the words that a paragraph begins with; empty where none does."""
    paragraphs = (" ".join(text.split()) for text in inspect.cleandoc(docstring).split("\n\n"))
    return " ".join(text[len(beginning) :] for text in paragraphs if text.startswith(beginning))


def option_list(registration: Registration) -> str:
    """``padding = 0, stride_w = 0, ...``."""
    if registration.options is None:
        return ""
    defaults = registration.options()
    names = [field.name for field in dataclasses.fields(defaults)]
    return ", ".join(f"`{name} = {getattr(defaults, name)!r}`" for name in names)


def sentences(registration: Registration) -> list[str]:
    """The constraints' docstrings, one line each."""
    return [" ".join((check.__doc__ or "").split()) for check in registration.constraints]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
