"""The dictionary that ``createSession`` takes.

Facts: MNN 3.6.1 ``pymnn/src/util.h`` (``getScheduleConfig``), ``include/MNN/Interpreter.hpp``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import index as as_index
from typing import Any

from arenite.mnn.session.constants import CPU

#: Names of backends that MNN's package takes, and those that compute on the CPU.
BACKENDS = ("CPU", "OPENCL", "OPENGL", "VULKAN", "METAL", "TRT", "CUDA", "HIAI", "NN", "AUTO")
_ON_CPU = ("CPU", "AUTO", CPU, 4)  # MNN_FORWARD_AUTO is 4
_LEVELS = ("normal", "high", "low")
_PRECISIONS = (*_LEVELS, "Low_BF16")


@dataclass(frozen=True)
class ScheduleConfig:
    """Wishes for a session.

    ``save_tensors`` are outputs beside the model's own; ``input_paths`` and ``output_paths``
    name operators, and cut the net to what leads from the former to the latter. ``threads``
    is kept for ``getSessionInfo``: a session computes on one thread.
    """

    threads: int = 4
    save_tensors: tuple[str, ...] = ()
    input_paths: tuple[str, ...] = ()
    output_paths: tuple[str, ...] = ()


def schedule_config(config: Mapping[str, Any] | None) -> ScheduleConfig:
    """Read the dictionary; None is the default.

    Raises:
        TypeError: It is no dictionary, or a value has the wrong type.
        ValueError: A backend, precision, power or memory mode is not known.
    """
    if config is None:
        return ScheduleConfig()
    if not isinstance(config, Mapping):
        raise TypeError(f"createSession: expected a dict, got {type(config).__name__}")
    values = {key: _READERS[key](key, value) for key, value in config.items() if key in _READERS}
    unknown = [key for key in config if key not in _READERS]
    if unknown:
        warnings.warn(
            f"createSession: ignored {', '.join(map(repr, unknown))}; known are "
            f"{', '.join(_READERS)}",
            stacklevel=3,
        )
    if values.get("backend", CPU) not in _ON_CPU:
        warnings.warn(
            f"createSession: backend {values['backend']!r} is not there, the CPU is used",
            stacklevel=3,
        )
    return ScheduleConfig(
        threads=values.get("numThread", ScheduleConfig.threads),
        save_tensors=values.get("saveTensors", ()),
        input_paths=values.get("inputPaths", ()),
        output_paths=values.get("outputPaths", ()),
    )


def is_on_cpu(config: Mapping[str, Any]) -> bool:
    """Whether the configuration's backend is the CPU.

    Raises:
        TypeError, ValueError: The backend is not known.
    """
    return _backend("backend", config.get("backend", CPU)) in _ON_CPU


# -- values ------------------------------------------------------------------------------


def _backend(key: str, value: Any) -> str | int:
    if isinstance(value, str):
        if value not in BACKENDS:
            raise ValueError(f"{key}: expected one of {', '.join(BACKENDS)}, got {value!r}")
        return value
    return _number(key, value)


def _number(key: str, value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{key}: expected an int, got {value}")
    try:
        return as_index(value)
    except TypeError:
        raise TypeError(f"{key}: expected an int, got {value!r}") from None


def _threads(key: str, value: Any) -> int:
    # As in MNN, where less than one thread is one.
    return max(_number(key, value), 1)


def _mode(names: tuple[str, ...]) -> Callable[[str, Any], int]:
    """A mode by number or name; all of them give the same results here."""

    def read(key: str, value: Any) -> int:
        number = names.index(value) if value in names else None
        if number is None and not isinstance(value, str):
            number = _number(key, value)
        if number is None or not 0 <= number < len(names):
            known = ", ".join(f"{number} ({name})" for number, name in enumerate(names))
            raise ValueError(f"{key}: expected one of {known}, got {value!r}")
        return number

    return read


def _names(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise TypeError(f"{key}: expected a tuple of names, got {value!r}")
    return tuple(value)


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "backend": _backend,
    "numThread": _threads,
    "precision": _mode(_PRECISIONS),
    "power": _mode(_LEVELS),
    "memory": _mode(_LEVELS),
    "saveTensors": _names,
    "inputPaths": _names,
    "outputPaths": _names,
}
