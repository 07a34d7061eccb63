"""TFLM's kernels with CMSIS-NN: which function they call, what they refuse, what they leave be."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

import arenite as ar
from arenite.libraries.cmsis_nn.operators import glue_for
from arenite.libraries.glue import OpData, OwnBits, registration
from arenite.libraries.library import LibraryResolver
from arenite.model import Model
from arenite.ops import AllOpsResolver, MutableOpResolver, Node
from arenite.ops.kernel_util import output_array
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import Target, find_target
from tests.libraries.cmsis_nn.small_models import MODELS, dense, matmul, operator, pair
from tests.runtime.models import copy, custom_chain, resolver_with

PLENTY = 1 << 20


def path_of(name: str, target: str = "cortex-m4") -> tuple[str, str]:
    """Function and innermost loop that a small model's operator goes to."""
    seen: list[OpData] = []
    resolver = LibraryResolver(AllOpsResolver(), find_target(target))
    model = MODELS[name]()
    found = resolver.find(model.main.operators[0].name)
    assert found is not None
    assert found.prepare is not None
    prepare = found.prepare

    def spy(context, node):
        params = prepare(context, node)
        seen.append(node.user_data)
        return params

    spied = MutableOpResolver().add(found.name, replace(found, prepare=spy))
    MicroInterpreter(model, spied, PLENTY).allocate_tensors()
    path = seen[0].path
    return path.function, path.calls[-1]


@pytest.mark.parametrize(
    ("name", "function", "innermost"),
    [
        ("conv int8", "arm_convolve_s8", "arm_nn_mat_mult_kernel_s8_s16"),
        ("conv int8 1x1", "arm_convolve_1x1_s8_fast", "arm_nn_mat_mult_nt_t_s8"),
        ("conv int8 line", "arm_convolve_1_x_n_s8", "arm_nn_mat_mult_kernel_s8_s16"),
        ("conv int4", "arm_convolve_s4", "arm_convolve_s4"),
        ("conv int16", "arm_convolve_s16", "arm_nn_mat_mult_kernel_s16"),
        ("conv float32", "reference_ops::Conv", "reference_ops::Conv"),
        ("depthwise int8", "arm_depthwise_conv_s8_opt", "arm_depthwise_conv_s8_opt"),
        ("depthwise int8 3x3", "arm_depthwise_conv_3x3_s8", "arm_depthwise_conv_3x3_s8"),
        ("depthwise int8 one channel", "arm_depthwise_conv_s8", "depthwise_conv_s8_generic"),
        ("depthwise int4", "arm_depthwise_conv_s4_opt", "arm_depthwise_conv_s4_opt"),
        ("depthwise int16", "arm_depthwise_conv_s16", "arm_depthwise_conv_s16"),
        ("dense int8", "arm_fully_connected_s8", "arm_nn_vec_mat_mult_t_s8"),
        (
            "dense int8 per unit",
            "arm_fully_connected_per_channel_s8",
            "arm_nn_vec_mat_mult_t_per_ch_s8",
        ),
        ("dense int8 3 dimensions", "arm_convolve_1x1_s8_fast", "arm_nn_mat_mult_nt_t_s8"),
        ("dense int4", "arm_fully_connected_s4", "arm_nn_vec_mat_mult_t_s4"),
        ("dense int16", "arm_fully_connected_s16", "arm_nn_vec_mat_mult_t_s16"),
        ("average pool int8", "arm_avgpool_s8", "arm_avgpool_s8"),
        ("average pool int16", "arm_avgpool_s16", "arm_avgpool_s16"),
        ("average pool float32", "reference_ops::AveragePool", "reference_ops::AveragePool"),
        ("max pool int8", "arm_max_pool_s8", "arm_max_pool_s8"),
        ("softmax int8", "arm_softmax_s8", "arm_nn_softmax_common_s8"),
        ("softmax int16", "arm_softmax_s16", "arm_softmax_s16"),
        ("add int8", "arm_elementwise_add_s8", "arm_elementwise_add_s8"),
        ("mul int8", "arm_elementwise_mul_s8", "arm_elementwise_mul_s8"),
        ("maximum int8", "arm_maximum_s8", "arm_maximum_s8"),
        ("svdf int8", "arm_svdf_s8", "arm_nn_vec_mat_mult_t_s8"),
        ("svdf int16 state", "arm_svdf_state_s16_s8", "arm_nn_vec_mat_mult_t_svdf_s8"),
        ("matmul int8", "arm_batch_matmul_s8", "arm_nn_vec_mat_mult_t_s8"),
        ("matmul int16", "arm_batch_matmul_s16", "arm_nn_vec_mat_mult_t_s16_s16"),
        ("transposed int8 few", "arm_transpose_conv_s8", "arm_nn_transpose_conv_row_s8_s32"),
        ("transposed int8 many", "arm_convolve_s8", "arm_nn_mat_mult_kernel_s8_s16"),
        ("transposed int16", "reference_ops::TransposeConv", "reference_ops::TransposeConv"),
        ("lstm int8", "arm_lstm_unidirectional_s8", "arm_nn_lstm_step_s8"),
        ("lstm float32", "reference_ops::EvalLstm", "reference_ops::EvalLstm"),
        ("pad int8", "arm_pad_s8", "arm_pad_s8"),
        ("transpose int8", "arm_transpose_s8", "arm_transpose_s8"),
    ],
)
def test_the_function_of_every_kernel(name: str, function: str, innermost: str) -> None:
    assert path_of(name) == (function, innermost)


