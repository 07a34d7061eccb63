"""Operators are found by their names; resolvers say what they hold, as TFLM's do."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
import arenite.ops.signal
from arenite.errors import UnsupportedOperatorError
from arenite.formats import tflite
from arenite.model import BuiltinOperator, Model, ModelBuilder
from arenite.ops import builtin, builtin_names, custom_names, mnn_names, module_name
from arenite.ops.tflm_names import add_method
from tests.mnn.operator_models import LEGAL

OWN = ar.Registration(invoke=lambda context, node: None)


# -- namespaces ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("CONV_2D", "arenite.ops.tflite.conv_2d"),
        ("MNN_TOP_K", "arenite.mnn.operators.top_k"),
        ("SignalFftAutoScale", "arenite.ops.signal.signal_fft_auto_scale"),
        ("CIRCULAR_BUFFER", "arenite.ops.custom.circular_buffer"),
        ("TFLite_Detection_PostProcess", "arenite.ops.custom.tflite_detection_post_process"),
        ("ethos-u", "arenite.ops.custom.ethos_u"),
        ("no operator", None),
        ("__init__", None),
        ("../x", None),
        ("", None),
    ],
)
def test_a_name_says_the_module(name: str, module: str | None) -> None:
    assert module_name(name) == module


def test_every_name_leads_to_its_own_file() -> None:
    for name in (*builtin_names(), *mnn_names(), *custom_names()):
        found = builtin(name)
        assert found is not None
        assert found.name == name


@pytest.mark.parametrize("name", ["Conv_2d", "MNN_top_k", "NoSuchOperator", "x" * 10_000])
def test_other_names_are_nobodys(name: str) -> None:
    assert builtin(name) is None


@pytest.fixture
def signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A namespace of custom operators that holds ``SignalFramerOfTests``."""
    monkeypatch.setattr(
        arenite.ops.signal, "__path__", [*arenite.ops.signal.__path__, str(tmp_path)]
    )
    (tmp_path / "signal_framer_of_tests.py").write_text(
        "from arenite.ops.registry import Registration\n"
        "REGISTRATION = Registration(name='SignalFramerOfTests', invoke=print)\n"
    )
    importlib.invalidate_caches()
    builtin.cache_clear()
    yield
    builtin.cache_clear()
    del sys.modules["arenite.ops.signal.signal_framer_of_tests"]


@pytest.mark.usefixtures("signal")
def test_a_custom_operator_is_found_by_its_exact_name() -> None:
    found = builtin("SignalFramerOfTests")
    assert found is not None
    assert found.invoke is print
    assert builtin("SIGNAL_FRAMER_OF_TESTS") is None
    assert "SignalFramerOfTests" in custom_names()
    assert ar.AllOpsResolver().find("SignalFramerOfTests") == found


# -- what TFLM does not have --------------------------------------------------------------


def one(name: str, *, custom: bool) -> Model:
    """A ``.tflite`` model with an operator of that name."""
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "float32"), b.tensor("y", (2, 4), "float32")
    inputs = [x, b.constant("m", np.array([2, 1], np.int32))]
    b.operator(name, inputs, [y], custom_options=b"" if custom else None)
    b.output(y)
    return tflite.read(tflite.write(b.build()))


def test_every_builtin_operator_is_one_that_tflm_has() -> None:
    assert [name for name in builtin_names() if add_method(name) is None] == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("TILE", "resolver.add('TILE', ar.Registration(prepare=..., invoke=...))"),
        ("MNN_TILE", "resolver.add_custom('MNN_TILE', ar.Registration(prepare=..., invoke=...))"),
    ],
)
def test_tflite_files_are_refused_what_tflm_does_not_have(name: str, line: str) -> None:
    model = one(name, custom=name.startswith("MNN_"))
    for load in (ar.Interpreter, lambda model: ar.smallest_arena(model, ar.AllOpsResolver())):
        with pytest.raises(UnsupportedOperatorError) as caught:
            load(model)
        assert f"TFLM has no operator {name}: no firmware runs the model" in str(caught.value)
        assert line in str(caught.value)


def test_every_builtin_operator_of_tflm_is_here() -> None:
    assert [n for n in BuiltinOperator.__members__ if add_method(n) and builtin(n) is None] == []


def test_an_operator_that_only_the_resolver_lacks_is_not_said_to_be_unknown() -> None:
    with pytest.raises(UnsupportedOperatorError) as caught:
        ar.Interpreter(one("RELU", custom=False), resolver=ar.MutableOpResolver())
    assert "TFLM has no operator" not in str(caught.value)
    assert "resolver.add('RELU')" in str(caught.value)


def test_a_registration_of_the_users_own_is_taken_for_any_name() -> None:
    resolver = ar.MutableOpResolver().add_custom("MNN_TILE", OWN)
    assert ar.Interpreter(one("MNN_TILE", custom=True), resolver=resolver)


def test_a_built_model_may_hold_operators_of_mnns() -> None:
    assert ar.Interpreter(LEGAL["MNN_TILE"].model())


def test_an_empty_resolver_is_not_replaced() -> None:
    with pytest.raises(UnsupportedOperatorError):
        ar.Interpreter(one("RELU", custom=False), resolver=ar.MutableOpResolver())


# -- resolvers ----------------------------------------------------------------------------


def test_a_resolver_has_room_for_as_many_operators_as_it_says() -> None:
    resolver = ar.MutableOpResolver(2).add("CONV_2D").add_custom("MINE", OWN)
    with pytest.raises(ValueError, match="'SOFTMAX': the resolver's size is too small: it has "):
        resolver.add("SOFTMAX")
    assert list(resolver) == ["CONV_2D", "MINE"]
    with pytest.raises(ValueError, match="'MINE' is registered already"):
        resolver.add_custom("MINE", OWN)


@pytest.mark.parametrize("size", [0, -1])
def test_a_resolver_has_room_for_one_operator_at_least(size: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1, got {size}"):
        ar.MutableOpResolver(size)


def test_all_operators_are_counted_and_listed() -> None:
    resolver = ar.AllOpsResolver()
    names = list(resolver)
    assert len(resolver) == len(names) == len(set(names)) > 60
    assert "CONV_2D" in names
    assert all(name in resolver for name in names)
    assert "COMPLEX_ABS" not in resolver
    assert 3 not in resolver


def test_an_added_operator_is_counted_once() -> None:
    before = len(ar.AllOpsResolver())
    resolver = ar.AllOpsResolver()
    resolver.add("CONV_2D", OWN).add_custom("MINE", OWN)
    assert len(resolver) == before + 1
    assert "MINE" in resolver
