"""Deliberate errors in folding and cleaning: verification finds every one of them."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import peers
from arenite.errors import OptimizationError
from arenite.model import Model, ModelBuilder, Operator, SignatureDef
from arenite.ops.tflite.add import AddOptions
from arenite.ops.tflite.padv2 import PadV2Options
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.optimize import rewrite
from arenite.optimize.passes import _clamps, _constants, _moves, _paddings, _requantizations
from arenite.optimize.passes._paddings import Axis
from arenite.optimize.rewrite import Edit
from tests.optimize.layers import Layers, Value
from tests.optimize.networks import network
from tests.runtime.models import custom_chain, memory_of_three
from tests.runtime.subgraphs import branches, counter

clean = importlib.import_module("arenite.optimize.passes.clean")
Patch = Callable[[pytest.MonkeyPatch], None]
_SEEDS = 60


def set_to(where: Any, name: str, what: Any) -> Patch:
    return lambda patch: patch.setattr(where, name, what)


# -- models in which errors show -------------------------------------------------------------


def padded(net: Layers, x: Value, *, before: bool) -> Value:
    ends = (1, 0) if before else (0, 1)
    x = net.pad(x, ((0, 0), ends, (1, 1), (0, 0)))
    return net.conv(x, 3, padding=1, stride=1 if before else 2)


def evenly_padded(net: Layers, x: Value) -> Value:
    return net.conv(net.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), 3, padding=1)


def with_value(model: Model) -> Model:
    """Every PAD of the model pads with 100."""
    tensors = list(model.main.tensors)
    source = tensors[model.main.inputs[0]]
    hundred = np.array([100], np.int8).view(np.uint8)
    tensors.append(replace(source, name="value", shape=(1,), data=hundred))
    main = replace(
        model.main,
        tensors=tuple(tensors),
        operators=tuple(_padding_with(op, len(tensors) - 1) for op in model.main.operators),
    )
    return replace(model, subgraphs=(main,))


def _padding_with(operator: Operator, value: int) -> Operator:
    if operator.name != "PAD":
        return operator
    options = PadV2Options()
    inputs = (*operator.inputs, value)
    union = PadV2Options.UNION_TYPE
    return replace(operator, name="PADV2", inputs=inputs, options=options, options_type=union)


def long_way(net: Layers, x: Value) -> Value:
    """Rows are padded for a filter that is a row."""
    return net.conv(net.pad(x, ((0, 0), (1, 1), (0, 0), (0, 0))), 3, (1, 3), padding=1)


def in_front(net: Layers, x: Value) -> Value:
    """Padded before, where SAME would pad behind."""
    return net.conv(net.pad(x, ((0, 0), (1, 0), (1, 0), (0, 0))), 3, stride=2, padding=1)


def rescaled(net: Layers, x: Value) -> Value:
    """RESHAPE to the same shape and another scale."""
    y = net.tensor(x.shape, x.scale * 2, x.zero)
    net.b.operator("RESHAPE", [net.conv(x, 3).index], [y.index], ReshapeOptions())
    return net.softmax(y)


def clamped_twice(seed: int) -> Model:
    """ADD up to 6, and at least 0 behind it, with a zero point in between."""
    net = Layers(seed)
    net._zero = lambda: 5  # type: ignore[method-assign]
    x = net.input(1, 20)
    y = net.add(x, x, activation=3)
    net.output(net.bound(y, "MAXIMUM", y.zero))
    return net.build()


def built(build: Callable[[Layers, Value], Value], seed: int = 0) -> Model:
    net = Layers(seed)
    net.output(build(net, net.input(1, 6, 6, 3)))
    return net.build()


def turned(net: Layers, x: Value) -> Value:
    return net.transpose(net.transpose(x, (0, 3, 1, 2)), (0, 3, 1, 2))


def sums_of(constants: list[tuple[Any, dict[str, Any]]]) -> Model:
    """The input and each of some constants, added."""
    b = ModelBuilder()
    x = b.input("x", (2, 2), "int8", scale=0.5)
    for number, (value, how) in enumerate(constants):
        c = b.constant(f"c{number}", np.array(value, np.int8), **how)
        y = b.tensor(f"y{number}", (2, 2), "int8", scale=1.5)
        b.operator("ADD", [x, c], [y], AddOptions())
        b.output(y)
    return b.build()


def signed() -> Model:
    net = Layers(0)
    net.like(net.input(1, 4))
    x = Value(0, (1, 4), net.b.subgraph().tensors[0].quantization.scale[0], 0)  # type: ignore[union-attr]
    y = net.softmax(x)
    net.output(y)
    return net.build(signatures=(SignatureDef("serve", {"in": 0}, {"out": y.index}),))


def special() -> Iterator[Model]:
    half: dict[str, Any] = {"scale": 0.5}
    values = [[1, 2], [3, 4]]
    yield built(lambda net, x: padded(net, x, before=True))
    yield built(lambda net, x: padded(net, x, before=False))
    yield with_value(built(evenly_padded))
    yield built(turned)
    yield built(long_way)
    yield built(in_front)
    yield built(rescaled)
    yield from map(clamped_twice, range(4))
    yield sums_of([(values, half), ([[1, 2], [3, 5]], half)])
    yield sums_of([(values, half), (values, {"scale": 0.25})])
    yield sums_of([(values, half), (values, {"scale": 0.5, "zero_point": 3})])
    yield sums_of([([1, 2], half), ([[1], [2]], half)])
    yield signed()
    yield memory_of_three()
    yield counter()
    yield branches()
    yield custom_chain(2)


# -- errors ----------------------------------------------------------------------------------


def _without_before(patch: pytest.MonkeyPatch) -> None:
    """Padding is taken for padding behind."""
    pairs = _paddings._pairs

    def behind(edit: Edit, pad: Any) -> Any:
        found = pairs(edit, pad)
        return None if found is None else [(0, before + after) for before, after in found]

    patch.setattr(_paddings, "_pairs", behind)


def _counts_one_more(patch: pytest.MonkeyPatch) -> None:
    """The positions are not looked at."""
    placed = Axis.placed
    patch.setattr(Axis, "placed", lambda *arguments: (0, placed(*arguments)[1]))


def _swapped_axes(patch: pytest.MonkeyPatch) -> None:
    pairs = _paddings._pairs

    def swapped(edit: Edit, pad: Any) -> Any:
        found = pairs(edit, pad)
        return None if found is None else [found[0], found[2], found[1], found[3]]

    patch.setattr(_paddings, "_pairs", swapped)


def _any_table(patch: pytest.MonkeyPatch) -> None:
    """Every requantisation is taken for one that loses nothing."""
    tables = _requantizations.tables

    def same(operator: Any, x: Any, y: Any, bound: Any) -> Any:
        found = tables(operator, x, y, bound)
        return None if found is None else tuple(np.arange(-128, 128) for _ in found)

    patch.setattr(_requantizations, "tables", same)


def _bounds_unchecked(patch: pytest.MonkeyPatch) -> None:
    """Operators that rescale are taken for clamps."""
    equal = SimpleNamespace(array_equal=lambda a, b: True, clip=np.clip)
    patch.setattr(_clamps, "np", equal)
    patch.setattr(_clamps, "same_kind", lambda a, b: True)


def _own_bounds_forgotten(patch: pytest.MonkeyPatch) -> None:
    """The layer's own activation is lost."""
    activation = _clamps._activation

    def without(edit: Edit, layer: Any, clamp: Any, source: int) -> Any:
        options = replace(layer.options, fused_activation_function=0)
        return activation(edit, replace(layer, options=options), clamp, source)

    patch.setattr(_clamps, "_activation", without)