def test_softmax_with_vectors_has_loops_of_its_own() -> None:
    assert path_of("softmax int8", "cortex-m55") == ("arm_softmax_s8", "arm_softmax_s8")


@pytest.mark.parametrize(
    ("shapes", "function", "holds"),
    [
        ([(1, 4, 4, 3), (4, 4, 3)], "arm_elementwise_add_s8", True),
        ([(1, 4, 4, 3), (1, 1, 1, 3)], "reference_ops::BroadcastAdd4DSlow", False),
    ],
)
def test_inputs_that_broadcast_are_added_by_tflm(
    shapes: list[tuple[int, ...]], function: str, holds: bool
) -> None:
    model = operator("ADD", "int8", (shapes, (1, 4, 4, 3)))
    glue = glue_for("ADD")
    assert glue is not None
    seen = []
    decide = glue.decide

    def spy(view, target):
        seen.append(decide(view, target))
        return seen[-1]

    run(model, replace(glue, decide=spy))
    assert (seen[0].function, seen[0].conditions[0].holds) == (function, holds)
    text = f"the inputs have one shape: {list(shapes[0])}, {list(shapes[1])}"
    assert seen[0].conditions[0].sentence == text


def run(model: Model, glue) -> None:
    name = model.main.operators[0].name
    reference = AllOpsResolver().find(name)
    assert reference is not None
    resolver = MutableOpResolver().add(name, registration(reference, glue, Target("cortex-m4")))
    MicroInterpreter(model, resolver, PLENTY).allocate_tensors()


# -- what is refused ---------------------------------------------------------------------------


def with_zero_point(model: Model, name: str) -> Model:
    """The model with a zero point of 1 on one tensor."""
    tensors = []
    for tensor in model.main.tensors:
        if tensor.name == name:
            assert tensor.quantization is not None
            changed = replace(tensor.quantization, zero_point=np.array([1]))
            tensor = replace(tensor, quantization=changed)  # noqa: PLW2901
        tensors.append(tensor)
    return replace(model, subgraphs=(replace(model.main, tensors=tuple(tensors)),))


def refusal(model: Model, target: str = "cortex-m4") -> str:
    """Why a model is refused with CMSIS-NN; the reference kernels run it."""
    resolver = AllOpsResolver()
    MicroInterpreter(model, resolver, PLENTY).allocate_tensors()
    micro = MicroInterpreter(model, resolver, PLENTY, target=target)
    with pytest.raises(ar.ConstraintError) as caught:
        micro.allocate_tensors()
    return str(caught.value)


@pytest.mark.parametrize("name", ["conv int16", "depthwise int16", "dense int16"])
@pytest.mark.parametrize("tensor", ["x0", "y"])
def test_int16_is_symmetric(name: str, tensor: str) -> None:
    message = refusal(with_zero_point(MODELS[name](), tensor))
    assert "With CMSIS-NN int16 input and output have the zero point 0." in message


