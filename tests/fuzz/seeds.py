"""The files that the fuzzer changes: nets and models of every operator, and real ones."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import settings

from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, SignatureDef
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from tests.mnn.lowering import int8_cases, net_cases, onnx_cases
from tests.mnn_oracle import MnnOracle
from tests.native import sizes
from tests.native.strategies import OPERATORS
from tests.npu.vela import KEPT
from tests.ops.differential import drawing, judge_with
from tests.shared import ROOT, shared_models

#: Larger ones cost time, and their structure is that of smaller ones.
MAX_BYTES = 100_000
#: Random models of every operator.
PER_OPERATOR = 8


def mnn_nets() -> dict[str, bytes]:
    """``.mnn`` files: a net for every operator, and real ones."""
    files = {name: make() for name, make in {**net_cases.CASES, **int8_cases.CASES}.items()}
    files.update((path.stem, path.read_bytes()) for path in sorted(ROOT.glob("models/mnn/*.mnn")))
    return small(files)


def mnn_conversions() -> dict[str, bytes]:
    """What MNN's converter makes of the tests' ONNX models; takes a while."""
    oracle = MnnOracle()
    files = {name: oracle.convert("ONNX", make()) for name, make in onnx_cases.CASES.items()}
    oracle.close()
    return files


def tflite_models() -> dict[str, bytes]:
    """``.tflite`` files: random models of every operator, and real ones."""
    files = {"classifier": tflite.write(classifier()), "everything": tflite.write(everything())}
    files.update((path.stem, path.read_bytes()) for path in (*shared_models(), *KEPT.values()))
    for name in OPERATORS:
        models = enumerate(random_models(name, PER_OPERATOR))
        files.update((f"{name} {number}", tflite.write(model)) for number, model in models)
    files.update((case, tflite.write(sizes.build(case))) for case in sizes.CASES)
    return small(files)


def small(files: dict[str, bytes]) -> dict[str, bytes]:
    """Those that are not too large."""
    return {name: data for name, data in files.items() if len(data) <= MAX_BYTES}


def random_models(name: str, count: int) -> Iterator[Model]:
    """Models that an operator's own test draws: the same ones every time."""
    return (model for model, _, _ in random_cases(name, count))


def random_cases(
    name: str, count: int, chosen: int | None = None
) -> Iterator[tuple[Model, int, dict[str, Any]]]:
    """Such models, with the seed of their inputs and what else the test says of them.

    ``chosen``: a seed for other models than the usual ones.
    """
    found: list[tuple[Model, int, dict[str, Any]]] = []

    def take(_: object, model: Model, seed: int, **more: Any) -> None:
        found.append((model, seed, more))

    how = settings(drawing, max_examples=count, derandomize=chosen is None)
    judge_with(name, take, how, chosen)
    yield from found


def classifier() -> Model:
    """A convolution per channel, a reshape, a softmax: it runs."""
    rng = np.random.default_rng(0)
    b = ModelBuilder()
    x = b.input("x", (1, 5, 5, 1), "int8", scale=0.05, zero_point=-1)
    weights = rng.integers(-127, 128, (3, 3, 3, 1), dtype=np.int8)
    w = b.constant("w", weights, scale=[0.01, 0.02, 0.03])
    bias = b.constant("b", rng.integers(-99, 99, 3).astype(np.int32), scale=[0.0005, 0.001, 0.0015])
    conv = b.tensor("conv", (1, 3, 3, 3), "int8", scale=0.04)
    b.operator("CONV_2D", [x, w, bias], [conv], Conv2DOptions(1, 1, 1, 1), version=3)
    flat = b.tensor("flat", (1, 27), "int8", scale=0.04)
    shape = b.constant("shape", np.array([1, 27], np.int32))
    b.operator("RESHAPE", [conv, shape], [flat], ReshapeOptions((1, 27)))
    y = b.tensor("y", (1, 27), "int8", scale=1 / 256, zero_point=-128)
    b.operator("SOFTMAX", [flat], [y], SoftmaxOptions(beta=1.0), version=2)
    b.output(y)
    return b.build("a small classifier", signatures=[SignatureDef("main", {"x": x}, {"y": y})])


def everything() -> Model:
    """Two subgraphs, a custom operator, variables, metadata, packed and text constants."""
    b = ModelBuilder("first")
    x = b.input("x", (2, 2), "float32")
    b.constant("int4", np.array([0x21, 0x43], np.uint8), "int4", shape=(2, 2), scale=[1, 2])
    b.constant(
        "text", np.frombuffer(b"\1\0\0\0\x0c\0\0\0\x0e\0\0\0hi", np.uint8), "string", shape=(1,)
    )
    b.constant("bools", np.array([True, False]))
    state = b.variable("state", (2, 2), "int16", scale=0.1)
    y = b.tensor("y", (2, 2), "float32")
    b.operator("Mine", [x, state, -1], [y], custom_options=b"\1\2\3", intermediates=[state])
    b.output(y)
    meta = {"min_runtime_version": b"2.3.0", "OfflineMemoryAllocation": bytes(12)}
    signature = SignatureDef("serving_default", {"x": x}, {"y": y})
    first = b.build("everything", meta, [signature])
    second = classifier().subgraphs
    return Model(first.subgraphs + second, first.description, meta, (signature,))


CORPORA: dict[str, Callable[[], dict[str, bytes]]] = {
    "tflite": tflite_models,
    "mnn": mnn_nets,
    "mnn-conversions": mnn_conversions,
}
"""Files by name, by the name of the corpus."""
