"""A registration made of an operator's own: functions of Arenite's keep no rules of firmware."""

import importlib
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.kernel_check import check_kernel
from arenite.errors import StateError
from arenite.model import Model, ModelBuilder
from arenite.ops import Registration, builtin, builtin_names, module_name
from arenite.ops.registry import cases_of
from arenite.ops.tflite.relu import REGISTRATION as RELU
from arenite.runtime.heap_host import HeapInterpreter
from tests.runtime.models import copy, custom_chain

OPERATORS = [name for name in builtin_names() if cases_of(name) is not None]


def registration_of(name: str) -> Registration:
    """What stands in the operator's file."""
    place = module_name(name)
    assert place is not None
    found: Registration = importlib.import_module(place).REGISTRATION
    return found


def of_the_user(function: Any, *arguments: Any) -> Any:
    return function(*arguments)


@pytest.mark.parametrize("name", OPERATORS)
def test_with_an_invoke_of_the_user_s(name: str) -> None:
    own = registration_of(name)
    kernel = replace(own, invoke=partial(of_the_user, own.invoke))
    assert check_kernel(kernel, name, cases=3, seed=11).equal


@pytest.mark.parametrize("name", OPERATORS)
def test_with_a_free_of_the_user_s(name: str) -> None:
    kernel = replace(registration_of(name), free=lambda context, user_data: None)
    assert check_kernel(kernel, name, cases=3, seed=12).equal


@pytest.mark.parametrize("name", ["CONV_2D", "SOFTMAX", "SVDF"])
def test_as_it_is_it_is_the_operator(name: str) -> None:
    resolver = ar.MutableOpResolver().add(name, registration_of(name))
    assert resolver.find(name) == builtin(name)


@pytest.mark.filterwarnings("ignore::arenite.errors.UndefinedWarning")  # there are no scales
def test_under_another_name() -> None:
    kernel = replace(RELU, constraints=(), invoke=copy)
    resolver = ar.MutableOpResolver().add_custom("STEP", kernel)
    interp, heap = ar.Interpreter(custom_chain(), resolver=resolver), _heap(resolver)
    for one in (interp, heap):
        one.input(0)[...] = x = np.arange(16, dtype=np.int8).reshape(one.input(0).shape)
        one.invoke()
        assert (one.output(0) == x).all()


def _heap(resolver: ar.MutableOpResolver) -> HeapInterpreter:
    heap = HeapInterpreter(custom_chain(), resolver)
    heap.allocate_tensors()
    return heap


def test_a_function_of_the_user_s_beside_them_keeps_the_rules() -> None:
    def prepare(context: Any, node: Any) -> None:
        context.get_tensor(0)

    kernel = replace(RELU, prepare=prepare, constraints=())
    with pytest.raises(StateError, match="prepare must give all temporary memory back"):
        ar.Interpreter(custom_chain(), resolver=ar.AllOpsResolver().add_custom("STEP", kernel))


@pytest.mark.parametrize("base", [RELU, builtin("RELU")])
def test_a_reset_of_the_user_s_is_called_for_every_sample(base: Registration) -> None:
    seen: list[int] = []
    kernel = replace(base, reset=lambda context, data: seen.append(1))
    resolver = ar.MutableOpResolver().add("RELU", kernel)
    interp = ar.Interpreter(_relu(), resolver=resolver)
    before = len(seen)
    interp.predict(np.zeros((3, 4), np.float32), stateful=False)
    assert len(seen) - before >= 3


def _relu() -> Model:
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "float32"), b.tensor("y", (1, 4), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    return b.build()
