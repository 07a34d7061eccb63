"""Sizes of the structs in the arena per target.

lp64 is what the compiler made of them in the PyPI package (its machine code passes them as
constants); lp64_public and 32-bit targets follow from the fields in the public sources.
"""

import pytest

import arenite as ar
from arenite.memory import structs
from arenite.memory.abi import ARM_NONE_EABI, ILP32, ILP32_INT_ENUMS, LP64, LP64_PUBLIC, Abi, Struct
from arenite.memory.planners import GREEDY, LINEAR


@pytest.mark.parametrize(
    ("struct", "public", "ilp32"),
    [
        (structs.SINGLE_ARENA_BUFFER_ALLOCATOR, 72, 36),
        (structs.GREEDY_MEMORY_PLANNER, 72, 44),
        (structs.LINEAR_MEMORY_PLANNER, 8216, 4108),
        (structs.micro_allocator_struct(LP64_PUBLIC), 72, 36),
        (structs.BUILTIN_DATA_ALLOCATOR, 16, 8),
        (structs.SUBGRAPH_ALLOCATIONS, 16, 8),
        (structs.EVAL_TENSOR, 24, 12),
        (structs.NODE_AND_REGISTRATION, 64, 32),
        (structs.TENSOR, 64, 32),
        (structs.AFFINE_QUANTIZATION, 24, 12),
        (structs.int_array(3), 16, 16),
        (structs.SCRATCH_BUFFER_REQUEST, 16, 12),
        (structs.ALLOCATION_INFO, 32, 24),
        (structs.RESOURCE_VARIABLES, 16, 12),
        (structs.resource_variable_array(2), 80, 40),
    ],
    ids=lambda value: value.name if isinstance(value, Struct) else "",
)
def test_struct(struct: Struct, public: int, ilp32: int) -> None:
    assert (struct.size(LP64_PUBLIC), struct.size(ILP32)) == (public, ilp32)


def test_the_package_records_and_was_built_with_compression() -> None:
    assert [s.size(LP64) for s in structs.buffer_allocator_structs(LP64)] == [104]
    assert structs.micro_allocator_struct(LP64).size(LP64) == 272
    assert structs.SUBGRAPH_ALLOCATIONS.size(LP64) == 24


def test_fields_for_compression_count_only_where_it_was_built_in() -> None:
    struct = Struct("OpData", ("int8", "int32"), compression=("int", "pointer"))
    assert struct.size(LP64_PUBLIC) == 8
    assert struct.size(Abi("lp64", 8, compression=True)) == 24


def test_fields_of_the_package_count_only_there() -> None:
    struct = Struct("Params", ("int",), package=("pointer",))
    assert (struct.size(LP64_PUBLIC), struct.size(LP64)) == (4, 16)


@pytest.mark.parametrize("abi", [ILP32, ARM_NONE_EABI])
def test_enums_are_short_where_the_arm_toolchain_makes_them_short(abi: Abi) -> None:
    assert structs.TENSOR.size(abi) == 32
    assert structs.EVAL_TENSOR.size(abi) == 12
    assert Struct("Params", ("enum", "enum", "int")).size(abi) == 8


def test_enums_are_integers_on_other_32_bit_targets() -> None:
    assert structs.TENSOR.size(ILP32_INT_ENUMS) == 40
    assert Struct("Params", ("enum", "enum", "int")).size(ILP32_INT_ENUMS) == 12


@pytest.mark.parametrize("abi", [LP64_PUBLIC, ILP32, LP64])
def test_the_greedy_planner_works_in_40_bytes_per_buffer(abi: Abi) -> None:
    assert GREEDY.workspace(3, abi) == 120
    assert LINEAR.workspace(3, abi) == 0


def test_a_type_that_c_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected one of bool, .* pair, got 'word'"):
        ar.Struct("OpData", ("int32", "word")).size(LP64)


def test_a_struct_of_the_users_own_has_a_size_on_each_target() -> None:
    own = ar.Struct("OpData", ("int32", "pointer", (ar.Struct("Pair", ("int8", "int16")), 3)))
    assert (own.size(LP64), own.size(ILP32)) == (32, 20)
