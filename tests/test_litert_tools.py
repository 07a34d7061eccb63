"""What tools and popular scripts call of LiteRT's interpreter, here and in LiteRT."""

import importlib.util

import numpy as np
import pytest

import arenite as ar
from arenite import litert
from arenite.formats.tflite import write
from arenite.model import ModelBuilder, OptionsTable, SignatureDef, TensorType
from arenite.ops import builtin
from tests.shared import DIGITS, shared_model

has_litert = pytest.mark.skipif(
    importlib.util.find_spec("ai_edge_litert") is None, reason="LiteRT is not installed"
)
ASKED = (
    *("get_input_details", "get_output_details", "_get_ops_details", "num_subgraphs"),
    *("get_signature_list", "_get_full_signature_list", "_safe_to_run"),
)
MODELS = ["hello_world_float", "kws_int8", "trained_lstm_int8", "vww_int8", "sww_int8"]


def both(content, **options):
    from ai_edge_litert.interpreter import Interpreter

    options = {"model_content": content, **options}
    return litert.Interpreter(**options), Interpreter(**options)


def options_of(name, **values):
    row = builtin(name).options or OptionsTable
    return row(**values)


def part(name, operator, factor=2):
    """x combined with a constant, as a builder of a subgraph."""
    b = ModelBuilder(name)
    x = b.input("x", (1,), "float32")
    c = b.constant("c", np.array([factor], np.float32))
    y = b.tensor("y", (1,), "float32")
    b.operator(operator, [x, c], [y], options_of(operator))
    b.output(y)
    return b


def two_signatures():
    """Two functions of x, whose names are not in order."""
    signatures = [
        SignatureDef("times", {"x": 0}, {"product": 2}, 1),
        SignatureDef("plus", {"x": 0}, {"sum": 2}, 0),
    ]
    times = part("times", "MUL", 5).subgraph()
    return write(part("plus", "ADD").build(subgraphs=[times], signatures=signatures))


def counter():
    """``set`` puts x into a variable, ``get`` reads it: subgraphs that share a state."""
    handle = options_of("VAR_HANDLE", container="", shared_name="count")

    def begun(name):
        b = ModelBuilder(name)
        resource = b.tensor("resource", (), "resource")
        b.operator("VAR_HANDLE", [], [resource], handle)
        return b, resource

    main, resource = begun("get")
    value = main.tensor("value", (1,), "float32")
    main.operator("READ_VARIABLE", [resource], [value])
    main.output(value)
    setter, resource = begun("set")
    x = setter.input("x", (1,), "float32")
    setter.operator("ASSIGN_VARIABLE", [resource, x], [])
    y = setter.tensor("y", (1,), "float32")
    setter.operator("RELU", [x], [y])
    setter.output(y)
    signatures = [
        SignatureDef("get", {}, {"value": value}, 0),
        SignatureDef("set", {"x": x}, {"y": y}, 1),
    ]
    return write(main.build(subgraphs=[setter.subgraph()], signatures=signatures))


def ready(content=None):
    interpreter = litert.Interpreter(model_content=content or DIGITS.read_bytes())
    interpreter.allocate_tensors()
    return interpreter


# -- answers of both ---------------------------------------------------------------------


@has_litert
@pytest.mark.parametrize("name", MODELS)
def test_tools_get_the_same_answers_of_a_model(name):
    ours, theirs = both(shared_model(name).read_bytes())
    for ask in ASKED:
        assert repr(getattr(ours, ask)()) == repr(getattr(theirs, ask)())
    for subgraph in range(ours.num_subgraphs()):
        mine, other = ours.get_tensor_details(subgraph), theirs.get_tensor_details(subgraph)
        assert list(map(repr, mine)) == list(map(repr, other))