def _first_activation(patch: pytest.MonkeyPatch) -> None:
    """No activation stands for any clamp."""
    patch.setattr(_clamps, "_activation", lambda *arguments: _clamps.Activation.NONE)


def _orders_the_other_way(patch: pytest.MonkeyPatch) -> None:
    add = Edit.add_constant

    def inverse(edit: Edit, name: str, value: Any, like: Any) -> int:
        return add(edit, name, np.argsort(value).astype(value.dtype), like)

    patch.setattr(Edit, "add_constant", inverse)


def _zeros(patch: pytest.MonkeyPatch) -> None:
    evaluate = _constants.evaluate

    def nothing(*arguments: Any) -> Any:
        found = evaluate(*arguments)
        return None if found is None else [np.zeros_like(value) for value in found]

    patch.setattr(_constants, "evaluate", nothing)


def _reads_once(patch: pytest.MonkeyPatch) -> None:
    """The first reader is not known."""
    readers = Edit.readers
    patch.setattr(Edit, "readers", lambda self, tensor: readers(self, tensor)[1:])


def _alone(patch: pytest.MonkeyPatch) -> None:
    """Whoever reads a tensor first is taken for its only reader."""
    patch.setattr(Edit, "only_reader", lambda self, tensor: max(self.readers(tensor), default=None))


