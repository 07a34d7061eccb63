"""``arenite check-kernel``: is somebody's kernel the operator?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arenite.cli.common import AsJson, progress, show
from arenite.cli.device import no_revision
from arenite.cli.kernels import compiled, given_kernels

if TYPE_CHECKING:
    from arenite import Registration

File = Annotated[str, typer.Argument(metavar="FILE.cc", help="C++ with the kernel; with --tflm.")]
Operator = Annotated[
    str, typer.Option("--as", metavar="OPERATOR", help="The operator that it shall be: CONV_2D.")
]
Function = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Its function; by default Register_OPERATOR, or the only."),
]
Count = Annotated[int, typer.Option("--cases", min=1, help="Random models.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the first model.")]
Save = Annotated[
    Path | None, typer.Option("--save", metavar="FILE", help="Where a model that differs goes.")
]


NoRevision = Annotated[
    str | None,
    no_revision("a kernel is compiled against the TFLM that --tflm names"),
]


def check_kernel(
    file: File,
    *,
    operator: Operator,
    function: Function = None,
    cases: Count = 500,
    seed: Seed = 0,
    save: Save = None,
    ops: Annotated[Path | None, typer.Option("--ops", hidden=True)] = None,
    tflm_version: NoRevision = None,
    as_json: AsJson = False,
) -> None:
    """Compare a C++ kernel with the operator on random models: exit code 1 if it differs.

    Outputs are compared value by value, and the arena byte by byte. A model that differs is made
    smaller as long as it does.

    Example: arenite check-kernel my_conv.cc --as CONV_2D --tflm tflite-micro --cases 500
    """
    from dataclasses import replace

    from arenite.analysis.kernel_check import check_kernel as checked
    from arenite.analysis.kernel_check import kernel_check_facts
    from arenite.errors import KernelBuildError
    from arenite.files import replace_file
    from arenite.report.kernel_check import render_kernel_check

    if ops is not None:
        raise typer.BadParameter("expected a kernel in C++, got --ops")
    options = given_kernels()
    if not options.tflm:
        raise typer.BadParameter("expected --tflm PATH", param_hint="--tflm")
    if function:
        options = replace(options, kernels=None, kernel=[f"{operator}={file}:{function}"])
    else:
        options = replace(options, kernels=[Path(file)], kernel=None)
    found: dict[str, Registration] = compiled(options) or {}
    kernel = found.get(operator) or (next(iter(found.values())) if len(found) == 1 else None)
    if kernel is None:
        raise KernelBuildError(
            f"'{file}': expected Register_{operator}, got {', '.join(found)}: --function names one"
        )
    with progress("checking", cases, 2.0) as advance:
        check = checked(kernel, operator, cases, seed, advance)
    if save is not None and check.difference is not None:
        replace_file(save, check.difference.content)
    show(check, kernel_check_facts, lambda one, _: render_kernel_check(one), as_json=as_json)
    raise typer.Exit(0 if check.equal else 1)
