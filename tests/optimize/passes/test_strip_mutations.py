"""Deliberate errors in stripping: verification finds every one of them."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import peers
from arenite.errors import OptimizationError
from arenite.model import Model, Operator, SignatureDef, Tensor
from arenite.model.model import Quantization
from tests.optimize.layers import Layers
from tests.runtime.models import custom_chain, memory_of_three

module = importlib.import_module("arenite.optimize.passes.strip")
Patch = Callable[[pytest.MonkeyPatch], None]


def layered() -> Model:
    net = Layers(2)
    x = net.input(1, 6, 6, 3)
    y = net.dense(net.reshape(net.conv(x, 4, activation=1), (1, 144)), 5)
    net.output(y)
    model = net.build(metadata={"mine": b"x"})
    signed = SignatureDef("serve", {"in": x.index}, {"out": y.index})
    return replace(model, signatures=(signed,))


def models() -> Iterator[Model]:
    yield layered()
    yield memory_of_three()
    yield custom_chain(2)


# -- errors ---------------------------------------------------------------------------------


def tensors(change: Callable[[Tensor], Tensor]) -> Patch:
    """Something else is done to every tensor as well."""
    right = module._without_name
    return lambda m: m.setattr(module, "_without_name", lambda tensor: change(right(tensor)))


def quantizations(change: Callable[[Quantization], Quantization | None]) -> Patch:
    def of_tensor(tensor: Tensor) -> Tensor:
        q = tensor.quantization
        return tensor if q is None else replace(tensor, quantization=change(q))

    return tensors(of_tensor)


def operators(change: Callable[[Operator], Operator | None]) -> Patch:
    right = module._without_names

    def wrong(subgraph: Any) -> Any:
        found = right(subgraph)
        changed = filter(None, map(change, found.operators))
        return replace(found, operators=tuple(changed))

    return lambda m: m.setattr(module, "_without_names", wrong)


def whole(**parts: Any) -> Patch:
    """Another part of the model goes as well."""

    def wrong(model: Model, settings: Any) -> Any:
        found = right(model, settings)
        return found._replace(model=replace(found.model, **parts))

    right = module.strip
    return lambda m: m.setattr(module, "strip", wrong)


ERRORS: dict[str, Patch] = {
    "quantisation goes": quantizations(lambda q: None),
    "zero points go": quantizations(lambda q: replace(q, zero_point=q.zero_point * 0)),
    "scales of all channels are the first one": quantizations(
        lambda q: replace(q, scale=np.full_like(q.scale, q.scale[0]) if len(q.scale) else q.scale)
    ),
    "the axis of scales goes": quantizations(lambda q: replace(q, quantized_dimension=3)),
    "variables become tensors": tensors(lambda t: replace(t, is_variable=False)),
    "constants lose their bytes": tensors(lambda t: replace(t, data=None)),
    "constants are zeros": tensors(
        lambda t: t if t.data is None else replace(t, data=np.zeros_like(t.data))
    ),
    "tensors become rows": tensors(lambda t: replace(t, shape=(t.size,))),
    "options go": operators(lambda o: replace(o, options=None)),
    "custom operators lose their names": operators(
        lambda o: replace(o, name="x") if o.is_custom else o
    ),
    "biases go": operators(lambda o: replace(o, inputs=o.inputs[:2])),
    "reshapes go": operators(lambda o: None if o.name == "RESHAPE" else o),
    "metadata go": whole(metadata={}),
    "signatures go": whole(signatures=()),
}


def is_found() -> bool:
    """Whether a result of the pass is thrown away for one of the models."""
    for model in models():
        try:
            ar.optimize(model, only=["strip"], strip=True, verify=3)
        except OptimizationError:
            return True
    return False


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "is_installed", lambda name: name != "tflm")


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_in_stripping_is_found(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ERRORS[error](monkeypatch)
    assert is_found()


def test_without_errors_nothing_is_found() -> None:
    assert not is_found()
