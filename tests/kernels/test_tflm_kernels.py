"""TFLM's own kernels, compiled as a user's, are Arenite's: bits, head, tail, categories."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import arenite as ar
from arenite.errors import AreniteError, UndefinedWarning
from arenite.formats import tflite

pytest.importorskip("arenite.native._engine")

from arenite.kernels.compile import Kernels
from arenite.ops import MutableOpResolver, builtin
from arenite.ops.registry import custom_names
from tests.kernels.trees import full_tree, kernel_of
from tests.ops.differential import CASES, assert_same, module_of, random_array
from tests.ops.pooling import pooling_models

#: Builtin operators with weights, options, scratch memory, and none of that.
_BUILTINS = [
    *("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"),
    *("MUL", "ADD", "SOFTMAX", "AVERAGE_POOL_2D"),
]
_OTHERS = {"AVERAGE_POOL_2D": pooling_models("AVERAGE_POOL_2D")}
_ARENA = 1 << 20
few = settings(
    max_examples=max(CASES // 3, 5),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def compiled(operator: str) -> Kernels:
    """As a release build has it: what its debug builds refuse, it computes."""
    folder = full_tree()
    path, function = kernel_of(folder, operator)
    return ar.compile_kernels(path, tflm=folder, names={operator: function}, define={"NDEBUG": "1"})


def values_of(tensor, rng):
    """Values of an input; a scalar says how far bits are moved, or the like."""
    if tensor.type.name == "UINT64":
        return rng.integers(0, 2**64, tensor.shape, np.uint64)
    if tensor.type.name == "INT32" and tensor.shape:  # sums that overflow are undefined in C++
        return rng.integers(-(2**20), 2**20, tensor.shape, np.int32)
    if tensor.shape:
        return random_array(tensor, rng)
    return np.array(rng.integers(0, 8)).astype(tensor.type.dtype)


def run(model, resolver, steps):
    """Outputs of all steps, and how the arena is used."""
    micro = ar.MicroInterpreter(model, resolver, bytearray(b"\x5a" * _ARENA), engine="auto")
    micro.allocate_tensors()
    outputs = []
    for step in steps:
        for number, array in enumerate(step):
            micro.input(number)[...] = array
        micro.invoke()
        outputs += [micro.output(number).copy() for number in range(len(model.outputs))]
    used = micro.allocations()
    return outputs, (used.head, used.tail, used.categories)


#: For which TFLM has a kernel everywhere; its ``ethosu.cc`` has none but on an Ethos-U.
_CUSTOM = [name for name in custom_names() if name != "ethos-u"]


@pytest.mark.parametrize("operator", [*_CUSTOM, *_BUILTINS])
def test_its_kernel_is_arenites_operator(operator):
    kernels = compiled(operator)
    models = _OTHERS[operator] if operator in _OTHERS else module_of(operator).models()

    @few
    @given(model=models, seed=st.integers(0, 2**32 - 1))
    def compare(model, seed):
        model = tflite.read(tflite.write(model))
        rng = np.random.default_rng(seed)
        steps = [[values_of(tensor, rng) for tensor in model.inputs] for _ in range(3)]
        own = MutableOpResolver()._insert(operator, builtin(operator))
        theirs = MutableOpResolver()._insert(operator, kernels[operator])
        with warnings.catch_warnings():
            warnings.simplefilter("error", UndefinedWarning)
            try:
                expected, used = run(model, own, steps)
            except (AreniteError, UndefinedWarning):
                assume(False)
        got, theirs_used = run(model, theirs, steps)
        for number, (mine, its) in enumerate(zip(expected, got, strict=True)):
            assert_same(its, mine, model, number)
        assert theirs_used == used, str(model)

    compare()


def test_samples_that_start_anew_are_forgotten_by_its_reset():
    framer = module_of("SignalFramer").framer
    model = replace(framer(3, 2, prefill=True), registrations=dict(compiled("SignalFramer")))
    samples = np.arange(20, dtype=np.int16).reshape(10, 2)
    frames, _ = ar.Interpreter(model, engine="native").predict(samples, stateful=False)
    expected, _ = ar.Interpreter(replace(model, registrations={})).predict(samples, stateful=False)
    np.testing.assert_array_equal(frames, expected)
    np.testing.assert_array_equal(frames[:, 0], 0)  # as at the beginning


def test_samples_that_start_anew_need_no_python_on_threads_either(monkeypatch):
    def in_python(*_):
        raise AssertionError("samples were run one by one in Python")

    monkeypatch.setattr("arenite.runtime.predict.each_anew", in_python)
    framer = module_of("SignalFramer").framer
    model = replace(framer(3, 2, prefill=True), registrations=dict(compiled("SignalFramer")))
    samples = np.arange(80, dtype=np.int16).reshape(40, 2)
    run = ar.Interpreter(model, engine="native")
    one, _ = run.predict(samples, stateful=False)
    two, _ = run.predict(samples, stateful=False, threads=2)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one[:, 0], 0)
    sequence, _ = run.predict(samples, stateful=True)  # and is over with that
    assert sequence[-1, 0] != 0


@pytest.mark.parametrize("size", [16, 160, 1000])
def test_decompressed_values_lie_in_memory_beside_the_arena(size):
    decode, found = compiled("TFLM_DECODE")["TFLM_DECODE"], []
    for own in (builtin("TFLM_DECODE"), decode):
        resolver = MutableOpResolver()._insert("TFLM_DECODE", own).add("ADD")
        micro = ar.MicroInterpreter(module_of("TFLM_DECODE").two_layers(), resolver, 1 << 16)
        micro.set_decompression_memory(size)
        micro.allocate_tensors()
        micro.input()[...] = np.linspace(-1, 1, 40)
        for _ in range(2):
            micro.invoke()
        used = micro.allocations()
        found.append((micro.output().tolist(), used.head, used.tail))
    assert found[0] == found[1]
