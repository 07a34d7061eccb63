"""Variables of ``arenite.litert`` over several signatures, beside LiteRT."""

import importlib.util
import random

import numpy as np
import pytest

from arenite import litert
from arenite.formats.tflite import write
from arenite.model import ModelBuilder, SignatureDef
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.ops.tflite.svdf import SVDFOptions
from tests.runtime.subgraphs import add, assign, handle, read

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ai_edge_litert") is None, reason="LiteRT is not installed"
)
KEYS = "first", "second", "third"
START = 10


def svdf(b):
    """An operator with a variable tensor: it sums its last two inputs."""
    x = b.input("samples", (1, 1), "float32")
    feature = b.constant("feature", np.ones((1, 1), np.float32))
    time = b.constant("time", np.ones((1, 2), np.float32))
    bias = b.constant("bias", np.zeros(1, np.float32))
    state = b.variable("state", (1, 2), "float32")
    y = b.tensor("filtered", (1, 1), "float32")
    b.operator("SVDF", [x, feature, time, bias, state], [y], SVDFOptions(rank=1))
    return x, y


def relu(b):
    """An operator whose input may have any size."""
    x, y = b.input("any", (1, 4), "float32"), b.tensor("positive", (1, 4), "float32")
    b.operator("RELU", [x], [y])
    return x, y


def signature(number, choose, once):
    """A subgraph that adds to variables, reads them, and filters; and its signature."""
    b = ModelBuilder(KEYS[number])
    x = b.input("x", (1,), "int32")
    b.operator("CALL_ONCE", [], [], CallOnceOptions(once))
    outputs = {}
    for name in choose.sample("vw", choose.randint(1, 2)):
        variable = handle(b, name)
        value = read(b, variable)
        if choose.random() < 0.6:
            value = add(b, value, x)
            assign(b, variable, value)
        outputs[name] = value
    inputs = {"x": x}
    inputs["any"], outputs["positive"] = relu(b)
    inputs["samples"], outputs["filtered"] = svdf(b)
    for index in outputs.values():
        b.output(index)
    return b, SignatureDef(KEYS[number], inputs, outputs, number)


def program(choose):
    """A model of two or three signatures that share variables."""
    count = choose.randint(2, 3)
    parts = [signature(number, choose, count) for number in range(count)]
    once = ModelBuilder("once")
    for name in "vw":
        assign(once, handle(once, name), once.constant("start", np.array([START], np.int32)))
    (main, _), *others = parts
    return write(
        main.build(
            subgraphs=[*(b.subgraph() for b, _ in others), once.subgraph()],
            signatures=[one for _, one in parts],
        )
    )


def pair(content):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kernels = OpResolverType.BUILTIN_REF
    theirs = Interpreter(model_content=content, experimental_op_resolver_type=kernels)
    return litert.Interpreter(model_content=content), theirs


def call(interpreter, key, x, size=4, sample=0.0):
    """A signature's outputs; the runner goes, since LiteRT allocates nothing while one is held."""
    found = interpreter.get_signature_runner(key)(
        x=np.array([x], np.int32),
        any=np.full((1, size), x, np.float32),
        samples=np.full((1, 1), sample, np.float32),
    )
    return {name: value.tolist() for name, value in sorted(found.items())}


def invoke(interpreter, x, sample):
    """The main subgraph's outputs, run by the names that the interpreter itself has."""
    values = {
        "x": np.array([x], np.int32),
        "any": np.full(interpreter.get_input_details()[1]["shape"], x, np.float32),
        "samples": np.full((1, 1), sample, np.float32),
    }
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], values[detail["name"]])
    interpreter.invoke()
    return outputs(interpreter)


def outputs(interpreter):
    details = interpreter.get_output_details()
    return [interpreter.get_tensor(one["index"]).tolist() for one in details]


def resize(interpreter, size, x, sample):
    """Resize the main subgraph and run it: until then LiteRT's tensors there hold anything."""
    index = interpreter.get_input_details()[1]["index"]
    interpreter.resize_tensor_input(index, [1, size])
    interpreter.allocate_tensors()
    return invoke(interpreter, x, sample)


def steps(choose, keys, count=25):
    """Random calls, each a function of an interpreter."""
    for _ in range(count):
        kind = choose.choice(["call", "call", "invoke", "read", "reset", "resize"])
        x, size, sample = choose.randint(-9, 9), choose.choice([4, 4, 3, 6]), choose.randint(0, 9)
        key = choose.choice(keys)
        if kind == "call":
            yield lambda it, a=(key, x, size, sample): call(it, *a)
        elif kind == "invoke":
            yield lambda it, a=(x, sample): invoke(it, *a)
        elif kind == "read":
            yield outputs
        elif kind == "reset":
            yield lambda it: it.reset_all_variables()
        else:
            yield lambda it, a=(size, x, sample): resize(it, *a)


@pytest.mark.parametrize("seed", range(8))
def test_signatures_and_invoke_share_variables_as_in_litert(seed):
    choose = random.Random(seed)
    ours, theirs = pair(program(choose))
    keys = list(ours.get_signature_list())
    for interpreter in (ours, theirs):
        interpreter.allocate_tensors()
        for key in keys:
            call(interpreter, key, 0)
    for number, step in enumerate(steps(choose, keys)):
        assert (number, step(ours)) == (number, step(theirs))


def total(shape=(1,)):
    """The sum of all inputs, in a variable that has the input's shape."""
    once, b = ModelBuilder("once"), ModelBuilder()
    assign(once, handle(once), once.constant("start", np.full(shape, START, np.int32)))
    x = b.input("x", shape, "int32")
    variable = handle(b)
    value = add(b, read(b, variable, shape), x)
    assign(b, variable, value)
    b.output(value)
    return write(b.build(subgraphs=[once.subgraph()]))


def test_a_variable_that_holds_a_value_keeps_its_size():
    interpreter = litert.Interpreter(model_content=total())
    for size, fails in ((1, False), (2, True), (1, False)):
        interpreter.resize_tensor_input(0, [size])
        if fails:
            with pytest.raises(RuntimeError, match=r"'v' holds 4 bytes, .* would now assign 8"):
                interpreter.allocate_tensors()
            continue
        interpreter.allocate_tensors()
        interpreter.set_tensor(0, np.array([3], np.int32))
        interpreter.invoke()
    assert interpreter.get_tensor(interpreter.get_output_details()[0]["index"]) == 6
