"""A model as a function of batches, for those who spread them over machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from arenite.analysis.evaluation.workers import packed, unpacked
from arenite.analysis.inputs.media import pixel_table
from arenite.analysis.inputs.values import Pixels, long_axes
from arenite.errors import ShapeError
from arenite.formats import Source, model_of
from arenite.model import Model, Tensor, TensorType
from arenite.model.model import Array
from arenite.runtime.interpreter import Interpreter


class BatchPredictor:
    """Predicts batches of any kind: arrays, dicts of arrays, pandas DataFrames, iterators of them.

    It is what Ray Data's ``map_batches``, Dask's ``map_partitions`` and Spark's ``mapInPandas``
    call. It can be pickled; every process makes one interpreter of it, with the first batch.

    >>> predictor = BatchPredictor("kws.tflite", inputs="features")          # doctest: +SKIP
    >>> dataset.map_batches(predictor)                                       # doctest: +SKIP
    >>> frame.map_partitions(predictor, meta=predictor.like(frame))          # doctest: +SKIP
    >>> spark_frame.mapInPandas(predictor, "id long, output array<float>")   # doctest: +SKIP

    What comes out is of the kind that went in. Arrays become arrays (tuples of them for several
    outputs). Of dicts and frames the columns of inputs go, the others stay, and a column per
    output comes: a real number for outputs of one value, else arrays of them.

    Args:
        model: A file, its bytes, or a model.
        inputs: The columns of the inputs, one each; of a model with one input, columns of numbers
            that make it up together are allowed. By default those called like the inputs, or the
            only column, or all, if they are as many as the input has values.
        outputs: Names of the columns that come; by default ``"output"``, or ``"output_0"`` ...
        threads: As of :meth:`arenite.Interpreter.predict`.
        options: Those of :class:`arenite.Interpreter`: target, engine, resolver ...

    Real numbers are quantised and outputs are real numbers; uint8 pictures become what
    ``arenite run`` makes of a picture. A model with state starts anew with every sample.

    Raises:
        ModelError, UnsupportedOperatorError, ConstraintError: The model cannot run.
        ValueError: There are not as many names as outputs.
    """

    def __init__(
        self,
        model: Model | Source,
        *,
        inputs: str | Sequence[str] | None = None,
        outputs: str | Sequence[str] | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        self.model = model_of(model)
        self.inputs = (inputs,) if isinstance(inputs, str) else tuple(inputs or ())
        count = len(self.model.outputs)
        names = [outputs] if isinstance(outputs, str) else list(outputs or ())
        self.outputs = tuple(names) or (
            ("output",) if count == 1 else tuple(f"output_{n}" for n in range(count))
        )
        if len(self.outputs) != count:
            raise ValueError(f"expected {count} names of outputs, got {list(self.outputs)}")
        self.threads = threads
        self._parcel = packed(Interpreter(self.model, **options))

    def __repr__(self) -> str:
        return f"<BatchPredictor {self.model.source or '(built)'}: {', '.join(self.outputs)}>"

    def __call__(self, batch: Any) -> Any:
        """Predict a batch; see the class.

        Raises:
            ShapeError, DTypeError, PredictError: Samples do not fit, or fail.
            ValueError: There are no columns of the inputs.
            TypeError: It is no kind of batch.
        """
        if isinstance(batch, Iterator):
            return map(self, batch)
        if isinstance(batch, np.ndarray | tuple):
            arrays = batch if isinstance(batch, tuple) else (batch,)
            outputs = self._predicted(arrays)
            return outputs[0] if len(outputs) == 1 else outputs
        if isinstance(batch, Mapping):
            columns = {name: np.asarray(value) for name, value in batch.items()}
            kept, outputs = self._columns(columns)
            results = dict(zip(self.outputs, map(_flat, outputs), strict=True))
            return {name: batch[name] for name in kept} | results
        if hasattr(batch, "columns") and hasattr(batch, "assign"):
            kept, outputs = self._columns({name: batch[name] for name in batch.columns})
            results = {n: _cells(one) for n, one in zip(self.outputs, outputs, strict=True)}
            return batch[kept].assign(**results)
        kind = type(batch).__name__
        raise TypeError(f"expected an array, a dict of arrays or a DataFrame, got {kind}")

    def like(self, frame: Any) -> Any:
        """An empty frame with the columns that come of ``frame``: Dask's ``meta``.

        Args:
            frame: A DataFrame of pandas or Dask.
        """
        empty = getattr(frame, "_meta", frame)
        return self(empty.iloc[:0])

    def _columns(self, columns: Mapping[str, Any]) -> tuple[list[str], tuple[Array, ...]]:
        """Names of what stays, and the outputs."""
        groups = self._chosen(list(columns))
        pairs = zip(groups, self.model.inputs, strict=True)
        arrays = tuple(_samples([columns[name] for name in group], one) for group, one in pairs)
        used = {name for group in groups for name in group}
        return [name for name in columns if name not in used], self._predicted(arrays)

    def _chosen(self, names: list[str]) -> list[list[str]]:
        """The columns of every input."""
        tensors = self.model.inputs
        wanted = list(self.inputs) or [tensor.name for tensor in tensors]
        if not self.inputs and not set(wanted) <= set(names) and len(tensors) == 1:
            wanted = names
        missing = [name for name in wanted if name not in names]
        fits = len(wanted) == len(tensors) or (len(tensors) == 1 and len(wanted) == tensors[0].size)
        if missing or not fits:
            said = f"inputs={list(self.inputs)}" if self.inputs else "inputs= to say which"
            raise ValueError(
                f"expected columns of the inputs {[tensor.name for tensor in tensors]}, with "
                f"{said}, got {names}"
            )
        return [[name] for name in wanted] if len(wanted) == len(tensors) else [wanted]

    def _predicted(self, arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        if len(arrays) == len(self.model.inputs):
            pairs = zip(arrays, self.model.inputs, strict=True)
            arrays = tuple(_pictures(array, tensor) for array, tensor in pairs)
        with unpacked(self._parcel) as interpreter:
            found = interpreter.predict(arrays, threads=self.threads, stateful=False, quantize=True)
        return found if isinstance(found, tuple) else (found,)


def _samples(columns: Sequence[Any], tensor: Tensor) -> Array:
    """Columns as samples of an input: one column of arrays, or numbers side by side."""
    if len(columns) > 1:
        stacked = np.stack([np.asarray(column) for column in columns], axis=1)
        return stacked.reshape(len(stacked), *tensor.shape)
    values = np.asarray(columns[0])
    if values.dtype == object:
        if not len(values):
            return np.empty((0, *tensor.shape), tensor.type.dtype)
        values = _stacked(values)
    if long_axes(values.shape[1:]) == long_axes(tensor.shape):
        values = values.reshape(len(values), *tensor.shape)
    if values.ndim == 2 and values.shape[1] == tensor.size:  # a row of numbers per sample
        values = values.reshape(len(values), *tensor.shape)
    return values


def _stacked(cells: Array) -> Array:
    arrays = [_plain(cell) for cell in cells]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise ShapeError(f"expected samples of one shape, got {sorted(map(list, shapes))[:3]}")
    return np.stack(arrays)


def _plain(cell: Any) -> Array:
    """Lists of lists, which Arrow gives as arrays of arrays, as one array."""
    array = np.asarray(cell)
    return array if array.dtype.kind != "O" or not array.ndim else _stacked(array)


def _pictures(array: Array, tensor: Tensor) -> Array:
    """uint8 pictures as values of the input, all else as it is."""
    has_its_shape = long_axes(array.shape[1:]) == long_axes(tensor.shape)
    if array.dtype != np.uint8 or tensor.type is TensorType.UINT8 or not has_its_shape:
        return array
    table = pixel_table(tensor, Pixels(), "uint8 samples").array
    return table[array].reshape(len(array), *tensor.shape)


def _flat(output: Array) -> Array:
    """One number per sample where there is one."""
    return output.reshape(len(output)) if not long_axes(output.shape[1:]) else output


def _cells(output: Array) -> Any:
    """A column of a frame: numbers, or an array per row."""
    flat = _flat(output)
    return flat if flat.ndim == 1 else list(flat)
