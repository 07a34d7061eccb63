"""Cleaning: what nothing needs goes, what is there twice is shared, the rest is untouched."""

from dataclasses import replace

import numpy as np

from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, SignatureDef
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.ops.tflite.add import AddOptions
from arenite.optimize.outcome import Outcome
from arenite.optimize.passes.clean import clean
from arenite.optimize.settings import Settings
from arenite.optimize.verify import verify
from tests.optimize.layers import Layers
from tests.optimize.networks import network
from tests.runtime.models import custom_chain, memory_of_three
from tests.runtime.subgraphs import branches
from tests.same import assert_same

SETTINGS = Settings()


def cleaned(model: Model) -> Outcome:
    outcome = clean(model, SETTINGS)
    verify(model, outcome.model, SETTINGS, 3)
    return outcome


def test_operators_that_nobody_reads_go_with_all_before_them():
    net = Layers(0)
    x = net.input(1, 4)
    net.relu(net.add(x, x))
    net.output(net.add(x, x))
    outcome = cleaned(net.build())
    assert len(outcome.model.main.operators) == 1
    assert len(outcome.model.main.tensors) == 2


def test_equal_constants_are_one_tensor():
    b = ModelBuilder()
    x = b.input("x", (4,), "float32")
    for number in range(2):
        c = b.constant(f"c{number}", np.arange(4, dtype=np.float32))
        y = b.tensor(f"y{number}", (4,), "float32")
        b.operator("ADD", [x, c], [y], AddOptions())
        b.output(y)
    outcome = cleaned(b.build())
    assert [tensor.name for tensor in outcome.model.main.tensors] == ["x", "c0", "y0", "y1"]


def test_constants_of_other_shapes_share_their_bytes():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    for number, shape in enumerate([(4,), (1, 4)]):
        c = b.constant(f"c{number}", np.arange(4, dtype=np.float32).reshape(shape))
        y = b.tensor(f"y{number}", (1, 4), "float32")
        b.operator("ADD", [x, c], [y], AddOptions())
        b.output(y)
    model = b.build()
    outcome = cleaned(model)
    first, second = (t for t in outcome.model.main.tensors if t.is_constant)
    assert first.buffer == second.buffer != 0
    assert any("16 bytes" in note.text for note in outcome.changes)
    assert len(tflite.write(outcome.model)) < len(tflite.write(model))


def test_constants_of_other_meaning_stay_apart():
    b = ModelBuilder()
    x = b.input("x", (4,), "int8", scale=0.5)
    for number, zero in enumerate([0, 1]):
        c = b.constant(f"c{number}", np.arange(4, dtype=np.int8), scale=0.5, zero_point=zero)
        y = b.tensor(f"y{number}", (4,), "int8", scale=1.0)
        b.operator("ADD", [x, c], [y], AddOptions())
        b.output(y)
    outcome = cleaned(b.build())
    assert sum(tensor.is_constant for tensor in outcome.model.main.tensors) == 2


def test_buffers_stay_aligned_in_the_file():
    model = tflite.read(tflite.write(cleaned(network(2)).model))
    start = min(
        t.data.__array_interface__["data"][0] for t in model.main.tensors if t.data is not None
    )
    for tensor in model.main.tensors:
        if tensor.data is not None:
            assert (tensor.data.__array_interface__["data"][0] - start) % 16 == 0


def test_signatures_follow_their_tensors():
    net = Layers(0)
    x = net.input(1, 4)
    net.relu(x)
    y = net.add(x, x)
    net.output(y)
    signature = SignatureDef("serve", {"in": x.index}, {"out": y.index})
    model = net.build(signatures=(signature,), metadata={"mine": b"bytes"})
    got = cleaned(model).model
    (found,) = got.signatures
    assert got.main.tensors[found.inputs["in"]].name == model.main.tensors[x.index].name
    assert got.main.tensors[found.outputs["out"]].name == model.main.tensors[y.index].name
    assert got.metadata == {"mine": b"bytes"}


def test_variables_and_what_writes_them_stay():
    model = memory_of_three()
    got = cleaned(model).model
    assert [tensor.is_variable for tensor in got.main.tensors].count(True) == 1
    assert len(got.main.operators) == 1


def test_custom_operators_that_nobody_knows_stay_as_they_are():
    model = custom_chain(3)
    got = cleaned(model).model
    assert [operator.name for operator in got.main.operators] == ["STEP"] * 3
    b = replace(model.main, outputs=model.main.inputs)
    unread = clean(replace(model, subgraphs=(b,)), SETTINGS).model
    assert len(unread.main.operators) == 3


def test_subgraphs_stay():
    model = branches()
    got = cleaned(model).model
    assert len(got.subgraphs) == len(model.subgraphs)


def test_a_clean_model_is_left_alone():
    once = clean(network(3), SETTINGS).model
    again = clean(once, SETTINGS)
    assert again.changes == ()
    assert_same(again.model, once)


def test_a_model_with_a_memory_plan_stays_as_it_is():
    model = replace(network(1), metadata={OFFLINE_METADATA: b"plan"})
    assert clean(model, SETTINGS).model is model
