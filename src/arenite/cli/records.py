"""Options that several commands have, as records: a record's fields are options of its commands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from inspect import Parameter
from typing import Any, get_args


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters that are dataclasses become options, one per field.

    The command gets the record. ``Annotated[Record, ("board", "target")]`` are those options alone,
    in that order; other fields keep their defaults.
    """
    signature = inspect.signature(command, eval_str=True)
    every, records = list[Parameter](), dict[str, tuple[Any, list[str]]]()
    for one in signature.parameters.values():
        record, *names = get_args(one.annotation) or (one.annotation,)
        if is_dataclass(record):
            options = list(options_of(record, *names))
            records[one.name] = record, [option.name for option in options]
            every += options
        else:
            every.append(one)

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        for name, (record, options) in records.items():
            arguments[name] = record(**{option: arguments.pop(option) for option in options})
        command(**arguments)

    run.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in every}
    return run


def options_of(record: Any, names: tuple[str, ...] = ()) -> Iterator[Parameter]:
    """Fields of a record as a command's parameters: all, or those named."""
    found: dict[str, Any] = {}
    for one in reversed(record.__mro__):
        found |= inspect.get_annotations(one, eval_str=True)
    for name in names or found:
        default = getattr(record, name)
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=found[name])
