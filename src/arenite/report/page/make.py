"""``ar.report``: a model's report as a page."""

from __future__ import annotations

import os
from collections.abc import Sequence

from arenite.analysis.engines.sides import Side
from arenite.analysis.overview import overview
from arenite.boards import Board
from arenite.firmware.size import firmware_size
from arenite.memory.optimal import Progress
from arenite.model import Model
from arenite.quantize.kept import read_kept
from arenite.quantize.outcome import Report, quantization_facts
from arenite.report.page.document import Page, page
from arenite.report.page.quantized import Facts
from arenite.report.page.vega import draw
from arenite.target import Target


def report(
    model: Model | str | os.PathLike[str] | bytes,
    output: str | os.PathLike[str] | None = None,
    *,
    target: Target | str | None = None,
    board: Board | str | None = None,
    deadline: float | str | None = None,
    clock: float | None = None,
    compare: Sequence[str | Side] = (),
    quantized: Report | str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Page:
    """A model's report as one page of HTML that needs no network.

    It has what the model needs and whether it fits, next to what ``arenite export`` would write of
    it; the graph, the memory map over time, costs, CMSIS-NN's functions and why they are
    taken, an int8 convolution number by number, comparisons, and what stands in the way of a model
    that does not run.

    >>> ar.report("kws.tflite", "kws.html", compare=["@cortex-m55"])     # doctest: +SKIP

    Args:
        model: A model, a file's path, or a file's bytes.
        output: Where the page is written; nowhere if it is None.
        target: The firmware that is meant; by default the board's, or ``"cortex-m4"``.
        board: Which board it shall fit: a name of ``arenite boards``, a chip's, a ``.toml`` file.
        deadline: The limit of an inference, in milliseconds, or such as ``"50ms"``.
        clock: Of the processor, in MHz; by default the board's. Without one there are cycles and
            no milliseconds.
        compare: Other sides of :func:`arenite.compare`, such as ``"@litert"``.
        quantized: How the model was quantised: the report of :func:`arenite.quantize`, or a file
            of what ``arenite quantize --json`` printed.
        progress: Told how the search for the best plan goes on.

    Returns:
        The page; ``html`` is its text, ``missing`` says which charts could not be drawn, and why.

    Raises:
        ValueError: There is no such target or board, no such side to compare with, or no clock for
            the deadline.
        ModelError: The file is broken.
        QuantizationError: ``quantized`` is no such report.
        OSError: A file cannot be read or written.
    """
    told = _told(quantized)
    facts = overview(
        model,
        target=target,
        board=board,
        deadline=deadline,
        clock=clock,
        compare_with=compare,
        progress=progress,
    )
    exported = firmware_size(facts.model, facts.target, facts.board)
    made = page(facts, draw, exported, quantization=told)
    if output is not None:
        made.save(output)
    return made


def _told(quantized: Report | str | os.PathLike[str] | None) -> Facts | None:
    if quantized is None:
        return None
    if isinstance(quantized, Report):
        return quantization_facts(quantized)
    return read_kept(quantized)
