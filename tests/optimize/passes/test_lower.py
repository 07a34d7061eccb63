"""Lowering: what TFLM does not run is written from what it has; LiteRT says what is meant."""

import os
from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite import peers
from arenite.errors import AreniteError, OptimizationError
from arenite.formats import tflite
from arenite.model import ModelBuilder
from arenite.model.model import constant_bytes
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.optimize.lowerings import LOWERINGS, Rule, clamp
from arenite.optimize.passes.lower import lower
from arenite.optimize.settings import Settings
from arenite.target import Target
from tests.fuzz.bytes import mutant, places_of
from tests.optimize.lowered import KINDS as PLAIN
from tests.optimize.lowered import REVISED, Net
from tests.optimize.lowered_more import MORE
from tests.optimize.lowered_types import TYPES
from tests.oracle import Oracle

KINDS = PLAIN | TYPES | MORE
#: Each starts several processes; ``benchmarks/lower.py`` has many.
CASES = min(2, int(os.environ.get("ARENITE_CASES", "1")))
has_litert = pytest.mark.skipif(not peers.is_installed("litert"), reason="no LiteRT")
#: What LiteRT's rounding of inputs to 8 bits makes of hybrid layers, and what floats round; of the
#: largest output.
HYBRID, ROUNDED = 0.03, 2e-6
#: LiteRT goes by straight lines between 513 values.
INTERPOLATED = "EXP, int16"
#: Between floats, or as int8: a step of the result, or two.
STEPS = 2
#: TFLM does not refuse these: it takes integers for floats and reads beyond their end, or writes
#: slices beyond tensors of another shape, and the loop may not end.
MISREAD = "weights of a scale per channel behind DEQUANTIZE"
NOT_REFUSED = (
    "UNIDIRECTIONAL_SEQUENCE_LSTM, hybrid",
    "a sequence that a loop writes",
    "SVDF, hybrid",
    "a dilated convolution of an open batch",
    "a dilated convolution of an open batch, int8",
    "a dilated convolution of an open batch, unsaid",
    MISREAD,
)
#: Passes beside `lower` that make what is compared small.
FEW = ("lower", "fold", "clean")


def loaded(model):
    """As from a file: options of operators that Arenite does not have are raw."""
    return ar.load(tflite.write(model))


def zeros(model):
    return [np.zeros(one.shape, one.type.dtype) for one in model.inputs]


def names(model):
    return [one.name for one in model.main.operators]


@has_litert
@pytest.mark.parametrize("name", KINDS)
def test_tflm_refuses_the_original_and_runs_the_result_as_litert_runs_the_original(
    oracle: Oracle, name: str
):
    for seed in range(CASES):
        model = loaded(KINDS[name](np.random.default_rng(seed)))
        inputs = zeros(model)
        if name != MISREAD:
            with pytest.raises(AreniteError):
                ar.smallest_arena(model)
        if name not in NOT_REFUSED:
            data = tflite.write(KINDS[name](np.random.default_rng(seed)))
            assert oracle.run(data, [inputs]).status != "ok"
        result, report = ar.optimize(model, lower=True, only=FEW)
        assert oracle.run(tflite.write(result), [zeros(result)]).status == "ok"
        assert_near(report, name)


@has_litert
@pytest.mark.parametrize("name", REVISED)
def test_a_revision_gets_what_it_has(name: str):
    date, kind = REVISED[name]
    target = Target("host", tflm=date, abi="lp64_public")
    for seed in range(CASES):
        model = loaded(kind(np.random.default_rng(seed)))
        (lacked,) = names(model)
        same, nothing = ar.optimize(model, lower=True, only=["lower"])
        assert same is model, nothing
        result, report = ar.optimize(model, target, lower=True, only=FEW)
        assert lacked not in names(result)
        assert_near(report, name)


def assert_near(report, name):
    far = report.difference
    assert far is not None
    assert far.skipped == ""
    is_coarse = "hybrid" in name or name == INTERPOLATED
    most = HYBRID if is_coarse else ROUNDED
    is_integer = not is_coarse and report.model.outputs[0].type.dtype.kind in "iu"
    for one in far.outputs:
        assert one.difference <= (STEPS if is_integer else most * one.largest)
    if peers.is_installed("tflm"):
        assert "tflite_micro" in report.verification.ways


@pytest.mark.parametrize("name", KINDS)
def test_nothing_happens_unless_it_is_asked_for(name: str):
    model = loaded(KINDS[name](np.random.default_rng(0)))
    assert lower(model, Settings()).model is model


def test_a_model_that_runs_stays():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("TANH", [x], [y])
    b.output(y)
    model = b.build()
    assert lower(model, Settings(lower=True)).model is model


def made_by_rule(name: str, inputs: list[float], **options) -> list[float]:
    """What Arenite computes of a float operator once it is lowered."""
    net = Net(np.random.default_rng(0))
    x = net.input("x", (len(inputs),), "float32")
    model = loaded(net.ended(net.op(name, [x], (len(inputs),), **options)))
    result = lower(model, Settings(lower=True)).model
    return ar.Interpreter(result)(np.array(inputs, np.float32)).tolist()


def test_numbers_that_a_person_can_check():
    assert made_by_rule("RELU_0_TO_1", [-1, 0.25, 3]) == [0, 0.25, 1]
    assert made_by_rule("RELU_N1_TO_1", [-2, 0.25, 3]) == [-1, 0.25, 1]
    assert made_by_rule("SIGN", [-2, 0, 3]) == [-1, 0, 1]
    # x times the normal distribution: 0.8413 at 1, 0.1587 at -1
    assert made_by_rule("GELU", [-1, 0, 1]) == pytest.approx([-0.158655, 0, 0.841345], abs=1e-6)


