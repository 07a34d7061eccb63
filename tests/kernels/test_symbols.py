"""The functions that give registrations: their names and namespaces, and what they return."""

import pytest

from arenite.errors import KernelBuildError
from arenite.kernels.symbols import Function, functions_in, named_function, one_for_each


def test_namespaces_come_from_the_object_and_types_from_the_text():
    text = "namespace a { namespace b {\nTFLMRegistration* Register_X() {\n"
    found = functions_in([text], [b"\0_ZN1a1b10Register_XEv\0"])
    assert found == [Function("a::b::Register_X", "TFLMRegistration*")]
    assert found[0].declaration == "namespace a { namespace b { TFLMRegistration* Register_X(); } }"


def test_a_function_of_no_namespace_and_one_of_c():
    text = "TFLMRegistration Register_A() {}\nconst TFLMRegistration *Register_B(void) {}"
    found = functions_in([text], [b"_Z10Register_Av\0Register_B\0"])
    assert [one.declaration for one in found] == [
        "TFLMRegistration Register_A();",
        'extern "C" const TFLMRegistration* Register_B();',
    ]


def test_what_is_only_declared_or_called_or_a_comment_is_none():
    text = "// X* Register_A() {\nX* Register_B();\nvoid f() { g(Register_C()); }"
    assert functions_in([text], []) == []


def test_functions_with_arguments_are_others():
    assert functions_in(["X* Register_A() {"], [b"_ZN1a10Register_AEi\0"])[0].is_c


@pytest.mark.parametrize("name", ["a::Register_X", "Register_X", "X"])
def test_a_function_is_found_by_any_of_its_names(name):
    function = Function("a::Register_X", "T*")
    assert named_function([function], name, []) is function


def test_one_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(KernelBuildError, match="'Y' there, got a::Register_X"):
        named_function([Function("a::Register_X", "T*")], "Y", [])


TWICE = "namespace a { T* Register_X() {} }\nnamespace b { T* Register_X() {} }"


def test_two_functions_for_one_operator_are_refused_by_name():
    found = functions_in([TWICE], [b"\0_ZN1a10Register_XEv\0_ZN1b10Register_XEv\0"])
    with pytest.raises(KernelBuildError, match=r"one function for X, got a::Register_X, b::Regist"):
        one_for_each(found, [])
    with pytest.raises(KernelBuildError, match=r"--kernel X=FILE\.cc:a::Register_X takes one"):
        named_function(found, "Register_X", [])
    assert named_function(found, "b::Register_X", []).name == "b::Register_X"


def test_two_texts_of_which_one_is_compiled_are_one_function():
    assert [one.name for one in functions_in([TWICE], [b"\0_ZN1b10Register_XEv\0"])] == [
        "b::Register_X"
    ]
