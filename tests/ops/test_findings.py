"""Every constraint of every operator: a refusal says what is there and what TFLM takes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, replace
from math import prod
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.libraries.glue import Glue
from arenite.libraries.library import library_called
from arenite.library_facts import library_names
from arenite.model import Quantization, TensorType
from arenite.ops import NodeView, TfLiteTensor, builtin
from arenite.ops.constraints import Constraint, constant, inputs_between, rank
from arenite.ops.context import params_of
from arenite.ops.findings import found
from arenite.ops.registry import builtin_names, custom_names, mnn_names
from arenite.runtime.refused import refused
from arenite.target import Target

TYPES = [kind for kind in TensorType if kind.bits >= 8 and kind.name != "STRING"]
COMMON = [TensorType.FLOAT32, TensorType.INT8, TensorType.INT16, TensorType.INT32]
NAMES = [*builtin_names(), *custom_names(), *mnn_names()]


def constraints() -> Iterator[tuple[str, Constraint]]:
    """Those of all operators, and of all libraries' glue."""
    for name in NAMES:
        own = builtin(name)
        assert own is not None
        yield from ((name, one) for one in own.constraints)
    for library in library_names():
        for name in NAMES:
            glue: Glue | None = library_called(library).glue_for(name, Target("cortex-m4"))
            if glue is not None:
                yield from ((name, one) for one in glue.constraints)


def tensor(rng: random.Random, name: str, kinds: list[TensorType], rank: int) -> TfLiteTensor:
    """A tensor of any type, shape and quantisation, constant or not."""
    kind = rng.choice(kinds)
    dims = rng.choice([(1, 2, 3, 4), (0, 1, 2), (1, 2), (1, 1, 30_000)])
    shape = tuple(rng.choices(dims, k=rank if rng.random() < 0.6 else rng.randrange(10)))
    is_small = prod(shape) < 2000 and rng.random() < 0.5
    data = np.full(shape, rng.randrange(-3, 4)).astype(kind.dtype) if is_small else None
    scales = np.float32(rng.choices([0.25, 0.5, 2], k=rng.choice([0, 1, 1, 3])))
    quantization = Quantization(scales, np.array([rng.randrange(-128, 128)] * max(len(scales), 1)))
    made = TfLiteTensor(0, name, kind, shape, data, quantization if len(scales) else None)
    made.is_variable = rng.random() < 0.2
    made.scale, made.zero_point, made.scale_count = params_of(made.quantization)
    return made


def options(rng: random.Random, name: str) -> Any:
    """An operator's options: integers and truths are any."""
    own = builtin(name)
    if own is None or own.options is None:
        return None
    row = own.options()
    if rng.random() < 0.3:
        return row
    values = {
        one.name: rng.choice([0, 1, 2, 3, 5, -1]) if type(value) is int else rng.random() < 0.5
        for one in fields(row)
        if type(value := getattr(row, one.name)) in (int, bool)
    }
    if "zero" in values:
        values["zero"] = rng.choice([0, 300])
    if hasattr(row, "new_shape"):
        values["new_shape"] = (1,) * rng.randrange(12)
    return replace(row, **values)


def violating(name: str, check: Constraint, seed: int) -> NodeView | None:
    """A node of which the constraint does not hold, among many that are drawn."""
    rng = random.Random(seed)
    for _ in range(3000):
        kinds = rng.sample(COMMON, 2) if rng.random() < 0.8 else TYPES
        rank = rng.choice([1, 2, 3, 4, 4])
        counts = rng.choice([1, 2, 3, 3, 4, 5, 12, 24]), rng.choice([1, 1, 1, 2, 4])
        rows = [
            tuple(
                None if rng.random() < 0.05 else tensor(rng, f"{side}{i}", kinds, rank)
                for i in range(count)
            )
            for side, count in zip("xy", counts, strict=True)
        ]
        node = NodeView(name, rows[0], rows[1], options(rng, name))
        try:
            if not check(node):
                return node
        except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
            continue  # an earlier constraint of the operator refuses such a node
    return None


def facts(node: NodeView) -> set[str]:
    """Words for all that is there."""
    tensors = [one for one in (*node.inputs, *node.outputs) if one is not None]
    shapes = {f"{one.type}[{','.join(map(str, one.shape))}]" for one in tensors}
    counts = {f"{len(node.inputs)} input", f"{len(node.outputs)} output"}
    names = [] if node.options is None else [one.name for one in fields(node.options)]
    said = {f"{name} is {getattr(node.options, name)}" for name in names}
    return {*shapes, *counts, *said, "is absent"}


ALL = {
    (name, check.__name__, " ".join((check.__doc__ or "").split())): check
    for name, check in constraints()
}


@pytest.mark.parametrize("key", ALL, ids=lambda key: f"{key[0]}-{key[1]}-{len(key[2])}")
def test_every_refusal_says_what_is_there_and_what_tflm_takes(key: tuple[str, str, str]) -> None:
    check = ALL[key]
    node = violating(key[0], check, len(key[2]))
    assert node is not None, "no node was drawn that the constraint refuses"
    text = str(refused(f"{key[0]} 7", node, check))
    assert text.startswith(f"{key[0]} 7")
    assert any(fact in text for fact in facts(node)), text
    assert key[2] in text or " takes " in text


def test_a_number_of_inputs_is_said_with_those_that_tflm_takes() -> None:
    x = TfLiteTensor(0, "x", TensorType.FLOAT32, (1,))
    node = NodeView("CONCATENATION", (x,) * 32, (replace(x, name="y"),), None)
    want = "CONCATENATION 606 has 32 inputs; TFLM takes 1 to 10. It writes 'y'."
    assert str(refused("CONCATENATION 606", node, inputs_between(1, 10))) == want


def test_an_absent_input_is_named() -> None:
    x = TfLiteTensor(0, "x", TensorType.FLOAT32, (1,))
    node = NodeView("ADD", (x, None), (x,), None)
    text = str(refused("ADD 3", node, inputs_between(2, 2)))
    assert text.startswith("ADD 3 has 2 inputs; input 1 is absent; TFLM takes 2, all present.")


@pytest.mark.parametrize(
    ("check", "want"),
    [
        (rank(0, 4), "input 0 ('x') is float32[2,3]"),
        (constant(0), "input 0 ('x') is float32[2,3], which is no constant"),
    ],
)
def test_a_tensor_is_named_with_its_type_and_shape(check: Constraint, want: str) -> None:
    x = TfLiteTensor(0, "x", TensorType.FLOAT32, (2, 3))
    assert want in found(NodeView("PAD", (x,), (x,), None), check)


def test_a_constraint_of_a_users_operator_is_not_tflms() -> None:
    def even(node: NodeView) -> bool:
        """Input 0 has an even number of elements."""
        return node.input(0).size % 2 == 0

    b = ar.ModelBuilder()
    x, y = b.input("x", (3,), "int8"), b.tensor("y", (3,), "int8")
    b.operator("MINE", [x], [y], custom_options=b"")
    b.output(y)
    own = ar.Registration(invoke=lambda context, node: None, constraints=(even,))
    resolver = ar.MutableOpResolver().add_custom("MINE", own)
    with pytest.raises(ar.ConstraintError) as error:
        ar.Interpreter(b.build(), resolver=resolver)
    assert str(error.value) == (
        "MINE 0: input 0 ('x') is int8[3]; the operator demands: Input 0 has an even number of "
        "elements. It writes 'y'."
    )
