"""``arenite check-kernel``, drawn."""

from __future__ import annotations

from collections.abc import Iterator

from arenite.analysis.kernel_check import KernelCheck


def render_kernel_check(check: KernelCheck) -> Iterator[str]:
    """Lines for a terminal."""
    refused = f", {check.refused} refused by both" if check.refused else ""
    difference = check.difference
    if difference is None:
        yield f"{check.operator}: equal in {check.cases} random models{refused}"
        return
    yield f"{check.operator}: differs in case {difference.case} (seed {check.seed}){refused}"
    yield f"  {difference.what}"
    yield f"  smallest model: {difference.model}"
    for number, array in enumerate(difference.inputs):
        yield f"  input {number}: {array.tolist()}"
