"""``--ops``: a user's own operators, from a Python module that is named on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from arenite.cli.kernels import compiled, for_model, given_kernels
from arenite.errors import AreniteError

if TYPE_CHECKING:
    from arenite import Model, Registration

#: The name that a module gives its operators.
HOOK = "OPERATORS"
_LIKE = f"{HOOK} = {{'SMOOTH': ar.Registration(...)}}"

Ops = Annotated[
    Path | None,
    typer.Option(
        "--ops",
        metavar="MODULE.py",
        help=f"A Python module with the model's own operators, as {HOOK} = {{name: registration}}.",
    ),
]


class OperatorsError(AreniteError):
    """A module of operators cannot be imported, or has none."""


def load_model(path: str | Path, ops: Path | None) -> Model:
    """A model, with the operators of ``--ops`` and ``--kernels``.

    Raises:
        AreniteError: The model, or the module of its operators, is no such thing; kernels do not
            compile; or one is for an operator that Arenite has, without ``--replace``.
        OSError: A file cannot be read.
    """
    from dataclasses import replace

    from arenite import load
    from arenite.ops import named

    model, operators = load(path), chosen_operators(ops)
    if not operators:
        return model
    fitting = for_model(operators, model)
    try:
        return replace(model, registrations=named(fitting, replace=given_kernels().replace))
    except ValueError as error:
        raise OperatorsError(str(error)) from None


def chosen_operators(ops: Path | None) -> dict[str, Registration] | None:
    """The operators of ``--ops`` and of ``--kernels``; None where there are none.

    Raises:
        AreniteError: The module has none, or the kernels do not compile.
        OSError: A file cannot be read.
    """
    from arenite.ops.resolvers import Replacing

    operators = {} if ops is None else read_operators(ops)
    found = {**operators, **(compiled(given_kernels()) or {})}
    return (Replacing(found) if given_kernels().replace else found) or None


def read_operators(path: Path) -> dict[str, Registration]:
    """The operators of a module: its dict ``OPERATORS``.

    Raises:
        OperatorsError: The module cannot be imported, or has no such dict of registrations.
        OSError: There is no such file.
    """
    from arenite.ops import named

    operators = getattr(_run(path), HOOK, None)
    if not isinstance(operators, Mapping) or not operators:
        got = "none" if operators is None else repr(operators)
        raise OperatorsError(f"{path}: expected a dict such as {_LIKE}, got {got}")
    try:
        return named(operators, replace=True)
    except (TypeError, ValueError) as error:
        raise OperatorsError(f"{path}: {HOOK}: {error}") from None


def _run(path: Path) -> ModuleType:
    """The module in a file, run as a script would be: its neighbours can be imported."""
    from arenite.files import open_regular

    with open_regular(path) as file:
        source = file.read()
    # Under a name of its own, so that its classes and functions are found by who looks for them.
    spec = spec_from_loader(f"arenite_ops_{path.stem}", loader=None, origin=str(path))
    assert spec is not None
    module = module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[spec.name] = module
    try:
        with _neighbours(path):
            exec(compile(source, str(path), "exec"), vars(module))
    except Exception as error:
        what = f"{type(error).__name__}: {_words(error)}"
        raise OperatorsError(f"{path}, line {_line(error, path)}: {what}") from error
    return module


@contextmanager
def _neighbours(path: Path) -> Iterator[None]:
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _words(error: Exception) -> str:
    return error.msg if isinstance(error, SyntaxError) else str(error)


def _line(error: Exception, path: Path) -> int:
    """The line of the module in which an error arose, or from which it came."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    line, trace = 1, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
