"""Registrations: which native kernel may run instead of an ``invoke``."""

from dataclasses import replace

from arenite.ops import NativeKernel, Node, Registration, builtin

NODE = Node("ADD", (), ())


def nothing(context, node):
    pass


def test_an_operator_of_ours_has_the_native_kernel_of_its_name() -> None:
    add = builtin("ADD")
    assert add is not None
    assert add.kernel_for(NODE) == "ADD"


def test_a_registration_with_another_invoke_runs_that() -> None:
    add = builtin("ADD")
    assert add is not None
    assert replace(add, invoke=nothing).kernel_for(NODE) == ""


def test_with_another_prepare_or_init_the_invoke_runs_that_looks_at_its_parameters() -> None:
    add = builtin("ADD")
    assert add is not None
    assert replace(add, prepare=nothing).kernel_for(NODE) == ""
    assert replace(add, init=nothing).kernel_for(NODE) == ""
    assert replace(add, reset=nothing, free=nothing).kernel_for(NODE) == "ADD"


def test_an_operator_of_the_user_has_none() -> None:
    assert Registration(nothing).kernel_for(NODE) == ""


def test_the_kernel_may_depend_on_what_prepare_left() -> None:
    by_params = NativeKernel(nothing, lambda node: "ADD" if node.params else "")
    registration = Registration(nothing, native=by_params)
    prepared = replace(NODE, params="a record")
    assert [registration.kernel_for(node) for node in (NODE, prepared)] == ["", "ADD"]
