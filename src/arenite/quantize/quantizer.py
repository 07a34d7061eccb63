"""Quantise a float model for a device: the function that users call."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arenite.analysis.evaluate import evaluate
from arenite.analysis.evaluation.data import Reading
from arenite.analysis.evaluation.samples import Arrays
from arenite.analysis.evaluation.targets import Scoring
from arenite.analysis.inputs.pixels import settled
from arenite.analysis.optimization import figures
from arenite.errors import ConstraintError, QuantizationError
from arenite.formats import Source as ModelSource
from arenite.formats import model_of, tflite
from arenite.model import Model
from arenite.model.types import FLOAT32, INT8
from arenite.model.unread import moved_inside
from arenite.ops import builtin_names, scheme_of
from arenite.options import function_or_none, instance, optional, several, takes, text
from arenite.quantize.admission import (
    notes_on,
    require_finite,
    require_float,
    require_range,
    require_samples,
)
from arenite.quantize.calibration import calibrated
from arenite.quantize.data import Parts, bounded, parts_of, picture_ranges, read_data
from arenite.quantize.improve import Means, improved
from arenite.quantize.judge import Judge, layer_noise, reals
from arenite.quantize.outcome import Floating, Report, Spread, Step
from arenite.quantize.plan import FLOAT, Precision, Range, has_floats
from arenite.quantize.poor import agreement_of, slower_than_float, why_poor
from arenite.quantize.reach import brought_near
from arenite.quantize.recipe import Recipe
from arenite.quantize.rewriting import lowered_first, rewritten
from arenite.quantize.settings import (
    AGAIN,
    DEFAULT_PASSES,
    Activations,
    Budget,
    Dense,
    Ports,
    Settings,
)
from arenite.runtime.interpreter import Interpreter
from arenite.target import HOST, Target, find_target

#: Told what is done, and how much of it.
Progress = Callable[[str, int, int], object]
#: Metrics of a quantised model by name, beside those of the float one.
Score = Callable[[Model], Mapping[str, tuple[float, float]]]
#: How an error begins: with the operator that it is about.
_OPERATOR = re.compile(r"^\w+ (\d+)\b(?! of subgraph)")


@takes(
    activations=text,
    io=text,
    keep_float=several(text, "names of operators"),
    method=text,
    dense=text,
    passes=several(text, "names of passes"),
    reading=optional(instance(Reading, expected="a Reading")),
    budget=optional(instance(Budget, expected="a Budget")),
    progress=function_or_none,
)
def quantize(
    model: Model | ModelSource,
    data: Any,
    *,
    activations: Activations = "int8",
    io: Ports = "integer",
    keep_float: Iterable[str] = (),
    method: str = "minmax",
    dense: Dense = "unit",
    passes: Sequence[str] = DEFAULT_PASSES,
    target: Target | str | None = None,
    reading: Reading | None = None,
    labels: str | os.PathLike[str] | Sequence[str] = (),
    budget: Budget | None = None,
    accept: bool = False,
    inference_input_type: Any = None,
    inference_output_type: Any = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> tuple[Model, Report]:
    """A float model as one that TFLM runs in integers, and how near it is in the device's bits.

    >>> smaller, report = quantize("float.tflite", "pictures/")            # doctest: +SKIP
    >>> smaller, report = quantize(model, (x, y), activations="int16")     # doctest: +SKIP

    Args:
        model: A float model, a ``.tflite`` file's path, or its bytes.
        data: Samples like those of the device: what :func:`arenite.evaluate` takes, an array of
            samples without labels, a folder of pictures or sounds, a function that yields samples
            (TensorFlow Lite's ``representative_dataset``), a list of samples, or a dataset of
            TensorFlow or PyTorch. 100 to 1,000 are enough.
        activations: What values become: ``"int8"``, or ``"int16"`` with int8 weights (16x8).
        io: Whether inputs and outputs are integers as well, or ``"float"``.
        keep_float: Operators that stay float: kinds (``"SOFTMAX"``), positions (``"7"``), or the
            names of the tensors that they write.
        method: How ranges are taken, where the pass ``ranges`` does not choose: ``"minmax"``,
            ``"percentile-99.99"``, ``"percentile-99.9"``, ``"mse"``.
        dense: Scales of fully connected weights: one per ``"unit"``, for which TFLM keeps 8 bytes
            of the arena each, or one per ``"tensor"``.
        passes: What is tried to make it better, see ``docs/quantize.md``: ``"ranges"``,
            ``"smooth"``, ``"correct"``, ``"round"``. What does not help is not kept.
        target: Whose bits judge; None is TFLM's own package.
        reading: Which samples are read, and how, as of :func:`arenite.evaluate`. Its seed also
            says which samples judge; the same seed gives the same file.
        labels: Names of the classes in the outputs' order, or a file with one per line.
        budget: What the result may cost and lose: precisions are mixed until it is met.
        accept: Whether a result that is far from the float model is taken as well, with a note.
        inference_input_type: Type of inputs alone, as TensorFlow Lite's converter has it:
            ``np.int8``, ``np.float32``; in the place of ``io``.
        inference_output_type: The same of outputs.
        executor: Who runs the float model on samples: any ``concurrent.futures.Executor``.
        progress: Called with what is done, how much of it, and how much there is.

    Returns:
        The quantised model, and a report.

    Raises:
        QuantizationError: The model cannot be quantised, the data do not say how, no mixture
            meets the budget, or the result is poor and nobody accepts that.
        ModelError, UnsupportedOperatorError, ConstraintError: The float model does not run.
        InputError, EvaluateError, ShapeError, DTypeError: A sample is broken or does not fit.
        ValueError: A setting means nothing.
    """
    meant = None if target is None else find_target(target)
    settings = Settings(
        activations,
        io,
        tuple(keep_float),
        method,
        dense,
        tuple(passes),
        meant,
        budget or Budget(),
        (inference_input_type, inference_output_type),
    )
    given, lowered = lowered_first(moved_inside(model_of(model)), meant)
    require_float(given)
    reading = reading or Reading()
    samples = read_data(data, given, reading)
    reading, few = bounded(reading, len(samples.source))
    picked = samples.source.part(reading.chosen(len(samples.source)))
    require_samples(picked)
    parts = parts_of(picked, reading.seed)
    require_range(given, parts.judging.feed(given, None), reading.pixels)
    told = progress or (lambda *_: None)
    work = _Work(given, settings, parts, executor, told, picture_ranges(picked, given))
    recipe, changes = work.begin()
    judge = Judge.of(given, parts.judging, meant)
    notes = [*few, *notes_on(given, picked, judge.fed)]

    def score(quantized: Model) -> Mapping[str, tuple[float, float]]:
        if samples.labels is None:
            return {}
        same = reading._replace(pixels=settled(reading.pixels, given))
        again = data
        if isinstance(samples.source, Arrays):
            again = samples.source.arrays, samples.labels
        return _scores((given, quantized), meant, again, same, Scoring(labels=labels))

    recipe, steps, front = work.improve(recipe, judge, score)
    report = _report(work, recipe, judge, steps)
    done = (*lowered, *changes)
    report = replace(report, rewritten=done, front=front, scores=score(report.model))
    poor = "" if settings.budget.is_quality else why_poor(report)
    if poor and not accept:
        raise QuantizationError(poor)
    more = [text for text in (poor, slower_than_float(report)) if text]
    report = replace(report, notes=(*more, *notes), pixels=work.pixels_in_words)
    return report.model, report


@dataclass(frozen=True, eq=False)
class _Work:
    """Means of a quantisation."""

    model: Model
    settings: Settings
    parts: Parts
    executor: Executor | None
    progress: Progress
    pixels: Mapping[int, Range]

    @property
    def pixels_in_words(self) -> str:
        """Real numbers that pictures' bytes stand for; empty without pictures."""
        ranges = (f"{low:.4g}..{high:.4g}" for low, high in self.pixels.values())
        return next((f"pixels 0..255 as {one}" for one in ranges), "")

    def improve(
        self, recipe: Recipe, judge: Judge, score: Score
    ) -> tuple[Recipe, tuple[Step, ...], tuple[Any, ...]]:
        """Recipe that passes make of the plain one, then for a budget; steps and mixtures tried."""
        recipe, steps = self._improved(recipe, judge, self.settings)
        if not self.settings.budget.is_limit:
            return recipe, steps, ()
        from arenite.quantize.mixed import mixed  # noqa: PLC0415 - when it is asked for

        plain = recipe.wanted
        recipe, front = mixed(recipe, judge, self.settings, score, self.progress)
        if recipe.wanted != plain:
            passes = tuple(name for name in self.settings.passes if name in AGAIN)
            recipe, more = self._improved(recipe, judge, replace(self.settings, passes=passes))
            steps += more
        return recipe, steps, front

    def _improved(
        self, recipe: Recipe, judge: Judge, settings: Settings
    ) -> tuple[Recipe, tuple[Step, ...]]:
        means = Means(self.parts.learning, judge, self.executor, settings)
        return improved(recipe, means, self.progress)

    def begin(self) -> tuple[Recipe, tuple[str, ...]]:
        """The plain recipe, everything in the precision asked for; what was done to the model."""
        kept = kept_float(self.model, self.settings.keep_float)
        model, changes = rewritten(self.model)
        near = brought_near(model, self.parts.learning)
        model, changes = near.model, changes + near.notes
        require_finite(model)
        names = {self.model.main.tensors[i].name: why for i, why in kept.items()}
        positions = {
            position: names[name]
            for position, op in enumerate(model.main.operators)
            for name in [model.main.tensors[op.outputs[0]].name if op.outputs else ""]
            if name in names
        }
        found = calibrated(
            model,
            self.parts.learning,
            executor=self.executor,
            progress=lambda done, total: self.progress("calibrating", done, total),
        )
        wanted = dict.fromkeys(
            range(len(model.main.operators)),
            Precision(self.settings.kind, INT8, self.settings.dense == "tensor"),
        )
        recipe = Recipe(
            model,
            found,
            self.settings.method,
            wanted,
            positions,
            self.settings.port_types,
            prescribed=self.pixels,
            limits=near.limits,
        )
        return runnable(recipe, self.settings.target), changes


def kept_float(model: Model, names: Iterable[str]) -> dict[int, str]:
    """First outputs of the operators that a user wants to stay float, and the word for it.

    Raises:
        ValueError: There is no such operator.
    """
    main = model.main
    kept: dict[int, str] = {}
    for name in names:
        found = [
            op.outputs[0]
            for position, op in enumerate(main.operators)
            if op.outputs
            and (name in (op.name, str(position)) or name == main.tensors[op.outputs[0]].name)
        ]
        if not found and name.upper() in builtin_names():
            there = ", ".join(sorted({op.name for op in main.operators}))
            raise ValueError(f"keep_float: the model has no {name}, but {there}")
        if not found:
            raise ValueError(
                f"keep_float: expected a kind of operators, a position from 0 to "
                f"{len(main.operators) - 1} or an output's name, got {name!r}"
            )
        kept |= dict.fromkeys(found, "asked for")
    return kept


def runnable(recipe: Recipe, target: Target | None) -> Recipe:
    """The recipe with everything float that TFLM's integer kernels refuse as it stands.

    Raises:
        QuantizationError: Every operator is refused.
    """
    for _ in range(2 * len(recipe.model.main.operators) + 1):
        made = recipe.written
        try:
            Interpreter(made.model, target=target)
        except ConstraintError as error:
            match = _OPERATOR.match(error.message)
            where = {place: position for position, place in made.operators.items()}
            position = None if match is None else where.get(int(match[1]))
            if match is None or position is None or position in recipe.kept:
                raise
            spared = _with_one_scale(recipe, position)
            if spared is not None:
                recipe = spared
                continue
            recipe = replace(
                recipe, kept={**recipe.kept, position: f"TFLM refuses: {error.reason}"}
            )
            continue
        if all(one == FLOAT for one in recipe.plan.precisions.values()):
            break
        return recipe
    reasons = "; ".join(sorted(set(recipe.plan.reasons.values())))
    raise QuantizationError(f"expected operators that integers can do, got none: {reasons}")


def _with_one_scale(recipe: Recipe, position: int) -> Recipe | None:
    """The recipe with one scale for an operator's weights, for kernels that know no other."""
    scheme = scheme_of(recipe.model.main.operators[position].name)
    wanted = recipe.wanted[position]
    if scheme is None or wanted.spares or not any(w.spares for w in scheme.weights.values()):
        return None
    return replace(recipe, wanted={**recipe.wanted, position: replace(wanted, spares=True)})


def _scores(
    models: tuple[Model, Model],
    target: Target | None,
    data: Any,
    reading: Reading,
    scoring: Scoring,
) -> Mapping[str, tuple[float, float]]:
    """Metrics of both models."""
    ours, theirs = (
        evaluate(model, data, target=bits, reading=reading, scoring=scoring).scores[0].metrics
        for model, bits in zip(models, (None, target), strict=True)
    )
    return {name: (value, theirs[name]) for name, value in ours.items() if np.isfinite(value)}


def _report(work: _Work, recipe: Recipe, judge: Judge, steps: tuple[Step, ...]) -> Report:
    work.progress("judging", 0, 1)
    main, plan = recipe.model.main, recipe.plan
    content = tflite.write(recipe.written.model)
    made = replace(tflite.read(content), source=work.model.source)
    layers = layer_noise(replace(judge, model=recipe.model), recipe.written)
    floating = tuple(
        Floating(
            position,
            main.operators[position].name,
            "".join(main.tensors[i].name for i in main.operators[position].outputs[:1]),
            plan.reasons.get(position, ""),
        )
        for position, precision in plan.precisions.items()
        if precision == FLOAT and has_floats(main, main.operators[position])
    )
    spreads = tuple(
        Spread(main.tensors[i].name, one, plan.ranges[plan.groups.get(i, i)])
        for i, one in recipe.seen.items()
        if main.tensors[i].type is FLOAT32
    )
    target = work.settings.target or HOST
    found = reals(made, judge.fed, work.settings.target)
    return Report(
        original=work.model,
        model=made,
        settings=work.settings,
        samples=len(work.parts.learning),
        judged=len(work.parts.judging),
        apart=work.parts.is_split,
        agreement=agreement_of(judge.outputs, found),
        sqnr=judge.verdict_of(found).sqnr,
        steps=steps,
        layers=layers,
        floating=floating,
        spreads=spreads,
        before=figures(work.model, target),
        after=figures(made, target),
        scores={},
    )