@has_litert
def test_bfloat16_has_a_name_where_it_was_imported():
    pytest.importorskip("ml_dtypes")
    b = part("main", "ADD")
    b.tensor("other", (2, 3), "bfloat16")
    ours, theirs = both(write(b.build()))
    assert repr(ours.get_tensor_details()) == repr(theirs.get_tensor_details())
    assert ours.get_tensor_details()[-1]["name"] == "other"


@has_litert
@pytest.mark.parametrize("of_type", list(TensorType), ids=str)
def test_a_tensor_has_the_dtype_that_litert_says(of_type):
    b = part("main", "ADD")
    b.tensor("other", (2, 3), of_type)
    ours, theirs = both(write(b.build()))
    assert repr(ours.get_tensor_details()) == repr(theirs.get_tensor_details())


@has_litert
def test_a_signature_lists_its_names_in_litert_s_order():
    b = ModelBuilder()
    second, first = b.input("b", (1,), "float32"), b.input("a", (1,), "float32")
    y = b.tensor("y", (1,), "float32")
    b.operator("ADD", [second, first], [y], options_of("ADD"))
    b.output(y)
    signature = SignatureDef("sum", {"z": second, "a": first}, {"y": y})
    ours, theirs = both(write(b.build(signatures=[signature])))
    assert ours.get_signature_list() == theirs.get_signature_list()
    assert repr(ours._get_full_signature_list()) == repr(theirs._get_full_signature_list())


@has_litert
@pytest.mark.parametrize(
    "call",
    [
        lambda i: i._get_op_details(99),
        lambda i: i._get_op_details(-1),
        lambda i: i._get_tensor_details(99, 0),
        lambda i: i._get_tensor_details(-1, 0),
        lambda i: i.get_tensor(99),
        lambda i: i.get_tensor(0, 7),
        lambda i: i.get_tensor_details(3),
        lambda i: i.set_tensor(0, np.zeros((1, 8, 8, 1), np.float32)),
        lambda i: i.set_tensor(0, np.zeros((1, 8, 8, 1))),
        lambda i: i.set_tensor(0, "text"),
        lambda i: i.set_tensor(0, np.zeros((8, 8), np.int8)),
        lambda i: i.set_tensor(0, np.zeros((1, 8, 9, 1), np.int8)),
        lambda i: i.resize_tensor_input(0, [1, 9, 8, 1], strict=True),
        lambda i: i.resize_tensor_input(0, [[1, 8, 8, 1]]),
        lambda i: i.get_signature_runner(),
        lambda i: i.get_signature_runner("serve"),
        lambda i: [i.tensor(0)(), i.invoke()],
        lambda i: [i.tensor(0)(), i.allocate_tensors()],
        lambda i: [i.tensor(0)(), i.resize_tensor_input(0, [1, 8, 8, 1])],
    ],
)
def test_an_error_has_litert_s_class_and_begins_with_its_words(call):
    ours, theirs = both(DIGITS.read_bytes())
    said = []
    for interpreter in (ours, theirs):
        interpreter.allocate_tensors()
        with pytest.raises((ValueError, RuntimeError)) as caught:
            call(interpreter)
        said.append(caught)
    assert said[0].type is said[1].type
    assert str(said[0].value).startswith(str(said[1].value))


