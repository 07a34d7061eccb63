"""Samples as people have them: generators, lists, dicts, datasets of TensorFlow and PyTorch.

TensorFlow Lite's converter takes a function that yields lists or dicts
(``tf.lite.RepresentativeDataset``). A dataset yields batches or samples, with labels or without.
All become an array for every input; whose objects they are is told by what they can do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from arenite.errors import DTypeError, EvaluateError, ShapeError
from arenite.model import Model, Tensor
from arenite.model.model import Array, tensor_text
from arenite.model.types import FLOAT32


def is_iterable_of_samples(given: Any, model: Model) -> bool:
    """Whether data are samples one after the other, and no arrays with one for every input."""
    if isinstance(given, str | bytes | Mapping) or hasattr(given, "__array__"):
        return False
    if isinstance(given, tuple):
        return False
    if isinstance(given, list):
        return not _is_array_for_each(given, model.inputs)
    return callable(given) or isinstance(given, Iterable) or hasattr(given, "__getitem__")


def _is_array_for_each(given: Sequence[Any], inputs: Sequence[Tensor]) -> bool:
    """Whether a list holds all samples of each input, as :func:`arenite.quantize` takes arrays."""
    if len(given) != len(inputs):
        return False
    for one, tensor in zip(given, inputs, strict=True):
        if not hasattr(one, "shape"):
            return False
        shape = tuple(one.shape)
        if shape == tensor.shape or shape[1:] not in (tensor.shape, _inner(tensor)):
            # A lone sample, or something that reading refuses by name.
            return len(shape) > len(tensor.shape)
    return True


def _inner(tensor: Tensor) -> tuple[int, ...]:
    """A sample's shape without the leading 1 of a batch."""
    return tensor.shape[1:] if tensor.shape[:1] == (1,) else tensor.shape


def collected(given: Any, model: Model, most: int) -> tuple[tuple[Array, ...], Array | None]:
    """Arrays of at most ``most`` samples for every input, and their labels where all have some.

    Raises:
        EvaluateError: There are no samples, or one has another number of inputs or other names.
        ShapeError, DTypeError: A sample does not fit its input.
    """
    columns: list[list[Array]] = [[] for _ in model.inputs]
    labels: list[Any] = []
    count = 0
    for number, sample in enumerate(islice(_iterated(given), most)):
        values, label = _parts(sample, model, number)
        rows = [
            _rows(value, tensor, number) for value, tensor in zip(values, model.inputs, strict=True)
        ]
        if len({len(one) for one in rows}) != 1:
            got = [list(one.shape) for one in rows]
            raise ShapeError(f"sample {number}: expected one batch size for all inputs, got {got}")
        for column, one in zip(columns, rows, strict=True):
            column.append(one)
        labels.extend(_labels(label, len(rows[0])))
        count += len(rows[0])
        if count >= most:
            break
    if not count:
        raise EvaluateError("expected samples, got none (a generator that was used up before?)")
    arrays = tuple(np.concatenate(one) for one in columns)
    return arrays, np.array(labels) if len(labels) == count and _are_classes(
        labels, model
    ) else None


def _are_classes(labels: Sequence[Any], model: Model) -> bool:
    """Whether labels, which nobody asked for, may be classes of the output."""
    output = model.outputs[0]
    is_row = sum(n > 1 for n in output.shape) <= 1
    return is_row and min(labels) >= 0 and max(labels) < max(output.size, 2)


def _iterated(given: Any) -> Iterator[Any]:
    """The samples of a function, an iterable, or something with a length and places."""
    found = given() if callable(given) and not isinstance(given, Iterable) else given
    if isinstance(found, Iterable):
        return iter(found)
    if hasattr(found, "__getitem__") and hasattr(found, "__len__"):
        return (found[place] for place in range(len(found)))
    raise EvaluateError(
        "expected a function that yields samples, an iterable, a folder, a file or arrays, got "
        f"{type(given).__name__}"
    )


def _parts(sample: Any, model: Model, number: int) -> tuple[list[Any], Any]:
    """A sample's values for every input, and its label or None."""
    count = len(model.inputs)
    if isinstance(sample, Mapping):
        return [value_of(sample, model, place, f"sample {number}") for place in range(count)], None
    if _holds_arrays(sample):
        is_nested = isinstance(sample[0], Mapping) or _holds_arrays(sample[0])
        if len(sample) == 2 and isinstance(sample, tuple) and (is_nested or count == 1):
            inside = sample[0] if is_nested else [sample[0]]
            return _parts(inside, model, number)[0], sample[1]  # with a label
        if len(sample) == count:
            return list(sample), None
        if count == 1 and len(sample) == 1:
            return list(sample), None
    if count == 1:
        return [sample], None
    got = f"{len(sample)}" if isinstance(sample, list | tuple) else type(sample).__name__
    names = ", ".join(repr(tensor.name) for tensor in model.inputs)
    raise EvaluateError(
        f"sample {number}: expected a list of {count} arrays for {names}, or a dict, got {got}"
    )


def _holds_arrays(sample: Any) -> bool:
    """Whether something is a list of arrays, and no array of numbers or lists by itself."""
    if not isinstance(sample, list | tuple) or not sample:
        return False
    return not all(isinstance(one, int | float | list) for one in sample)


def value_of(sample: Mapping[str, Any], model: Model, place: int, where: str) -> Any:
    """The value of an input by its tensor's name or a signature's.

    Raises:
        EvaluateError: There is none of these names.
    """
    index = model.main.inputs[place]
    names = [model.inputs[place].name]
    names += [
        name
        for signature in model.signatures
        if signature.subgraph == 0
        for name, tensor in signature.inputs.items()
        if tensor == index
    ]
    for name in names:
        if name in sample:
            return sample[name]
    raise EvaluateError(
        f"{where}: expected a value called {' or '.join(map(repr, names))}, got "
        f"{', '.join(map(repr, sample)) or 'none'}"
    )


def _rows(value: Any, tensor: Tensor, number: int) -> Array:
    """An input's values as ``(n, ...)`` of the tensor's shape: one sample, or a batch of them."""
    where = f"sample {number}, input {tensor.name!r}"
    array = as_numbers(value, where)
    if array.dtype.kind == "f" or (tensor.type is FLOAT32 and array.dtype != np.uint8):
        array = array.astype(np.float32)
    inner = _inner(tensor)
    if array.shape in (tensor.shape, inner):
        return array.reshape(1, *tensor.shape)
    if array.shape[1:] == inner and array.ndim > len(inner):
        return array.reshape(-1, *tensor.shape)
    raise ShapeError(
        f"{where}: expected shape {list(tensor.shape)} ({tensor_text(tensor)}), got "
        f"{list(array.shape)}"
    )


def as_numbers(value: Any, where: str) -> Array:
    """An object of NumPy, TensorFlow or PyTorch, or lists, as an array of numbers.

    Raises:
        DTypeError, ShapeError: It is none.
    """
    for name in ("detach", "cpu", "numpy"):
        method: Callable[[], Any] | None = getattr(value, name, None)
        value = method() if callable(method) else value
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ShapeError(f"{where}: expected an array of numbers, got {error}") from None
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"{where}: expected numbers, got {array.dtype}")
    return array


def _labels(label: Any, count: int) -> list[Any]:
    """A batch's labels; none where they are no number per sample."""
    if label is None:
        return []
    try:
        values = as_numbers(label, "a label").reshape(-1)
    except (ShapeError, DTypeError):
        return []
    return values.tolist() if len(values) == count and values.dtype.kind in "biu" else []