def _key_without(part: int) -> Patch:
    def patch_it(patch: pytest.MonkeyPatch) -> None:
        key = clean.key_of
        patch.setattr(
            clean, "key_of", lambda tensor: (*key(tensor)[:part], *key(tensor)[part + 1 :])
        )

    return patch_it


def _zero_points_forgotten(patch: pytest.MonkeyPatch) -> None:
    key = clean.key_of

    def without(tensor: Any) -> Any:
        kind, shape, means, data = key(tensor)
        return kind, shape, None if means is None else means[0], data

    patch.setattr(clean, "key_of", without)


def _off_by_one(patch: pytest.MonkeyPatch) -> None:
    renumbered = clean._renumbered

    def shifted(subgraph: Any, kept: list[int], numbers: dict[int, int]) -> Any:
        last = max(numbers.values())
        wrong = {old: min(new + (old >= 0), last) for old, new in numbers.items()}
        return renumbered(subgraph, kept, wrong)

    patch.setattr(clean, "_renumbered", shifted)


def _signatures_stay(patch: pytest.MonkeyPatch) -> None:
    drop = clean.drop_tensors

    def without(model: Model) -> Any:
        found, notes = drop(model)
        return replace(found, signatures=model.signatures), notes

    patch.setattr(clean, "drop_tensors", without)


def _buffers_mixed(patch: pytest.MonkeyPatch) -> None:
    """All constants get the bytes of the first one of their size."""
    number = clean.number_buffers

    def mixed(model: Model) -> Any:
        first: dict[int, Any] = {}
        subgraphs = tuple(
            replace(
                subgraph,
                tensors=tuple(
                    t if t.data is None else replace(t, data=first.setdefault(len(t.data), t.data))
                    for t in subgraph.tensors
                ),
            )
            for subgraph in model.subgraphs
        )
        return number(replace(model, subgraphs=subgraphs))

    patch.setattr(clean, "number_buffers", mixed)


FOLD: dict[str, Patch] = {
    "padding before the image is not counted": _without_before,
    "positions are not counted": _counts_one_more,
    "rows are padded as columns": _swapped_axes,
    "any value is padded": set_to(_paddings, "_why_not_nothing", lambda *arguments: ""),
    "SAME is taken for everything": set_to(_paddings, "_scheme", lambda *arguments: 0),
    "clamps may rescale": _bounds_unchecked,
    "a clamp has no other readers": _alone,
    "the layer's own activation is lost": _own_bounds_forgotten,
    "the clamp is lost": _first_activation,
    "everything is a copy": set_to(_moves, "_changes_nothing", lambda *arguments: True),
    "quantisation is not looked at": set_to(_moves, "same_kind", lambda a, b: True),
    "requantisations lose nothing": _any_table,
    "transpositions go the other way": _orders_the_other_way,
    "constants are zeros": _zeros,
}
CLEAN: dict[str, Patch] = {
    "one reader does not count": _reads_once,
    "everything is pure": set_to(clean, "is_pure", lambda *arguments: True),
    "outputs are inner tensors": set_to(rewrite.Edit, "is_inner", lambda *arguments: True),
    "shapes of constants do not matter": _key_without(1),
    "quantisation of constants does not matter": _key_without(2),
    "zero points of constants do not matter": _zero_points_forgotten,
    "content of constants does not matter": _key_without(3),
    "indices are off by one": _off_by_one,
    "signatures keep their indices": _signatures_stay,
    "buffers are mixed up": _buffers_mixed,
}


def found(name: str) -> bool:
    """Whether verification throws a result of the pass away for one of the models."""
    for model in (*special(), *(network(seed) for seed in range(_SEEDS))):
        try:
            ar.optimize(model, only=[name], verify=3)
        except OptimizationError:
            return True
    return False


@pytest.fixture(autouse=True)
def _fast(monkeypatch):
    monkeypatch.setattr(peers, "is_installed", lambda name: name != "tflm")


@pytest.mark.parametrize("error", FOLD)
def test_an_error_in_folding_is_found(error, monkeypatch):
    FOLD[error](monkeypatch)
    assert found("fold")


@pytest.mark.parametrize("error", CLEAN)
def test_an_error_in_cleaning_is_found(error, monkeypatch):
    CLEAN[error](monkeypatch)
    assert found("clean")


def test_without_errors_nothing_is_found():
    for model in special():
        ar.optimize(model, only=["fold", "clean"], verify=3)
