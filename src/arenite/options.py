"""Checks of the arguments of public functions, where they come in.

>>> @takes(threads=whole(1, 1024))
... def run(model, threads=1): ...
>>> run("kws.tflite", threads=0)
Traceback (most recent call last):
ValueError: threads: expected an integer from 1 to 1024, got 0

A check is a function of a parameter's name and its value that raises :class:`TypeError` where the
type is wrong and :class:`ValueError` where the value is.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NoReturn, TypeVar, cast

Check = Callable[[str, Any], object]
F = TypeVar("F", bound=Callable[..., Any])

_SHOWN = 60  # characters of a value that an error repeats


def takes(**checks: Check) -> Callable[[F], F]:
    """Check a function's arguments by name before it is called; defaults are left alone."""

    def decorate(function: F) -> F:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        unknown = checks.keys() - set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        assert not unknown, f"{function.__qualname__} has no {unknown}"

        @wraps(function)
        def called(*args: Any, **named: Any) -> Any:
            for name, value in (*zip(names, args, strict=False), *named.items()):
                if name in checks:
                    checks[name](name, value)
            return function(*args, **named)

        return cast("F", called)

    return decorate


def shown(value: object) -> str:
    """A value as an error repeats it: short ones as they are, of all others the type."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        # Integers beyond 4,300 digits have no text.
        long = isinstance(value, int) and value.bit_length() > 200
        text = "an integer of more than 200 bits" if long else repr(value)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return type(value).__name__


def refuse(name: str, expected: str, value: object, kind: type[Exception] = TypeError) -> NoReturn:
    """Raise the error of a value that is not what was expected."""
    raise kind(f"{name}: expected {expected}, got {shown(value)}")


def whole(least: int | None = None, most: int | None = None) -> Check:
    """An integer, Python's or NumPy's, and no truth value; both bounds are allowed."""
    limits = {
        (False, False): "an integer",
        (True, False): f"an integer of {least} or more",
        (False, True): f"an integer of at most {most}",
        (True, True): f"an integer from {least} to {most}",
    }
    expected = limits[least is not None, most is not None]

    def check(name: str, value: Any) -> None:
        try:
            number = operator.index(value)
        except TypeError:
            number = None
        if number is None or isinstance(value, bool):
            refuse(name, expected, value)
        if (least is not None and number < least) or (most is not None and number > most):
            refuse(name, expected, value, ValueError)

    return check


def real(least: float = -math.inf, expected: str = "a number") -> Check:
    """A finite number of at least ``least``."""

    def check(name: str, value: Any) -> None:
        try:
            number = float(value) if not isinstance(value, str | bytes | bool) else None
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None:
            refuse(name, expected, value)
        if not math.isfinite(number) or number < least:
            refuse(name, expected, value, ValueError)

    return check


def one_of(names: Iterable[str]) -> Check:
    """One of some words."""
    known = tuple(names)

    def check(name: str, value: Any) -> None:
        if not isinstance(value, str):
            refuse(name, f"one of {', '.join(known)}", value)
        if value not in known:
            refuse(name, f"one of {', '.join(known)}", value, ValueError)

    return check


def instance(*kinds: type, expected: str) -> Check:
    """An object of one of some types; ``expected`` says which, with an article."""

    def check(name: str, value: Any) -> None:
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            refuse(name, expected, value)

    return check


def optional(check: Check) -> Check:
    """None, or what another check takes."""

    def either(name: str, value: Any) -> None:
        if value is not None:
            check(name, value)

    return either


def function(name: str, value: Any) -> None:
    """Something that can be called."""
    if not callable(value):
        refuse(name, "a function", value)


def several(check: Check, expected: str) -> Check:
    """A list, tuple or other collection of what another check takes; no text."""

    def each(name: str, value: Any) -> None:
        is_scalar = getattr(value, "ndim", 1) == 0  # an array that has no items
        if isinstance(value, str | bytes) or is_scalar or not isinstance(value, Iterable):
            refuse(name, expected, value)
        # A generator is read once, by the function.
        for item in value if hasattr(value, "__len__") else ():
            check(name, item)

    return each


def mapping(check: Check | None = None) -> Check:
    """A dictionary from names, to what another check takes."""

    def each(name: str, value: Any) -> None:
        if not hasattr(value, "keys") or not hasattr(value, "__getitem__"):
            refuse(name, "a dictionary with names as keys", value)
        for key in value:
            text(name, key)
            if check is not None:
                check(f"{name}[{shown(key)}]", value[key])

    return each


text = instance(str, expected="text")
flag = instance(bool, expected="True or False")
path = instance(str, os.PathLike, expected="a path")
function_or_none = optional(function)
