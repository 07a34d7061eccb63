"""Whether a model fits: memory, flash and time next to their limits.

Facts: sizes of ``tflite::MicroInterpreter`` and ``MicroMutableOpResolver`` as Arm GCC 12.2 makes
them for a Cortex-M (TFLM of August 2026, short enums).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from arenite.analysis.arena_use import Firmware, needed_by
from arenite.analysis.boards import BoardFacts, find_board
from arenite.analysis.ethos_u import fast_bytes
from arenite.analysis.model_cost import model_cost, why_incomplete
from arenite.analysis.quantity import bytes_of, megahertz_of, milliseconds_of
from arenite.analysis.resolver_code import resolver as resolver_code
from arenite.callable_modules import html_of
from arenite.cores import DEFAULT
from arenite.formats import Source, model_of
from arenite.libraries.library import why_no_costs
from arenite.model import Model
from arenite.ops import AllOpsResolver, MutableOpResolver, OpResolver, builtin
from arenite.target import Target, find_target

Verdict = Literal["fits", "exceeds", "unknown", "no limit"]

#: Bytes of ``tflite::MicroInterpreter``, and of a resolver without operators and for each.
_INTERPRETER, _RESOLVER, _REGISTRATION = 208, 12, 36


@dataclass(frozen=True)
class Need:
    """One thing that a model needs, and what there is of it.

    Attributes:
        name: ``"RAM"``, ``"flash"`` or ``"time"``; of an NPU's file ``"fast memory"`` as well.
        unit: ``"bytes"`` or ``"ms"``.
        parts: What it is made of, by name.
        limit: What there is; None if that was not said.
        note: What is not in it, or why it is not known.
        is_known: Whether ``parts`` are all there is.
    """

    name: str
    unit: str
    parts: dict[str, float]
    limit: float | None
    note: str = ""
    is_known: bool = True

    @property
    def total(self) -> float:
        """The sum of its parts."""
        return sum(self.parts.values())

    @property
    def left(self) -> float | None:
        """What remains below the limit; negative if that is exceeded."""
        return None if self.limit is None or not self.parts else self.limit - self.total

    @property
    def verdict(self) -> Verdict:
        """A part that is unknown makes a fit unknown, and an excess no better."""
        if self.limit is None:
            return "no limit"
        if self.total > self.limit:
            return "exceeds"
        return "fits" if self.is_known and self.parts else "unknown"


@dataclass(frozen=True)
class Fit:
    """What a model needs on a board, next to what there is. True in a condition if it fits."""

    file: str
    target: Target
    clock: float | None
    board: BoardFacts | None
    needs: tuple[Need, ...]

    @property
    def fits(self) -> bool:
        """Whether every limit that was given is kept, and that is known."""
        return all(need.verdict in ("fits", "no limit") for need in self.needs)

    def __bool__(self) -> bool:
        return self.fits

    def need(self, name: str) -> Need:
        """``"RAM"``, ``"flash"`` or ``"time"``."""
        return next(need for need in self.needs if need.name == name)

    _repr_html_ = html_of

    def __repr__(self) -> str:
        words = [f"{one.name} {_text(one)}: {one.verdict}" for one in self.needs]
        return f"<{self.file or '(built)'} {'fits' if self.fits else 'does not fit'}; " + (
            "; ".join(words) + ">"
        )


def fit(
    model: Model | Source,
    *,
    board: str | None = None,
    target: Target | str | None = None,
    ram: int | str | None = None,
    flash: int | str | None = None,
    deadline: float | str | None = None,
    clock: float | str | None = None,
    resolver: OpResolver | None = None,
) -> Fit:
    """Say whether a model fits a board.

    Args:
        model: A model, a file's path, or a file's bytes.
        board: A name of ``arenite boards``, which gives target, clock, RAM and flash; each can be
            given besides, and counts then.
        target: Which firmware is meant; by default the board's, or ``"cortex-m4"``.
        ram: The limit in bytes, or such as ``"96k"``.
        flash: The limit in bytes.
        deadline: The limit of an inference, in milliseconds, or such as ``"1.5s"``.
        clock: In MHz, or such as ``"1.2GHz"``.
        resolver: The firmware's: ``MutableOpResolver(20)`` with its operators counts as
            ``MicroMutableOpResolver<20>``, one without a size as one for the operators that it
            holds. By default one for just this model's operators.

    Returns:
        What it needs; a condition is true if all limits are kept.

    Raises:
        ValueError: There is no limit at all, a deadline without a clock, or no such board.
        UnsupportedOperatorError, ConstraintError: TFLM does not run the model.
    """
    facts = None if board is None else find_board(board)
    if facts is not None:
        target, ram = target or facts.processor, facts.ram if ram is None else ram
        flash = facts.flash if flash is None else flash
        clock = facts.clock if clock is None else clock
    if ram is None and flash is None and deadline is None:
        raise ValueError("expected a limit: a board, or ram, flash or a deadline")
    if deadline is not None and clock is None:
        raise ValueError("expected a clock for the deadline: a board, or clock in MHz")
    meant, found = find_target(DEFAULT if target is None else target), model_of(model)
    speed = None if clock is None else megahertz_of(clock)
    if resolver is not None:
        found = _with_operators(found, resolver)
    needs = (
        _ram(found, meant, resolver, None if ram is None else bytes_of(ram)),
        *_fast(found),
        _flash(found, None if flash is None else bytes_of(flash)),
        _time(found, meant, speed, None if deadline is None else milliseconds_of(deadline)),
    )
    return Fit(found.source, meant, speed, facts, needs)


def _with_operators(model: Model, resolver: OpResolver) -> Model:
    """The model with those of its operators that only the resolver has."""
    names = {operator.name for graph in model.subgraphs for operator in graph.operators}
    found = {name: resolver.find(name) for name in names if builtin(name) is None}
    own = {name: registration for name, registration in found.items() if registration is not None}
    return replace(model, registrations={**model.registrations, **own})


def _places(model: Model, resolver: OpResolver | None) -> int:
    """For how many operators there is room in the firmware's resolver."""
    if not isinstance(resolver, MutableOpResolver) or isinstance(resolver, AllOpsResolver):
        return resolver_code(model).operators
    return len(resolver) if resolver.size is None else resolver.size