def test_weights_become_the_real_numbers_that_they_stand_for():
    net = Net(np.random.default_rng(0))
    x = net.input("x", (1, 2), "float32")
    weights = net.constant("w", np.array([[2, -4], [6, 8]], np.int8), scale=[0.5, 0.25])
    model = net.ended(net.op("FULLY_CONNECTED", [x, weights, -1], (1, 2)))
    outcome = lower(model, Settings(lower=True))
    assert not outcome.is_exact
    assert ar.Interpreter(outcome.model)(np.array([[1, 10]], np.float32)).tolist() == [[-19, 21.5]]


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("WHERE", "float32", "TFLM has none"),
        ("POW", "int16", "int16"),
        ("TILE", "float32", "input 1"),
        ("GELU", "int16", "int16"),
    ],
)
def test_what_cannot_be_lowered_stays_with_the_reason(name: str, kind: str, reason: str):
    net = Net(np.random.default_rng(0))
    inputs = [net.input("x", (2, 2), kind, scale=None if kind == "float32" else 0.1)]
    if name in ("POW", "TILE"):
        inputs.append(net.input("n", (2, 2) if name == "POW" else (2,), kind))
    model = net.ended(net.op(name, inputs, (2, 2), kind))
    outcome = lower(model, Settings(lower=True))
    assert outcome.model is model
    (note,) = outcome.declined
    assert note.text.startswith(f"{name} stays: ")
    assert reason in note.text


def test_what_a_revision_would_refuse_as_well_stays():
    date, kind = REVISED["BROADCAST_TO"]
    model = kind(np.random.default_rng(0))
    target = Target("host", tflm=date, abi="lp64_public")
    assert lower(model, Settings(target, lower=True)).model is not model
    model = KINDS["SELECT"](np.random.default_rng(0))
    (note,) = lower(model, Settings(target, lower=True)).declined
    assert "SELECT_V2 came to TFLM on 2022-08-17" in note.text


def test_the_users_own_operators_stay():
    model = KINDS["GELU"](np.random.default_rng(0))
    own = ar.Registration(invoke=lambda context, node: None)
    mine = ar.load(tflite.write(model), operators={"GELU": own})
    assert lower(mine, Settings(lower=True)).model is mine


def test_a_loop_that_writes_another_row_stays():
    model = KINDS["a sequence that a loop writes"](np.random.default_rng(0))
    body = model.subgraphs[2]
    two = tuple(
        replace(one, data=constant_bytes(np.int32(2))) if one.name == "one" else one
        for one in body.tensors
    )
    subgraphs = (*model.subgraphs[:2], replace(body, tensors=two))
    outcome = lower(replace(model, subgraphs=subgraphs), Settings(lower=True))
    (note,) = outcome.declined
    assert note.text.startswith("CONCATENATION stays: ")
    assert note.text.endswith("; no next row")


def test_shapes_that_are_left_open_follow_from_the_inputs():
    model = KINDS["a shape that the file leaves open"](np.random.default_rng(0))
    height = model.inputs[0].shape[1]
    assert model.outputs[0].shape[1] == 1
    outcome = lower(model, Settings(lower=True))
    assert outcome.model.outputs[0].shape[1] == height
    assert any("the file left it open" in note.text for note in outcome.changes)


def test_a_plan_for_the_operators_that_there_were_goes():
    model = replace(
        KINDS["SIGN"](np.random.default_rng(0)), metadata={OFFLINE_METADATA: b"", "mine": b"x"}
    )
    assert set(lower(model, Settings(lower=True)).model.metadata) == {"mine"}


@has_litert
@pytest.mark.parametrize("rule", [clamp(0, 0.5), clamp(0.1, 1)])
def test_a_rule_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch, rule: Rule):
    monkeypatch.setitem(LOWERINGS, "RELU_0_TO_1", rule)
    model = loaded(KINDS["RELU_0_TO_1"](np.random.default_rng(0)))
    with pytest.raises(OptimizationError, match=r"in LiteRT, inference \d, output 0: expected"):
        ar.optimize(model, lower=True)


@has_litert
def test_a_rounded_rule_that_is_another_function_is_found(monkeypatch: pytest.MonkeyPatch):
    def wrong(parts):
        parts.run("RELU", parts.input(0))
        parts.run("NEG", parts.run("NEG", parts.run("TANH", parts.input(0))))
        parts.rounds("not at all")

    monkeypatch.setitem(LOWERINGS, "GELU", wrong)
    with pytest.raises(OptimizationError, match="expected what LiteRT computes of the original"):
        ar.optimize(loaded(KINDS["GELU"](np.random.default_rng(0))), lower=True)


def test_without_litert_the_result_is_not_compared(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(peers, "is_installed", lambda name: name == "tflm")
    _, report = ar.optimize(KINDS["SIGN"](np.random.default_rng(0)), lower=True)
    assert "not installed" in report.difference.skipped


@pytest.mark.filterwarnings("ignore::arenite.errors.UndefinedWarning")
@pytest.mark.parametrize("name", [*KINDS, *REVISED])
def test_damaged_models_are_refused_or_lowered(name: str):
    """Whatever numbers a file has, there is an error of Arenite's own or a sound model."""
    kind = KINDS.get(name) or REVISED[name][1]
    data = tflite.write(kind(np.random.default_rng(0)))
    places, rng = places_of(data), np.random.default_rng(1)
    target = Target("host", tflm="2022-01-02", abi="lp64_public")
    for _ in range(40):
        try:
            model = ar.load(mutant(data, places, rng))
            ar.optimize(model, target, lower=True, only=FEW, verify=0)
            ar.optimize(model, lower=True, only=FEW, verify=0)
        except AreniteError:
            continue
