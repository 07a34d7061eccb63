"""``arenite evaluate``: how good a model is on data."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arenite.cli.common import AsJson, fail, note, progress_told, show, usage_errors
from arenite.cli.device import RESULTS, DeviceOptions
from arenite.cli.engine import EngineOption, IsaOption
from arenite.cli.operators import Ops, chosen_operators, load_model
from arenite.cli.run import LabelNames, ReadingOptions
from arenite.cores import DEFAULT

if TYPE_CHECKING:
    from arenite.analysis.evaluation.result import Evaluation
    from arenite.analysis.evaluation.targets import Scoring

#: Seconds that the first chunk does not tell; a bar of less is gone before it is seen.
_LONG = 2.0
#: The exit code of an evaluation that left samples out.
LEFT_OUT = 3


OnErrorName = Literal["raise", "skip"]
TaskName = Literal["classify", "regress", "anomaly"]
ModelSide = Annotated[
    str, typer.Argument(metavar="MODEL[@ENGINE]", help="A .tflite or .mnn file, and who computes.")
]
DataPath = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="A folder with a folder per class (pictures or .wav), a .npz of samples and labels, "
        "or a .csv of paths and labels.",
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        metavar="OTHER",
        help=f"MODEL, MODEL@ENGINE or @ENGINE to evaluate beside it: {DEFAULT} and other "
        "processors, litert, litert-reference, tflm.",
    ),
]
TaskOption = Annotated[
    TaskName | None, typer.Option(help="What the model is for. By default what its data are like.")
]
Positive = Annotated[str | None, typer.Option(metavar="CLASS", help="The class of anomalies.")]
Threads = Annotated[int, typer.Option(min=1, max=1024, help="Threads that share the samples.")]
TopK = Annotated[int, typer.Option(min=1, metavar="K", help="Count the right class among K.")]
Limit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Take N samples, chosen at random.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="S", help="Seed of that choice.")]
Workers = Annotated[
    int, typer.Option(min=1, max=1024, metavar="N", help="Processes that share reading and work.")
]
MinAccuracy = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, metavar="SHARE", help="Exit with code 1 below: 0.95."),
]
MinAuc = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, metavar="AREA", help="Exit with code 1 below: 0.85."),
]
OnError = Annotated[
    OnErrorName,
    typer.Option(
        help="What a sample does that cannot be read or computed: end the run, or be left out, "
        f"listed and told by exit code {LEFT_OUT}."
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Keep what is done in FILE, and begin with what is in it: the same command again "
        "does the rest of a run that ended early.",
    ),
]


@dataclass(frozen=True)
class ScoringOptions:
    """The options that say what is judged."""

    labels: LabelNames = None
    task: TaskOption = None
    positive: Positive = None
    top_k: TopK = 5

    def scoring(self) -> Scoring:
        """Rule by which outputs are judged."""
        from arenite.analysis.evaluation.targets import Scoring

        return Scoring(self.task, self.labels or (), self.positive, self.top_k)


@dataclass(frozen=True)
class GuardOptions:
    """The options that say what a model has to reach."""

    min_accuracy: MinAccuracy = None
    min_auc: MinAuc = None

    def guard(self, found: Evaluation) -> None:
        """Exit with code 1 where a metric is below its limit, or not known."""
        for name, limit in (("accuracy", self.min_accuracy), ("auc", self.min_auc)):
            if limit is not None and not getattr(found, name) >= limit:
                value = getattr(found, name)
                fail(f"expected {name} of at least {limit:g}, got {value:.6g}")


def evaluate(
    model: ModelSide,
    data: DataPath,
    *,
    against: Against = None,
    judged: ScoringOptions,
    limit: Limit = None,
    seed: Seed = 0,
    samples: ReadingOptions,
    firmware: Annotated[DeviceOptions, RESULTS],
    engine: EngineOption = "auto",
    isa: IsaOption = None,
    threads: Threads = 1,
    workers: Workers = 1,
    limits: GuardOptions,
    on_error: OnError = "raise",
    resume: Resume = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model's accuracy, confusions, ROC AUC and errors on your data, and its speed.

    Example: arenite evaluate model.tflite validation/ --against @litert
    """
    from arenite.analysis.evaluate import evaluate as evaluated
    from arenite.analysis.evaluate import evaluation_facts
    from arenite.report.evaluate import render_evaluation

    reading = samples.reading(limit, seed)
    if ops is not None and workers > 1:
        raise typer.BadParameter("expected one of --ops and --workers, got both")
    scoring = judged.scoring()
    alone = None if "@" in Path(model).name or not firmware.board else load_model(model, ops)
    device = firmware.chosen(None, alone)
    with usage_errors(), _evaluation(workers, resume) as how:
        found = evaluated(
            model,
            data,
            against=against,
            target=device.target,
            engine=engine,
            isa=isa,
            threads=threads,
            operators=chosen_operators(ops),
            front_end=samples.frontend,
            reading=reading,
            scoring=scoring,
            on_error=on_error,
            resume=resume,
            **how,
        )
    words = "" if "@" in Path(model).name else device.note("these are the results of")
    show(found, evaluation_facts, render_evaluation, words, as_json=as_json)
    limits.guard(found)
    if found.left_out:
        raise typer.Exit(LEFT_OUT)


@contextmanager
def _evaluation(workers: int, resume: Path | None) -> Iterator[dict[str, Any]]:
    """Arguments that share the samples, and that tell of them."""
    from arenite.analysis.evaluation.chunks import Spread

    with _kept_said(resume) as count, ExitStack() as pools, progress_told(_LONG) as tell:

        def report(done: int, total: int) -> None:
            tell("evaluating", done, total)
            count.done, count.total = done, total

        pool = None if workers == 1 else partial(_next_pool, pools, workers)
        yield {"spread": Spread(pool), "progress": report}


def _next_pool(pools: ExitStack, workers: int) -> Executor:
    """A pool in the place of one that is broken, or the first one."""
    from arenite.processes.workers import worker_pool

    pools.close()
    return pools.enter_context(worker_pool(workers))


@dataclass
class _Count:
    """Samples done, and in all."""

    done: int = 0
    total: int = 0


@contextmanager
def _kept_said(file: Path | None) -> Iterator[_Count]:
    """Tell of a run that ends early how much of it a second one finds done."""
    count = _Count()
    try:
        yield count
    except BaseException:
        if file is not None and count.total:
            note(
                f"{count.done:,} of {count.total:,} samples are kept in {file}; "
                "the same command does the rest"
            )
        raise