def _ram(model: Model, target: Target, resolver: OpResolver | None, limit: int | None) -> Need:
    arena = needed_by(model, Firmware("greedy", target), resolver).smallest_arena
    operators = _places(model, resolver)
    parts = {
        "arena": arena,
        "MicroInterpreter": _INTERPRETER,
        f"MicroMutableOpResolver<{operators}>": _RESOLVER + operators * _REGISTRATION,
    }
    note = "without the stack, buffers of the input, and what else the firmware has"
    return Need("RAM", "bytes", dict(parts), limit, note)


def _fast(model: Model) -> tuple[Need, ...]:
    """The NPU's own memory, which is no part of the arena; nothing where it has none."""
    count = fast_bytes(model)
    if not count:
        return ()
    note = (
        "beside the arena, for ethosu_init; a driver without it works in the arena instead, where "
        "fast memory lies over the inputs, and results are wrong"
    )
    return (Need("fast memory", "bytes", {"scratch_fast": float(count)}, None, note),)


def _flash(model: Model, limit: int | None) -> Need:
    parts = {"model": float(model.nbytes)} if model.nbytes else {}
    note = "without the code of TFLM and its kernels" if parts else "a built model has no file yet"
    return Need("flash", "bytes", parts, limit, note)


def _time(model: Model, target: Target, clock: float | None, limit: float | None) -> Need:
    if clock is None:
        return Need("time", "ms", {}, limit, "no clock was given", is_known=False)
    if reason := why_no_costs(target):
        return Need("time", "ms", {}, limit, reason, is_known=False)
    cost = model_cost(model, target, clock)
    incomplete = why_incomplete(cost)
    note = f"an estimate within {cost.accuracy.cycles:.0%}, for memory that never waits"
    if incomplete is not None:
        note = f"at least: {incomplete}"
    parts = {"inference": cost.milliseconds(cost.cycles)}
    return Need("time", "ms", parts, limit, note, is_known=incomplete is None)


def fit_facts(found: Fit) -> dict[str, Any]:
    """Everything that ``arenite fit`` prints; see ``docs/cli.md`` for the keys."""
    return {
        "file": found.file,
        "fits": found.fits,
        "target": vars(found.target),
        "clock_mhz": found.clock,
        "board": None if found.board is None else vars(found.board),
        "needs": [
            {
                "name": one.name,
                "unit": one.unit,
                "total": one.total if one.parts else None,
                "limit": one.limit,
                "left": one.left,
                "verdict": one.verdict,
                "parts": one.parts,
                "note": one.note,
            }
            for one in found.needs
        ],
    }


def _text(need: Need) -> str:
    total = amount(need.total, need.unit) if need.parts else "unknown"
    return total if need.limit is None else f"{total} of {amount(need.limit, need.unit)}"


def amount(value: float, unit: str) -> str:
    """``22,832 bytes``, ``9.53 ms``."""
    return f"{value:,.0f} bytes" if unit == "bytes" else f"{value:,.3g} ms"
