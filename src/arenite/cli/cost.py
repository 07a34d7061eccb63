"""``arenite cost``: what an inference takes on a Cortex-M."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arenite.cli.common import AsJson, ModelPath, bar, library_choice, show
from arenite.cli.device import TIMES, DeviceOptions, chosen_device
from arenite.cli.operators import Ops, load_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from arenite import Model
    from arenite.analysis.devices import Device
    from arenite.analysis.model_cost import ModelCost
    from arenite.firmware import FirmwareCost
    from arenite.target import Target

OperatorIndex = Annotated[
    int | None,
    typer.Option("--op", min=0, metavar="N", help="Show the loops of operator N."),
]


#: Kernels that are no library's: those of exported firmware.
_EXPORTED = "arenite"
CostLibrary = Annotated[str | None, library_choice(_EXPORTED)]
VelaReportFile = Annotated[
    Path | None,
    typer.Option(
        "--vela-report",
        metavar="FILE",
        help="MODEL_per-layer.csv of vela --verbose-performance: its estimate of the NPU's cycles.",
    ),
]


@dataclass(frozen=True)
class CostOptions(DeviceOptions):
    """Options of a device, whose library may be what arenite export writes."""

    library: CostLibrary = None


def cost(
    model: ModelPath,
    *,
    firmware: Annotated[CostOptions, TIMES],
    op: OperatorIndex = None,
    vela_report: VelaReportFile = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Estimate instructions and cycles of TFLM on a Cortex-M; with a clock, milliseconds.

    With --library arenite: of what arenite export writes.

    Example: arenite cost model.tflite --target cortex-m7 --clock 216
    """
    from arenite.analysis.model_cost import cost_facts, model_cost
    from arenite.analysis.vela_report import estimated, read_report, report_facts
    from arenite.report.cost import render_cost, render_operator_cost
    from arenite.report.vela_report import render_report

    if firmware.library == _EXPORTED:
        device = chosen_device(firmware.board, firmware.target, firmware.clock)
        _of_firmware(load_model(model, ops), device, op, as_json)
        return
    _require_costs(firmware.chosen().target)
    loaded = load_model(model, ops)
    device = firmware.chosen(model=loaded)
    estimate = model_cost(loaded, device.target, device.clock, device.board)
    check_operator(op, len(estimate.operators))
    npu = estimated(loaded) if vela_report is None else read_report(vela_report)

    def facts(estimate: ModelCost) -> Any:
        found = cost_facts(estimate) | ({} if npu is None else {"npu": report_facts(npu)})
        return found if op is None else found["operators"][op]

    def lines(estimate: ModelCost, width: int) -> Iterator[Text]:
        if op is not None:
            yield from render_operator_cost(estimate, op, width, bar())
            return
        yield from render_cost(estimate, width, bar())
        if npu is not None:
            yield from render_report(npu, width)

    show(estimate, facts, lines, device.note(), as_json=as_json)


def _require_costs(target: Target) -> None:
    """Refuse a target without costs, with code 2."""
    from arenite.libraries.library import library_of, why_no_costs

    known = library_of(target).costs().processors
    if not known:
        raise typer.BadParameter(why_no_costs(target), param_hint="--target")
    if target.processor not in known:
        raise typer.BadParameter(
            f"expected a target of {', '.join(known)}, whose costs are known, "
            f"got {target.processor!r}; arenite fit says what is known of its time",
            param_hint="--target",
        )


def check_operator(index: int | None, count: int) -> None:
    """Refuse an operator that the main subgraph does not have, with code 2."""
    if index is not None and index >= count:
        raise typer.BadParameter(
            f"expected an operator from 0 to {count - 1}, got {index}", param_hint="--op"
        )


def _of_firmware(model: Model, device: Device, op: int | None, as_json: bool) -> None:
    from arenite.firmware import firmware_cost, firmware_cost_facts
    from arenite.report.firmware_cost import render_firmware_cost

    estimate = firmware_cost(model, device.target.processor, device.clock, device.board)
    check_operator(op, len(estimate.layers))
    if op is not None and not as_json:
        raise typer.BadParameter("exported layers have no loops to show", param_hint="--op")

    def facts(estimate: FirmwareCost) -> Any:
        found = firmware_cost_facts(estimate)
        return found if op is None else found["layers"][op]

    show(estimate, facts, render_firmware_cost, device.note(), as_json=as_json)