@has_litert
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"short", "The model is not a valid Flatbuffer buffer"),
        (b"wrong_identifier", "The model is not a valid Flatbuffer buffer"),
        (DIGITS.read_bytes()[:900], "The model is not a valid Flatbuffer buffer"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_litert_s_words(content, words):
    from ai_edge_litert.interpreter import Interpreter

    for make in (Interpreter, litert.Interpreter):
        with pytest.raises(ValueError, match=words):
            make(model_content=content)


@has_litert
def test_a_file_that_is_not_there_is_refused_in_litert_s_words():
    from ai_edge_litert.interpreter import Interpreter

    for make in (Interpreter, litert.Interpreter):
        with pytest.raises(ValueError, match="Could not open 'no/such'"):
            make(model_path="no/such")


# -- signatures --------------------------------------------------------------------------


def test_signatures_of_all_subgraphs_run():
    interpreter = ready(two_signatures())
    plus, times = map(interpreter.get_signature_runner, ("plus", "times"))
    x = np.array([3], np.float32)
    assert plus(x=x)["sum"].tolist() == [5]
    assert times(x=x)["product"].tolist() == [15]
    assert times.get_output_details()["product"]["name"] == "y"


@has_litert
def test_a_signature_of_another_subgraph_gives_what_litert_gives_for_every_shape():
    x = np.arange(3, dtype=np.float32)
    for key in ("plus", "times"):
        ours, theirs = (i.get_signature_runner(key) for i in both(two_signatures()))
        mine, other = ours(x=x), theirs(x=x)
        assert {name: one.tolist() for name, one in mine.items()} == {
            name: one.tolist() for name, one in other.items()
        }
        assert repr(ours.get_input_details()) == repr(theirs.get_input_details())


@has_litert
def test_signatures_share_variables():
    for interpreter in both(counter()):
        interpreter.allocate_tensors()
        put, get = interpreter.get_signature_runner("set"), interpreter.get_signature_runner("get")
        for value in (3.0, 4.0):
            put(x=np.array([value], np.float32))
            assert get()["value"].tolist() == [value]


def test_other_subgraphs_run_on_native_kernels():
    interpreter = ready(two_signatures())
    compiled = interpreter._runner._life.compiled
    if compiled is None:
        pytest.skip("there is no native engine")
    assert compiled.kernel(0, 1) != "python"


# -- arrays that are held ----------------------------------------------------------------


def test_nothing_runs_while_an_array_or_a_slice_of_one_is_held():
    interpreter = ready()
    ask = interpreter.tensor(0)
    held = ask()[0, 0]
    assert not interpreter._safe_to_run()
    with pytest.raises(RuntimeError, match="There is at least 1 reference"):
        interpreter.invoke()
    del held
    assert interpreter._safe_to_run()
    interpreter.invoke()


def test_an_array_of_tensor_writes_the_tensor():
    interpreter = ready()
    interpreter.tensor(0)()[:] = 5
    assert (interpreter.get_tensor(0) == 5).all()


def test_an_array_that_is_held_outlives_its_interpreter():
    interpreter = ready()
    interpreter.tensor(0)()[:] = 5
    held = interpreter.tensor(0)()
    del interpreter
    assert (held == 5).all()


# -- custom operators and delegates ------------------------------------------------------


def own_operator():
    b = ModelBuilder()
    x = b.input("x", (2,), "float32")
    y = b.tensor("y", (2,), "float32")
    b.operator("MINE", [x], [y], custom_options=b"")
    b.output(y)
    return write(b.build())


def register(resolver):
    def invoke(context, node):
        given, made = (context.get_eval_tensor(one[0]).data for one in (node.inputs, node.outputs))
        made[:] = given + 1

    resolver.add_custom("MINE", ar.Registration(invoke=invoke))


def test_a_registerer_adds_operators():
    interpreter = litert.InterpreterWithCustomOps(
        custom_op_registerers=[register], model_content=own_operator()
    )
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, np.array([1, 2], np.float32))
    interpreter.invoke()
    assert interpreter.get_tensor(1).tolist() == [2, 3]


def test_the_name_of_a_registerer_is_refused():
    with pytest.raises(ValueError, match="Looking up symbol 'Bogus' failed"):
        litert.InterpreterWithCustomOps(custom_op_registerers=["Bogus"], model_path=DIGITS)


def test_a_delegate_says_that_there_are_none():
    with pytest.raises(ValueError, match="no delegates"):
        litert.Delegate("libedgetpu.so.1")
    with pytest.raises(ValueError, match=r"Failed to load delegate from libedgetpu\.so\.1"):
        litert.load_delegate("libedgetpu.so.1")