def test_int16_dense_layers_have_one_scale_for_all_units() -> None:
    message = refusal(dense("int16", scales=10))
    assert "only int8 activations may have weights with a scale per unit" in message


def five_dimensional(name: str) -> Model:
    shape = (1, 2, 2, 2, 3)
    return operator(
        name, "int8", ([shape, shape], shape), pair(name, "int8", None).main.operators[0].options
    )


@pytest.mark.parametrize(
    "model",
    [
        lambda: five_dimensional("MAXIMUM"),
        lambda: operator(
            "BATCH_MATMUL",
            "int8",
            ([(1, 1, 2, 3, 4), (1, 1, 2, 4, 5)], (1, 1, 2, 3, 5)),
            matmul("int8", False, False).main.operators[0].options,
        ),
    ],
    ids=["maximum", "matmul"],
)
def test_both_inputs_have_at_most_4_dimensions(model: Callable[[], Model]) -> None:
    assert "With CMSIS-NN both inputs have at most 4 dimensions" in refusal(model())


def test_int8_beyond_4_dimensions_is_not_transposed() -> None:
    order = ("perm", np.array([0, 1, 2, 4, 3], np.int32), {})
    shapes = [(1, 1, 2, 2, 3)], (1, 1, 2, 3, 2)
    message = refusal(operator("TRANSPOSE", "int8", shapes, constants=[order]))
    assert "int8 has at most 4 dimensions: arm_transpose_s8 sees no more" in message


def test_an_int16_transposed_convolution_needs_a_bias() -> None:
    model = MODELS["transposed int16"]()
    node = model.main.operators[0]
    without = replace(node, inputs=node.inputs[:3])
    message = refusal(replace(model, subgraphs=(replace(model.main, operators=(without,)),)))
    assert "With CMSIS-NN int16 activations need a bias" in message


def test_with_vectors_the_feature_weights_of_an_svdf_are_a_constant() -> None:
    model = MODELS["svdf int8"]()
    feature = model.main.operators[0].inputs[1]
    tensors = list(model.main.tensors)
    tensors[feature] = replace(tensors[feature], data=None)
    main = replace(model.main, tensors=tuple(tensors), inputs=(*model.main.inputs, feature))
    message = refusal(replace(model, subgraphs=(main,)), "cortex-m55")
    assert "with CMSIS-NN and vectors the feature weights are a constant" in message


# -- what is left alone ------------------------------------------------------------------------


def test_operators_without_a_cmsis_nn_kernel_are_tflms() -> None:
    resolver = LibraryResolver(AllOpsResolver(), find_target("m4"))
    found, own = resolver.find("RESHAPE"), AllOpsResolver().find("RESHAPE")
    assert found == own


def test_an_operator_of_the_user_runs_as_it_is() -> None:
    custom = resolver_with("STEP")
    model = custom_chain()
    micro = MicroInterpreter(model, custom, PLENTY, target="cortex-m4")
    micro.allocate_tensors()
    micro.input(0)[...] = 7
    micro.invoke()
    assert micro.output(0).tolist() == [7] * 16


def test_a_builtin_operator_that_the_user_replaced_runs_as_it_is() -> None:
    ran = []

    def invoke(context, node):
        ran.append(node.name)
        copy(context, node)

    own = AllOpsResolver().find("SOFTMAX")
    assert own is not None
    resolver = MutableOpResolver().add("SOFTMAX", replace(own, invoke=invoke))
    assert LibraryResolver(resolver, find_target("m4")).find("SOFTMAX") == resolver.find("SOFTMAX")
    micro = MicroInterpreter(MODELS["softmax int8"](), resolver, PLENTY, target="cortex-m4")
    micro.allocate_tensors()
    micro.invoke()
    assert ran == ["SOFTMAX"]


@pytest.mark.parametrize("field", ["init", "prepare", "reset", "free", "overlap"])
def test_a_builtin_operator_of_which_one_function_is_replaced_stays_as_it_is(field: str) -> None:
    own = AllOpsResolver().find("SOFTMAX")
    assert own is not None
    other = replace(own, **{field: lambda *_: None})
    resolver = MutableOpResolver().add("SOFTMAX", other)
    assert LibraryResolver(resolver, find_target("m4")).find("SOFTMAX") == other


