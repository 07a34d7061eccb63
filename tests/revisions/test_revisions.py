"""Which TFLM a target has, and what that changes."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import fields

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.device import device_operators
from arenite.errors import ConstraintError, UndefinedWarning, UnsupportedOperatorError
from arenite.libraries.revised import RevisedResolver
from arenite.memory import structs
from arenite.memory.abi import ABIS, abi_of
from arenite.model import Model, ModelBuilder
from arenite.ops import builtin
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.resize_nearest_neighbor import ResizeNearestNeighborOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from arenite.revisions.changes import changes
from arenite.revisions.known import FIRST, LAST, revision_of
from arenite.runtime.interpreter_config import Setup
from arenite.target import Target
from tests.fuzz.seeds import random_models
from tests.revisions.measure import FIGURES, FINE, arena_of, fixed_models
from tests.revisions.models import reversing
from tests.revisions.structs_32 import FIGURES as COMPILED_FIGURES
from tests.revisions.structs_32 import STRUCTS
from tests.worker import ROOT

WHATS = {
    *("operator", "types", "scales", "options", "ratios", "memory", "struct", "library"),
    *("build", "other"),
}
MEASURED = json.loads(FIGURES.read_text(encoding="utf-8"))
COMPILED = json.loads(COMPILED_FIGURES.read_text(encoding="utf-8"))
SOURCES = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "src").rglob("*.py"))


def unary(
    name: str,
    kind: str,
    options: object = None,
    shape: tuple[int, ...] = (1, 4),
    scale: float = 0.25,
) -> Model:
    b = ModelBuilder()
    x = b.input("x", shape, kind, scale=0.5)
    y = b.tensor("y", shape, kind, scale=scale)
    b.operator(name, [x], [y], options)
    b.output(y)
    return b.build(name)


def binary(name: str, kind: str) -> Model:
    b = ModelBuilder()
    inputs = [b.input(one, (1, 4), kind, scale=0.5) for one in "ab"]
    y = b.tensor("y", (1, 4), kind, scale=0.25)
    b.operator(name, inputs, [y])
    b.output(y)
    return b.build(name)


ONE = np.array([[4]], np.int8)


def two_units(kind: str = "int8") -> Model:
    """A FULLY_CONNECTED of weights 1 and 1, with the scales 1 and 2."""
    b = ModelBuilder()
    x = b.input("x", (1, 1), kind, scale=1.0)
    w = b.constant("w", np.ones((2, 1), np.int8), scale=[1.0, 2.0])
    y = b.tensor("y", (1, 2), kind, scale=1.0)
    b.operator("FULLY_CONNECTED", [x, w, -1], [y])
    b.output(y)
    return b.build("two units")


def product(lhs: tuple[int, ...], rhs: tuple[int, ...], *, adj_x: bool) -> Model:
    """A BATCH_MATMUL of 2x2 matrices."""
    b = ModelBuilder()
    inputs = [b.input("x", lhs, "float32"), b.input("z", rhs, "float32")]
    y = b.tensor("y", max(lhs, rhs, key=lambda shape: (len(shape), shape)), "float32")
    b.operator("BATCH_MATMUL", inputs, [y], BatchMatMulOptions(adj_x))
    b.output(y)
    return b.build("product")


def reduction(name: str, kind: str, axes: list[int], shape: tuple[int, ...] = (2, 2, 2)) -> Model:
    """A reduction."""
    gone = {axis % len(shape) for axis in axes}
    b = ModelBuilder()
    x = b.input("x", shape, kind, scale=0.5)
    left = tuple(size for axis, size in enumerate(shape) if axis not in gone)
    y = b.tensor("y", left, kind, scale=0.5)
    b.operator(name, [x, b.constant("axes", np.array(axes, np.int32))], [y])
    b.output(y)
    return b.build(name)


# -- names --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("2024-06-15", "2024-06-15"),
        ("2024-02", "2024-02-29"),
        (LAST[:7], LAST),
        ("pico-tflmicro", "2024-12-26"),
        ("Pico_TFLMicro", "2024-12-26"),
    ],
)
def test_a_name_is_a_day(name, date):
    assert revision_of(name).date == date


@pytest.mark.parametrize(
    "name",
    [
        "2021-12",
        "2026-11",
        "2026-10-24",
        "2024-13",
        "2024-02-30",
        "2024",
        "zephyr-1.0",
        "",
        "2024-06-",
    ],
)
def test_other_names_are_refused_with_those_that_are_known(name):
    with pytest.raises(
        ValueError, match=r"pico-tflmicro, simplicity-sdk, tflm, zephyr, got"
    ) as caught:
        revision_of(name)
    assert str(caught.value).endswith(repr(name))


def test_a_target_refuses_them_too():
    with pytest.raises(ValueError, match="expected a revision of TFLM from 2022-01 to"):
        Target("host", tflm="yesterday")


def test_a_target_says_its_revision():
    assert str(Target("cortex-m4", tflm="pico-tflmicro")).endswith(
        "TFLM of 2024-12-26 in pico-tflmicro 2024-12-26"
    )


# -- the tables ---------------------------------------------------------------------------


@pytest.mark.parametrize("row", changes(), ids=lambda row: f"{row.what} {row.subject} {row.since}")
def test_a_row_says_what_changed_when_and_what_shows_it(row):
    assert row.what in WHATS
    assert FIRST <= row.since <= LAST
    assert re.fullmatch("[0-9a-f]{8}|package", row.commit)
    assert row.file
    assert row.oracle in {"wheels", "board", "compiler", "source"}
    assert row.oracle != "wheels" or row.since > min(MEASURED), "no package is that old"


@pytest.mark.parametrize("row", changes(), ids=lambda row: f"{row.what} {row.subject} {row.since}")
def test_a_row_is_about_something_that_there_is(row):
    if row.what in {"struct", "library"}:
        assert f'"{row.subject.removeprefix("cmsis_nn.")}"' in SOURCES or (
            f'"{row.subject}"' in SOURCES or builtin(row.subject.rpartition(".")[2])
        )
    elif row.what != "build":
        assert builtin(row.subject.rpartition(".")[2]) is not None
    if row.what == "options":
        known = {field.name for field in fields(builtin(row.subject.rpartition(".")[2]).options)}
        assert {part.split("=")[0] for part in row.before.split() if "=" in part} <= known
    if row.what == "memory":
        for part in row.before.split(","):
            purpose, kind = part.split(":")
            assert "per input" in kind or f'"{purpose.strip()}"' in SOURCES


# -- what they mean -----------------------------------------------------------------------


def test_without_a_revision_nothing_is_looked_up():
    assert abi_of(Target("host")) is ABIS["lp64"]
    resolver = ar.AllOpsResolver()
    assert Setup.of(None).resolver(resolver) is resolver
    assert not isinstance(Setup.of("cortex-m4").resolver(resolver), RevisedResolver)


def test_an_operator_that_came_later_is_missing_with_its_day():
    with pytest.raises(UnsupportedOperatorError) as caught:
        ar.Interpreter(reversing(), target=Target("host", tflm="pico-tflmicro"))
    assert (
        "REVERSE_V2 came to TFLM on 2025-07-10 (41a9c8a6); TFLM of 2024-12-26 in pico-tflmicro "
        "2024-12-26 has none" in str(caught.value)
    )
    assert "resolver.add" not in str(caught.value)


def test_it_is_there_from_its_day_on():
    model = reversing()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    there = ar.Interpreter(model, target=Target("host", tflm="2025-07-10"))
    np.testing.assert_array_equal(there(x), x[:, ::-1])
    with pytest.raises(UnsupportedOperatorError):
        ar.Interpreter(model, target=Target("host", tflm="2025-07-09"))


def test_an_sdk_may_have_operators_beyond_its_day():
    b = ModelBuilder()
    x, w = b.input("x", (2, 3), "float32"), b.constant("w", np.ones((3, 2), np.float32))
    y = b.tensor("y", (2, 2), "float32")
    b.operator("BATCH_MATMUL", [x, w], [y])
    b.output(y)
    target = Target("cortex-m4", tflm="edge-impulse")
    assert (
        ar.Interpreter(b.build("product"), target=target)(np.ones((2, 3), np.float32)).sum() == 12
    )


def test_a_type_that_came_later_is_refused_with_its_day():
    ar.Interpreter(unary("RELU", "int16"), target=Target("host", tflm="2025-03-21"))
    with pytest.raises(
        ConstraintError, match=r"TFLM of 2025-03-20 takes; int16 came on 2025-03-21"
    ):
        ar.Interpreter(unary("RELU", "int16"), target=Target("host", tflm="2025-03-20"))


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_options_without_effect_have_none(engine):
    b = ModelBuilder()
    x = b.input("x", (1, 1, 4, 1), "float32")
    y = b.tensor("y", (1, 1, 2, 1), "float32")
    size = b.constant("size", np.array([1, 2], np.int32))
    b.operator("RESIZE_NEAREST_NEIGHBOR", [x, size], [y], ResizeNearestNeighborOptions(False, True))
    b.output(y)
    model, row = b.build("resized"), np.arange(4, dtype=np.float32).reshape(1, 1, 4, 1)
    then, now = (
        ar.Interpreter(model, engine=engine, target=Target("host", tflm=day))(row).ravel().tolist()
        for day in ("2026-02-09", "2026-02-10")
    )
    assert (then, now) == ([0, 2], [1, 3])


@pytest.mark.parametrize(
    ("day", "kind", "expected"),
    [
        ("2022-12-13", "float32", 3),
        ("2022-12-14", "float32", 1),
        ("2026-02-09", "int8", 3),
        ("2026-02-10", "int8", 1),
    ],
)
def test_activations_of_floats_had_an_effect_earlier(day, kind, expected):
    is_float = kind == "float32"
    b = ModelBuilder()
    size = b.constant("size", np.array([1, 1, 1, 1], np.int32))
    w = b.constant("w", np.ones((1, 1, 1, 1), kind), scale=None if is_float else [1.0])
    x = b.input("x", (1, 1, 1, 1), kind, scale=None if is_float else 1.0)
    y = b.tensor("y", (1, 1, 1, 1), kind, scale=None if is_float else 1.0)
    up_to_one = TransposeConvOptions(stride_w=1, stride_h=1, fused_activation_function=2)
    b.operator("TRANSPOSE_CONV", [size, w, x], [y], up_to_one)
    b.output(y)
    run = ar.Interpreter(b.build("clamped"), target=Target("host", tflm=day))
    assert run(np.full((1, 1, 1, 1), 3, kind)) == expected


def test_ratios_of_scales_were_single():
    b = ModelBuilder()
    x = b.input("x", (32768,), "int16", scale=7.64386)
    y = b.tensor("y", (32768,), "int16", scale=6.0708)
    b.operator("ABS", [x], [y])
    b.output(y)
    model, values = b.build("scaled"), np.arange(32768, dtype=np.int16)
    then, now = (
        ar.Interpreter(model, target=Target("host", tflm=day))(values).astype(int)
        for day in ("2026-10-12", "2026-10-13")
    )
    assert set(np.unique(then - now)) == {-1, 0}


@pytest.mark.parametrize("core", ["host", "cortex-m4"])
@pytest.mark.parametrize(("day", "expected"), [("2024-05-28", [4, 4]), ("2024-09-27", [4, 8])])
def test_the_first_scale_was_that_of_all_units(day, expected, core):
    model = two_units()
    assert ar.Interpreter(model, target=Target(core, tflm=day))(ONE)[0].tolist() == expected


def test_beside_int16_they_were_refused_for_longer():
    model = two_units("int16")
    with pytest.raises(ConstraintError, match=r"int8 where weights have a scale .* 2025-03-17"):
        ar.Interpreter(model, target=Target("host", tflm="2025-03-16"))
    now = ar.Interpreter(model, target=Target("host", tflm="2025-03-17"))
    assert now(ONE.astype(np.int16))[0].tolist() == [4, 8]


@pytest.mark.parametrize("core", ["host", "cortex-m4"])
def test_one_matrix_times_several_that_are_transposed_gave_the_first_alone(core):
    then, now = (Target(core, tflm=day) for day in ("2026-04-08", "2026-04-09"))
    with pytest.raises(ConstraintError, match=r"single matrix .* several of these came on 2026-04"):
        ar.Interpreter(product((3, 2, 2), (1, 2, 2), adj_x=True), target=then)
    ar.Interpreter(product((3, 2, 2), (1, 2, 2), adj_x=True), target=now)
    for lhs, rhs, adj_x in (
        ((3, 2, 2), (1, 2, 2), False),
        ((1, 2, 2), (1, 2, 2), True),
        ((3, 2, 2), (3, 2, 2), True),
        ((3, 2, 2), (2, 2), True),
    ):
        ar.Interpreter(product(lhs, rhs, adj_x=adj_x), target=then)


@pytest.mark.parametrize("axes", [[0, 1, 2], [-1, 0, 1]])
def test_more_than_two_axes_of_a_sum_were_written_behind_an_array(axes):
    with pytest.raises(ConstraintError, match=r"up to two axes, .*; more axes came on 2026-01-16"):
        ar.Interpreter(reduction("SUM", "float32", axes), target=Target("host", tflm="2026-01-15"))
    total = ar.Interpreter(
        reduction("SUM", "float32", axes), target=Target("host", tflm="2026-01-16")
    )
    assert total(np.ones((2, 2, 2), np.float32)) == 8


def test_of_a_mean_that_is_warned_about():
    target = Target("host", tflm="2026-01-15")
    with pytest.warns(UndefinedWarning, match="array of two axes, .* grew on 2026-01-16"):
        ar.Interpreter(reduction("MEAN", "float32", [0, 1, 2]), target=target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ar.Interpreter(reduction("MEAN", "float32", [0, 1]), target=target)


def test_a_sum_of_nothing_looks_at_no_axes():
    model = reduction("SUM", "float32", [0, 1, 2], shape=(2, 0, 2))
    then = ar.Interpreter(model, target=Target("host", tflm="2026-01-15"))
    assert then(np.ones((2, 0, 2), np.float32)) == 0


def test_an_axis_that_is_named_twice_counts_once():
    model = reduction("SUM", "float32", [0, 1, 0, -2])
    then = ar.Interpreter(model, target=Target("host", tflm="2026-01-15"))
    assert then(np.ones((2, 2, 2), np.float32)).tolist() == [4, 4]


def test_then_more_than_one_were_refused():
    with pytest.raises(ConstraintError, match="a scale per channel came on 2024-09-27"):
        ar.Interpreter(two_units(), target=Target("host", tflm="2024-05-29"))


def test_structs_are_those_of_the_day():
    size = structs.SINGLE_ARENA_BUFFER_ALLOCATOR.size
    days = ("2022-01-10", "2022-02", "2022-06", "2024-06")
    sizes = [size(abi_of(Target("cortex-m4", tflm=day))) for day in days]
    assert sizes == [7 * 4, 9 * 4, 10 * 4, 9 * 4]
    assert sizes[-1] == size(abi_of(Target("cortex-m4")))


def test_what_is_not_modelled_is_warned_about():
    model = next(iter(random_models("UNIDIRECTIONAL_SEQUENCE_LSTM", 1)))
    with pytest.warns(UndefinedWarning, match="written anew.* on 2023-02-02"):
        ar.Interpreter(model, target=Target("host", tflm="2023-01"))


def test_what_is_not_modelled_of_some_types_is_warned_about_for_these():
    target = Target("cortex-m4", tflm="2023-04-17")
    with pytest.warns(UndefinedWarning, match="MEAN rounds changed on 2023-04-18"):
        ar.Interpreter(reduction("MEAN", "int8", [1]), target=target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ar.Interpreter(reduction("MEAN", "float32", [1]), target=target)


def test_a_librarys_kernel_may_have_lacked_a_type():
    model = unary("MAX_POOL_2D", "int16", Pool2DOptions(1, 1, 1, 1, 1), (1, 1, 1, 4), 0.5)
    with pytest.raises(ConstraintError, match="int16 came on 2023-01-17"):
        ar.Interpreter(model, target=Target("cortex-m4", tflm="2023-01-16"))
    product = binary("MUL", "int16")
    with pytest.raises(ConstraintError, match="int16 came on 2022-12-20"):
        ar.Interpreter(product, target=Target("cortex-m4", tflm="2022-12-19"))
    with pytest.raises(ConstraintError, match="int16 came on 2023-02-14"):
        ar.Interpreter(product, target=Target("cortex-m4", "tflm", tflm="2023-02-13"))


def test_a_library_may_have_left_a_type_to_tflm():
    model = unary("SOFTMAX", "int16", SoftmaxOptions(beta=1.0), scale=1 / 32768)

    def is_cmsis_nns(day: str) -> bool:
        (only,) = device_operators(model, Target("cortex-m4", tflm=day))
        return only.calls_library

    assert [is_cmsis_nns(day) for day in ("2022-05-12", "2022-05-13")] == [False, True]


def test_groups_of_channels_came_later():
    b = ModelBuilder()
    x = b.input("x", (1, 1, 1, 4), "int8", scale=0.5)
    w = b.constant("w", np.ones((2, 1, 1, 2), np.int8), scale=[0.5, 0.5], zero_point=[0, 0])
    y = b.tensor("y", (1, 1, 1, 2), "int8", scale=0.5)
    bias = b.constant("bias", np.zeros(2, np.int32), scale=0.25)
    b.operator("CONV_2D", [x, w, bias], [y], Conv2DOptions(stride_w=1, stride_h=1))
    b.output(y)
    model = b.build("groups")
    with pytest.raises(ConstraintError, match=r"has all input channels, .* groups came on 2024-02"):
        ar.Interpreter(model, target=Target("cortex-m4", tflm="2024-02-08"))
    ar.Interpreter(model, target=Target("cortex-m4", tflm="2024-02-09"))


# -- next to TFLM's packages --------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*array of two axes")  # of bits, not of arenas
@pytest.mark.parametrize("day", MEASURED)
def test_arenas_are_those_of_the_days_package(day):
    files = fixed_models()
    arenas = MEASURED[day]["arenas"]
    known = {name: arena for name, arena in arenas.items() if name in files}
    assert len(known) >= 10
    assert {name: arena_of(files[name], day) for name in known} == known


@pytest.mark.parametrize("day", COMPILED)
def test_structs_are_as_large_as_the_compiler_says(day):
    abi = abi_of(Target("cortex-m4", tflm=day))
    assert len(COMPILED[day]) >= 10
    assert {name: STRUCTS[name].size(abi) for name in COMPILED[day]} == COMPILED[day]


@pytest.mark.parametrize("day", MEASURED)
def test_what_differs_from_the_package_is_on_the_page(day):
    page = (ROOT / "docs" / "revisions.md").read_text(encoding="utf-8")
    counts = MEASURED[day]["operators"]
    total = {kind: sum(one.get(kind, 0) for one in counts.values()) for kind in FINE}
    others = sum(sum(one.values()) for one in counts.values()) - sum(total.values())
    names = sorted(n for n, one in counts.items() if set(one) - set(total))
    cells = [day, *map("{:,}".format, total.values()), str(others), ", ".join(names) or "-"]
    assert f"| {' | '.join(cells)} |" in page
