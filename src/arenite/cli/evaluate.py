"""``arenite evaluate``: how good a model is on data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arenite.cli.common import (
    AsJson,
    Compiler,
    EngineName,
    EngineOption,
    IsaOption,
    Library,
    Rounding,
    StructSizes,
    console,
    fail,
    note,
    print_json,
    progress,
)
from arenite.cli.device import BoardName, TargetName, TflmVersion, chosen_device
from arenite.cli.operators import Ops, chosen_operators
from arenite.cli.run import FrontEnd, PixelRange, RawPixels, Step
from arenite.cores import DEFAULT

if TYPE_CHECKING:
    from arenite.analysis.evaluation.result import Evaluation

#: Seconds that the first chunk does not tell; a bar of less is gone before it is seen.
_LONG = 2.0
#: The exit code of an evaluation that left samples out.
LEFT_OUT = 3


class OnErrorName(str, Enum):
    """``--on-error``."""

    stop = "raise"
    skip = "skip"


class TaskName(str, Enum):
    """``--task``."""

    classify = "classify"
    regress = "regress"
    anomaly = "anomaly"


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
LabelsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A text file with one class per line, in the order of the outputs. By default the "
        "sorted names of the folders.",
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
Samples = Annotated[str | None, typer.Option("--x", help="Array of samples, or column of paths.")]
Labels = Annotated[str | None, typer.Option("--y", help="Array or column of labels.")]
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


def evaluate(
    model: ModelSide,
    data: DataPath,
    *,
    against: Against = None,
    labels: LabelsFile = None,
    task: TaskOption = None,
    positive: Positive = None,
    top_k: TopK = 5,
    limit: Limit = None,
    seed: Seed = 0,
    x: Samples = None,
    y: Labels = None,
    pixel_range: PixelRange = None,
    raw_pixels: RawPixels = False,
    frontend: FrontEnd = None,
    step: Step = None,
    board: BoardName = None,
    target: TargetName = None,
    tflm_version: TflmVersion = None,
    library: Library = None,
    compiler: Compiler = None,
    rounding: Rounding = None,
    abi: StructSizes = None,
    engine: EngineOption = EngineName.auto,
    isa: IsaOption = None,
    threads: Threads = 1,
    workers: Workers = 1,
    min_accuracy: MinAccuracy = None,
    min_auc: MinAuc = None,
    on_error: OnError = OnErrorName.stop,
    resume: Resume = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model's accuracy, confusions, ROC AUC and errors on your data, and its speed.

    Example: arenite evaluate model.tflite validation/ --against @litert
    """
    from arenite.analysis.evaluate import evaluate as evaluated
    from arenite.analysis.evaluate import evaluation_facts
    from arenite.analysis.evaluation.chunks import Spread
    from arenite.analysis.evaluation.data import Reading
    from arenite.analysis.evaluation.targets import Scoring
    from arenite.analysis.inputs.values import Pixels
    from arenite.report.evaluate import render_evaluation

    if raw_pixels and pixel_range is not None:
        raise typer.BadParameter("expected one of --raw-pixels and --pixel-range, got both")
    if ops is not None and workers > 1:
        raise typer.BadParameter("expected one of --ops and --workers, got both")
    scoring = Scoring(None if task is None else task.value, labels or (), positive, top_k)
    device = chosen_device(
        board,
        target,
        default=None,
        tflm=tflm_version,
        library=library,
        compiler=compiler,
        abi=abi,
        rounding=rounding,
    )
    try:
        with _kept_said(resume) as count, ExitStack() as pools, _bar(count) as report:
            found = evaluated(
                model,
                data,
                against=against,
                target=device.target,
                engine=engine.value,
                isa=isa,
                threads=threads,
                operators=chosen_operators(ops),
                front_end=frontend,
                reading=Reading(Pixels(pixel_range, raw_pixels), step, x, y, limit, seed),
                scoring=scoring,
                spread=Spread(None if workers == 1 else partial(_next_pool, pools, workers)),
                progress=report,
                on_error=on_error.value,
                resume=resume,
            )
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise typer.BadParameter(str(error)) from None
    if as_json:
        print_json(evaluation_facts(found))
    else:
        terminal = console()
        if "@" not in Path(model).name:
            device.say(terminal, "these are the results of")
        for line in render_evaluation(found, terminal.width):
            terminal.print(line, soft_wrap=True)
    _guard(found, {"accuracy": min_accuracy, "auc": min_auc})
    if found.left_out:
        raise typer.Exit(LEFT_OUT)


def _guard(found: Evaluation, limits: dict[str, float | None]) -> None:
    """Exit with code 1 where a metric is below its limit, or not known."""
    for name, limit in limits.items():
        if limit is None:
            continue
        value = found.accuracy if name == "accuracy" else found.auc
        if not value >= limit:
            fail(f"expected {name} of at least {limit:g}, got {value:.6g}")


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
    """Where a run ends early, how much of it a second one finds done."""
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


@contextmanager
def _bar(count: _Count) -> Iterator[Callable[[int, int], None]]:
    """A progress bar, which is told of samples done and in all."""
    with ExitStack() as stack:
        advance: Callable[..., None] | None = None

        def report(done: int, total: int) -> None:
            nonlocal advance
            if advance is None:
                advance = stack.enter_context(progress("evaluating", total, _LONG))
            advance(done - count.done)
            count.done, count.total = done, total

        yield report