def test_a_replaced_prepare_gets_its_scratch_memory_on_a_cmsis_nn_target() -> None:
    own = AllOpsResolver().find("CONV_2D")
    assert own is not None
    assert own.prepare is not None
    handles = []

    def prepare(context, node):
        handles.append(context.request_scratch_buffer_in_arena(64, "mine"))
        return own.prepare(context, node)

    resolver = MutableOpResolver().add("CONV_2D", replace(own, prepare=prepare))
    micro = MicroInterpreter(MODELS["conv int8"](), resolver, PLENTY, target="cortex-m4")
    micro.allocate_tensors()
    assert handles == [0]
    assert [b.size for b in micro.plan.buffers if b.kind == "scratch"] == [64]


def test_a_strict_prepare_in_front_of_a_builtin_invoke_has_temporary_tensors() -> None:
    own = AllOpsResolver().find("SOFTMAX")
    assert own is not None
    shapes = []

    def prepare(context, node):
        x = context.allocate_temp_input_tensor(node, 0)
        shapes.append(x.shape)
        context.deallocate_temp_tflite_tensor(x)

    resolver = MutableOpResolver().add("SOFTMAX", replace(own, prepare=prepare, strict=True))
    micro = MicroInterpreter(MODELS["softmax int8"](), resolver, PLENTY, target="cortex-m4")
    micro.allocate_tensors()
    assert shapes == [MODELS["softmax int8"]().inputs[0].shape]


def test_missing_operators_are_named_as_ever() -> None:
    with pytest.raises(ar.UnsupportedOperatorError, match=re.escape("resolver.add('CONV_2D')")):
        MicroInterpreter(MODELS["conv int8"](), MutableOpResolver(), PLENTY, target="cortex-m4")


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a target of host, .*, got 'z80'"):
        MicroInterpreter(MODELS["conv int8"](), AllOpsResolver(), PLENTY, target="z80")


# -- what computes -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Sevens:
    """Parameters of nodes whose results are CMSIS-NN's own."""


def sevens(context, node) -> None:
    output_array(context, node)[...] = 7


def softmax_of_sevens(*, everywhere: bool, kernel: str = "") -> MutableOpResolver:
    """SOFTMAX whose results CMSIS-NN has of its own, for all nodes or for none."""
    glue, reference = glue_for("SOFTMAX"), AllOpsResolver().find("SOFTMAX")
    assert glue is not None
    assert reference is not None
    bits = OwnBits(
        Sevens, lambda view, params, target: Sevens() if everywhere else params, sevens, kernel
    )
    own = registration(reference, replace(glue, bits=bits), find_target("m4"))
    return MutableOpResolver().add("SOFTMAX", own)


def test_results_of_cmsis_nns_own_are_those_of_the_nodes_whose_parameters_say_so() -> None:
    model, results = MODELS["softmax int8"](), []
    for everywhere in (False, True):
        resolver = softmax_of_sevens(everywhere=everywhere)
        micro = MicroInterpreter(model, resolver, PLENTY)
        micro.allocate_tensors()
        micro.invoke()
        results.append(micro.output(0))
    assert (results[1] == 7).all()
    assert not (results[0] == 7).all()


@pytest.mark.parametrize(
    ("everywhere", "kernel", "found"),
    [(False, "X", "SOFTMAX"), (True, "X", "X"), (True, "", "")],
)
def test_the_native_kernel_is_the_one_for_the_parameters(
    everywhere: bool, kernel: str, found: str
) -> None:
    registration = softmax_of_sevens(everywhere=everywhere, kernel=kernel).find("SOFTMAX")
    assert registration is not None
    node = Node("SOFTMAX", (0,), (1,), params=Sevens() if everywhere else "the reference's")
    assert registration.kernel_for(node) == found


@pytest.mark.parametrize("name", ["CONV_2D", "SVDF", "RESHAPE"])
def test_where_results_are_the_reference_s_so_is_the_native_kernel(name: str) -> None:
    found = LibraryResolver(AllOpsResolver(), find_target("m4")).find(name)
    assert found is not None
    assert found.kernel_for(Node(name, (), ())) == name
