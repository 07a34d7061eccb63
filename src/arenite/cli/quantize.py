"""``arenite quantize``: a float model as one for the device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arenite.cli.common import (
    AsJson,
    ModelPath,
    progress_told,
    require_other,
    require_suffix,
    show,
    usage_errors,
)
from arenite.cli.device import REVISIONS, BoardName, Clock, DeviceOptions
from arenite.cli.evaluate import Limit
from arenite.cli.fit import Deadline, Flash, Ram
from arenite.cli.operators import Ops, load_model
from arenite.cli.optimize import Output
from arenite.cli.quantity import read_share
from arenite.cli.run import LabelNames, ReadingOptions

if TYPE_CHECKING:
    from rich.text import Text

    from arenite.quantize.outcome import Report
    from arenite.quantize.settings import Budget
    from arenite.target import Target


ActivationsName = Literal["int8", "int16"]
PortsName = Literal["integer", "float"]
DenseName = Literal["unit", "tensor"]
DataPath = Annotated[
    Path,
    typer.Option(
        "--data",
        metavar="FOLDER|FILE",
        help="Samples like those of the device: a folder of pictures or .wav files (or with a "
        "folder per class), a .npz of samples, a .csv of paths. 100 to 1,000 are enough.",
    ),
]
Activations = Annotated[
    ActivationsName, typer.Option(help="What values become; weights are int8 beside either.")
]
Io = Annotated[PortsName, typer.Option("--io", help="What inputs and outputs become.")]
KeepFloat = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OPERATOR",
        help="A kind of operators, a position or an output's name that stays float; repeatable.",
    ),
]
Ranges = Annotated[
    str,
    typer.Option(
        "--ranges",
        metavar="METHOD",
        help="How ranges are taken: minmax, percentile-99.99, percentile-99.9, mse. The pass "
        "ranges tries the others.",
    ),
]
Dense = Annotated[
    DenseName,
    typer.Option(
        help="Scales of fully connected weights: one per unit, for 8 bytes of the arena each, or "
        "one per tensor."
    ),
]
Passes = Annotated[
    str | None,
    typer.Option(
        metavar="PASS,...",
        help="What is tried to come nearer: ranges, smooth, round, correct. By default all but "
        "round, which takes minutes; none for none.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="S", help="Of all that is chosen at random.")]
Workers = Annotated[
    int, typer.Option(min=1, max=1024, metavar="N", help="Processes that run the float model.")
]
MaxDrop = Annotated[
    str | None,
    typer.Option(metavar="SHARE", help="What may be lost of the accuracy: 0.5% or 0.005."),
]
MinSqnr = Annotated[float | None, typer.Option(metavar="DB", help="The outputs' SQNR at least.")]
Accept = Annotated[
    bool, typer.Option("--accept", help="Write a result that is far from the float model as well.")
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="All layers, mixtures and notes.")]
Svg = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw the mixtures of a budget to this .svg file."),
]


@dataclass(frozen=True)
class BudgetOptions:
    """The options that say what the result may cost and lose."""

    max_drop: MaxDrop = None
    min_sqnr: MinSqnr = None
    board: BoardName = None
    ram: Ram = None
    flash: Flash = None
    deadline: Deadline = None
    clock: Clock = None

    def meant(self, firmware: DeviceOptions) -> tuple[Target | None, Budget]:
        """The target and the budget; a board says what is not said besides.

        Raises:
            typer.BadParameter: There is no such board or target, or the deadline has no clock.
        """
        from arenite.quantize.settings import Budget

        ram, flash = self.ram, self.flash
        device = replace(firmware, board=self.board, clock=self.clock).chosen()
        if device.board is not None:
            ram = ram or device.board.room().size  # an arena lies in one piece
            flash = flash or device.board.flash
        if self.deadline is not None and device.clock is None:
            raise typer.BadParameter("expected --clock or --board for a deadline")
        is_named = device.is_named or firmware.tflm_version or firmware.cmsis_nn_version
        is_meant = is_named or ram is not None or self.deadline is not None
        share = (
            None
            if self.max_drop is None
            else read_share(self.max_drop, 1, "0.5% or 0.005", "--max-drop")
        )
        budget = Budget(ram, flash, self.deadline, device.clock, self.min_sqnr, share, device.board)
        return device.target if is_meant else None, budget


def quantize(
    model: ModelPath,
    data: DataPath,
    *,
    output: Output = None,
    activations: Activations = "int8",
    io: Io = "integer",
    keep_float: KeepFloat = None,
    ranges: Ranges = "minmax",
    dense: Dense = "unit",
    passes: Passes = None,
    firmware: Annotated[DeviceOptions, REVISIONS],
    limit: Limit = None,
    seed: Seed = 0,
    samples: Annotated[ReadingOptions, ("x", "y", "pixel_range", "raw_pixels", "step")],
    labels: LabelNames = None,
    limits: BudgetOptions,
    accept: Accept = False,
    workers: Workers = 1,
    svg: Svg = None,
    ops: Ops = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Quantise a float model to what TFLM runs in integers, judged in the device's bits.

    Example: arenite quantize float.tflite --data pictures/ -o int8.tflite
    """
    from arenite.files import replace_file
    from arenite.formats import tflite
    from arenite.quantize.outcome import quantization_facts
    from arenite.quantize.quantizer import quantize as quantized
    from arenite.quantize.settings import DEFAULT_PASSES
    from arenite.report.quantize import front_svg, render_quantization

    require_suffix(output, ".tflite", "--output")
    require_suffix(svg, ".svg", "--svg")
    require_other(output, "--output", [Path(model)])
    meant, budget = limits.meant(firmware)
    with usage_errors(), progress_told(2.0) as tell, ExitStack() as pools:
        result, report = quantized(
            load_model(model, ops),
            data,
            activations=activations,
            io=io,
            keep_float=keep_float or (),
            method=ranges,
            dense=dense,
            passes=DEFAULT_PASSES if passes is None else _names(passes),
            target=meant,
            reading=samples.reading(limit, seed),
            labels=labels or (),
            budget=budget,
            accept=accept,
            executor=_pool(pools, workers),
            progress=tell,
        )
    if output is not None:
        replace_file(output, tflite.write(result))
    if svg is not None:
        replace_file(svg, front_svg(report))

    def facts(report: Report) -> dict[str, Any]:
        return {**quantization_facts(report), "output": output and str(output)}

    def lines(report: Report, width: int) -> Iterator[Text | str]:
        yield from render_quantization(report, width, verbose=verbose)
        if output is not None:
            yield f"written to {output}"

    show(report, facts, lines, as_json=as_json)


def _names(passes: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in passes.split(","))
    return () if names == ("none",) else names


def _pool(pools: ExitStack, workers: int) -> Any:
    if workers == 1:
        return None
    from arenite.processes.workers import worker_pool

    return pools.enter_context(worker_pool(workers))
