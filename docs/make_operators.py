"""Write ``docs/operators.md`` from the operators' own files: ``python docs/make_operators.py``.

Every sentence is a docstring: the operator's module says what it computes, each of its
constraints says what a model must fulfil.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from pathlib import Path

from arenite.ops import Registration, builtin, builtin_names, mnn_names, module_name

PAGE = Path(__file__).resolve().parent / "operators.md"

HEAD = """\
# Operators

Made from the operators' files by `make docs`; do not edit.

Every operator runs where TensorFlow Lite Micro runs it and refuses what TensorFlow Lite
Micro refuses. The rows below are the constraints that are checked before `prepare`, word
for word as the error message gives them; `prepare` itself checks what needs arithmetic.
Options are given as `name = default`, in the schema's order.
"""
MNN = """\

# Operators of .mnn files

What MNN computes and TensorFlow Lite's operators do not: [mnn.md](mnn.md). They come from `.mnn`
files only, and TensorFlow Lite Micro does not have them; MNN 3.6.1 is their measure. Their
options come from the file too, and have no place in a `.tflite` file.
"""


def page() -> str:
    """The whole page."""
    builtin_ones, others = builtin_names(), mnn_names()
    lines = [HEAD, f"{len(builtin_ones)} builtin operators: {links(builtin_ones)}"]
    lines += map(section, builtin_ones)
    lines += [MNN, f"{len(others)} operators: {links(others)}", *map(section, others)]
    return "\n".join(lines)


def links(names: list[str]) -> str:
    """The way to each section."""
    return " ".join(f"[{name}](#{name.lower()})" for name in names)


def section(name: str) -> str:
    """One operator: what it computes, its options and its constraints."""
    registration = builtin(name)
    assert registration is not None
    module = importlib.import_module(module_name(name))
    lines = ["", f"## {name}", "", summary(module.__doc__ or ""), ""]
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
