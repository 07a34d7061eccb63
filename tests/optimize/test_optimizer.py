"""Running passes: their order, their names, what a pass that fails does to a model."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.errors import ConstraintError, ModelError, OptimizationError
from arenite.model import Model
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.optimize import optimizer, passes, sequence
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.settings import Settings
from tests.runtime.models import conv_model


@pytest.fixture
def only_pass(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Outcome]], None]:
    """Put one function in the place of all passes."""

    def put(function: Callable[..., Outcome]) -> None:
        monkeypatch.setattr(optimizer, "sequence", lambda only: ("it",))
        monkeypatch.setattr(optimizer, "find", lambda name: function)

    return put


def test_the_room_and_the_function_have_one_name():
    import arenite.optimize.sequence as found

    assert found.ORDER is sequence.ORDER
    assert callable(ar.optimize)
    assert "target" in inspect.signature(ar.optimize).parameters


def test_every_file_of_a_pass_has_its_place_in_the_order():
    names = {path.stem for path in Path(passes.__path__[0]).glob("[a-z]*.py")}
    assert names <= set(sequence.ORDER)


def test_a_pass_that_there_is_not_is_named():
    with pytest.raises(ValueError, match=r"expected a pass of .*, got 'magic'"):
        ar.optimize(conv_model(), only=["magic"])


@pytest.mark.parametrize(
    "settings", [{"overlap": "all"}, {"seconds": 0}, {"ranges": {"x": (2, 1)}}]
)
def test_settings_that_mean_nothing_are_refused(settings):
    with pytest.raises(ValueError, match="expected"):
        Settings(**settings)


def test_without_passes_the_model_is_the_one_that_was_given():
    model = conv_model()
    got, report = ar.optimize(model, only=[])
    assert got is model
    assert report.changes == report.declined == ()


def test_a_report_has_what_passes_said(only_pass):
    note = Note("$.subgraphs[0]", "a new name")

    def renames(model: Model, settings: Settings) -> Outcome:
        return Outcome(replace(model, description="new"), (note,))

    only_pass(renames)
    got, report = ar.optimize(conv_model())
    assert got.description == "new"
    assert report.model is got
    assert report.changes == (note,)
    assert [step.is_change for step in report.steps] == [True]


def test_a_pass_that_refuses_leaves_the_model_and_says_why(only_pass):
    def refuses(model: Model, settings: Settings) -> Outcome:
        raise ConstraintError("no such operator")

    only_pass(refuses)
    model = conv_model()
    got, report = ar.optimize(model)
    assert got is model
    assert report.declined == (Note("$", "no such operator"),)


def test_a_pass_that_makes_no_sound_model_gives_no_result(only_pass):
    def breaks(model: Model, settings: Settings) -> Outcome:
        main = replace(model.main, operators=model.main.operators[:1])
        return Outcome(replace(model, subgraphs=(main,)))

    only_pass(breaks)
    with pytest.raises(OptimizationError, match=r"pass 'it' .* nothing writes it"):
        ar.optimize(conv_model())


def test_a_model_of_mnn_is_refused_with_the_reason():
    model = replace(conv_model(), format="mnn")
    with pytest.raises(ModelError, match=r"expected a \.tflite model, got one of MNN's"):
        ar.optimize(model)


def test_a_malformed_model_is_refused():
    main = replace(conv_model().main, outputs=(99,))
    with pytest.raises(ModelError, match="tensor index"):
        ar.optimize(replace(conv_model(), subgraphs=(main,)))


def test_progress_is_told_of_every_pass(only_pass):
    only_pass(lambda model, settings: Outcome(model))
    told: list[str] = []
    ar.optimize(conv_model(), progress=told.append)
    assert told == ["it"]


def planned(model: Model, settings: Settings | None = None) -> Outcome:
    """The model with a plan that leaves everything to the firmware."""
    count = len(model.main.tensors)
    data = np.array([1, 0, count, *[-1] * count], "<i4").tobytes()
    metadata = {**model.metadata, OFFLINE_METADATA: data}
    return Outcome(replace(model, metadata=metadata), (Note("$", "planned"),))


@pytest.fixture
def only_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizer, "sequence", lambda only: ("plan",))
    monkeypatch.setattr(optimizer, "find", lambda name: planned)


def test_a_plan_that_the_file_brings_is_made_anew(only_plan):
    model = replace(conv_model(), metadata={OFFLINE_METADATA: b"no plan at all"})
    result, report = ar.optimize(model, verify=1)
    assert [step.name for step in report.steps] == ["unplan", "plan"]
    assert result.metadata == planned(conv_model()).model.metadata


def test_the_same_plan_again_is_no_change(only_plan):
    model = planned(conv_model()).model
    result, report = ar.optimize(model)
    assert result is model
    assert "the one that would be made" in report.declined[0].text


def test_a_larger_arena_is_no_result(only_pass):
    def wastes(model: Model, settings: Settings) -> Outcome:
        count = len(model.main.tensors)
        offsets = [-1] * count
        offsets[model.main.inputs[0]] = 1 << 16
        data = np.array([1, 0, count, *offsets], "<i4").tobytes()
        return Outcome(replace(model, metadata={OFFLINE_METADATA: data}))

    only_pass(wastes)
    model = conv_model()
    result, report = ar.optimize(model)
    assert result is model
    assert "'it' on are left out: the result would need an arena of" in report.declined[0].text


def test_what_came_before_a_larger_arena_stays(monkeypatch: pytest.MonkeyPatch):
    def renames(model: Model, settings: Settings) -> Outcome:
        return Outcome(replace(model, description="new"), (Note("$", "renamed"),))

    def grows(model: Model, settings: Settings) -> Outcome:
        spare = replace(model.main.tensors[0], name="spare", is_variable=True)
        main = replace(model.main, tensors=(*model.main.tensors, spare))
        return Outcome(replace(model, subgraphs=(main,)), (Note("$", "larger"),))

    monkeypatch.setattr(optimizer, "sequence", lambda only: ("renames", "grows"))
    passes = {"renames": renames, "grows": grows}
    monkeypatch.setattr(optimizer, "find", lambda name: passes[name])
    result, report = ar.optimize(conv_model(), verify=2)
    assert result.description == "new"
    assert [step.name for step in report.steps] == ["renames", "arena"]
    assert "'grows' on are left out" in report.declined[0].text
