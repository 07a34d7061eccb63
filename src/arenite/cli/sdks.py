"""``arenite sdks``: the releases that firmware is built with."""

from __future__ import annotations

from arenite.cli.common import AsJson, show


def sdks(*, as_json: AsJson = False) -> None:
    """List the SDKs that --sdk takes: TFLM's day, kernel library, build, and who says so.

    Example: arenite sdks --json
    """
    from arenite.report.sdks import render_sdks, sdk_facts
    from arenite.sdks import left_out, releases

    found = list(releases().values())
    show(
        found,
        lambda rows: sdk_facts(rows, left_out()),
        lambda rows, width: render_sdks(rows, left_out(), width),
        as_json=as_json,
    )
