"""Whether a model fits: memory, flash and time next to their limits.

Facts: sizes of ``tflite::MicroInterpreter`` and ``MicroMutableOpResolver`` as Arm GCC 12.2 makes
them for a Cortex-M (TFLM of August 2026, short enums).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from arenite.analysis.arena_use import Firmware, needed_by
from arenite.analysis.code_size import code_size
from arenite.analysis.devices import device_of
from arenite.analysis.ethos_u import check_npu, fast_bytes
from arenite.analysis.fit_time import Energy, energy_of, time_of
from arenite.analysis.needs import Need, amount
from arenite.analysis.resolver_code import resolver as resolver_code
from arenite.boards import Board, boards
from arenite.boards.board import Room, board_facts
from arenite.callable_modules import html_of
from arenite.errors import AreniteError
from arenite.formats import Source, model_of
from arenite.model import Model
from arenite.ops import AllOpsResolver, MutableOpResolver, OpResolver, builtin
from arenite.options import optional, real, takes, text
from arenite.quantity import bytes_of, megahertz_of, milliseconds_of
from arenite.target import Target

#: Bytes of ``tflite::MicroInterpreter``, and of a resolver without operators and for each.
_INTERPRETER, _RESOLVER, _REGISTRATION = 208, 12, 36
#: What ``arenite fit`` says of all limits together, and its exit codes.
Outcome = Literal["fits", "does not fit", "not known", "marginal"]
EXIT_CODES: dict[Outcome, int] = {"fits": 0, "does not fit": 1, "not known": 3, "marginal": 3}


@dataclass(frozen=True)
class Fit:
    """Needs of a model on a board, next to what there is. True in a condition if it fits.

    Attributes:
        file: The model's path.
        target: The firmware that is meant.
        clock: In MHz.
        board: None where a target and limits were given instead.
        needs: RAM, flash, time.
        energy: Of an inference, where a figure of the chip was published.
    """

    file: str
    target: Target
    clock: float | None
    board: Board | None
    needs: tuple[Need, ...]
    energy: Energy | None = None

    @property
    def outcome(self) -> Outcome:
        """``"fits"`` if every limit is kept, and that is known."""
        return outcome_of(self.needs)

    @property
    def fits(self) -> bool:
        """Whether every limit that was given is kept, and that is known."""
        return self.outcome == "fits"

    def __bool__(self) -> bool:
        return self.fits

    @property
    def is_limited(self) -> bool:
        """Whether anything was given to fit into."""
        return any(need.limit is not None for need in self.needs)

    def need(self, name: str) -> Need:
        """``"RAM"``, ``"flash"`` or ``"time"``."""
        return next(need for need in self.needs if need.name == name)

    def rows(self) -> list[dict[str, Any]]:
        """A row per need, as ``pandas.DataFrame`` takes them."""
        return [need_facts(one) for one in self.needs]

    _repr_html_ = html_of

    def __repr__(self) -> str:
        words = [f"{one.name} {_text(one)}: {one.verdict}" for one in self.needs]
        return f"<{self.file or '(built)'}: {self.outcome}; {'; '.join(words)}>"


@takes(bank=optional(text), margin=optional(real()))
def fit(
    model: Model | Source,
    *,
    board: str | Board | None = None,
    target: Target | str | None = None,
    ram: int | str | None = None,
    flash: int | str | None = None,
    deadline: float | str | None = None,
    clock: float | str | None = None,
    bank: str | None = None,
    margin: float | None = None,
    resolver: OpResolver | None = None,
) -> Fit:
    """Say whether a model fits a board.

    Args:
        model: A model, a file's path, or a file's bytes.
        board: A name of ``arenite boards``, a chip's, or a ``.toml`` file, which give target,
            clock, RAM and flash; each can be given besides, and counts then.
        target: Which firmware is meant; by default the board's, or ``"cortex-m4"``.
        ram: The limit in bytes, or such as ``"96k"``.
        flash: The limit in bytes.
        deadline: The limit of an inference, in milliseconds, or such as ``"1.5s"``.
        clock: In MHz, or such as ``"1.2GHz"``.
        bank: Where the arena lies: a bank of the board; by default its largest piece of RAM.
        margin: By what share the time may be off, instead of what published boards show: 0.2 for
            20 %.
        resolver: The firmware's: ``MutableOpResolver(20)`` with its operators counts as
            ``MicroMutableOpResolver<20>``, one without a size as one for the operators that it
            holds. By default one for just this model's operators.

    Returns:
        What it needs; a condition is true if all limits are kept.

    Raises:
        ValueError: There is no limit at all, a deadline without a clock, or no such board.
        UnsupportedOperatorError, ConstraintError: TFLM does not run the model, or the board has
            another NPU than the model was compiled for.
    """
    found = model_of(model)
    speed = None if clock is None else megahertz_of(clock)
    device = device_of(board, target, speed, model=found)
    facts = device.board
    room = _room(facts, bank)
    if facts is not None and flash is None:
        flash = facts.flash
    _check_limits(facts is not None, (ram, flash, deadline), device.clock, margin)
    if facts is not None and not device.target.npu:
        check_npu(found, facts)
    limits = Limits(
        room if ram is None else bytes_of(ram),
        None if flash is None else bytes_of(flash),
        None if deadline is None else milliseconds_of(deadline),
        device.clock,
        margin,
    )
    return judged(found, device.target, facts, limits, resolver)


def _check_limits(
    has_board: bool,
    limits: tuple[object, object, object],
    clock: float | str | None,
    margin: float | None,
) -> None:
    """Check that there is a limit of RAM, flash or time, and what that of time needs."""
    if not has_board and all(limit is None for limit in limits):
        raise ValueError("expected a limit: a board, or ram, flash or a deadline")
    if limits[-1] is not None and clock is None:
        raise ValueError("expected a clock for the deadline: a board, or clock in MHz")
    if margin is not None and not 0 <= margin <= 10:
        raise ValueError(f"expected a margin from 0 to 10, such as 0.2 for 20 %, got {margin!r}")


class Limits(NamedTuple):
    """Limits: RAM that a program can use or bytes, bytes, milliseconds, MHz; None is no limit."""

    ram: Room | int | None = None
    flash: int | None = None
    deadline: float | None = None
    clock: float | None = None
    margin: float | None = None


def judged(
    model: Model,
    target: Target,
    board: Board | None,
    limits: Limits,
    resolver: OpResolver | None = None,
) -> Fit:
    """Needs of a model next to limits, of which there may be none; see :func:`fit`."""
    if resolver is not None:
        model = _with_operators(model, resolver)
    time = time_of(
        model,
        target,
        limits.clock,
        limit=limits.deadline,
        margin=limits.margin,
        board=board,
    )
    needs = (
        _ram(model, target, resolver, limits.ram, board),
        *_fast(model),
        _flash(model, target, limits.flash),
        time,
    )
    energy = energy_of(board, time, limits.clock)
    return Fit(model.source, target, limits.clock, board, needs, energy)


def fit_all(
    model: Model | Source,
    *,
    deadline: float | str | None = None,
    among: Iterable[Board] | None = None,
) -> list[Fit]:
    """Whether a model fits each board of the list, by name.

    Args:
        model: A model, a file's path, or a file's bytes.
        deadline: The limit of an inference, in milliseconds, or such as ``"1.5s"``.
        among: These boards instead.

    Raises:
        UnsupportedOperatorError, ConstraintError: TFLM does not run the model on any of them.
    """
    found, results = model_of(model), list[Fit]()
    refused: AreniteError | None = None
    for board in boards() if among is None else among:
        try:
            results.append(fit(found, board=board, deadline=deadline))
        except AreniteError as error:
            refused = refused or error
    if refused is not None and not results:
        raise refused
    return results


def _room(board: Board | None, bank: str | None) -> Room | None:
    if board is None:
        if bank is not None:
            raise ValueError(f"expected a board for the bank {bank!r}")
        return None
    return board.room(bank)


def _with_operators(model: Model, resolver: OpResolver) -> Model:
    """The model with those of its operators that only the resolver has."""
    names = {operator.name for graph in model.subgraphs for operator in graph.operators}
    found = {name: resolver.find(name) for name in names if builtin(name) is None}
    own = {name: registration for name, registration in found.items() if registration is not None}
    return replace(model, registrations={**model.registrations, **own})


def _places(model: Model, resolver: OpResolver | None) -> int:
    """Number of operators that there is room for in the firmware's resolver."""
    if not isinstance(resolver, MutableOpResolver) or isinstance(resolver, AllOpsResolver):
        return resolver_code(model).operators
    return len(resolver) if resolver.size is None else resolver.size


def _ram(
    model: Model,
    target: Target,
    resolver: OpResolver | None,
    limit: Room | int | None,
    board: Board | None,
) -> Need:
    arena = needed_by(model, Firmware("greedy", target), resolver).smallest_arena
    operators = _places(model, resolver)
    parts: dict[str, float] = {
        "arena": arena,
        **({"arena of variables": target.variables_arena} if target.variables_arena else {}),
        "MicroInterpreter": _INTERPRETER,
        f"MicroMutableOpResolver<{operators}>": _RESOLVER + operators * _REGISTRATION,
    }
    total = sum(parts.values())
    note = "not counted: the stack, what collects the input, and the rest of the firmware"
    if isinstance(limit, Room):
        note += f". The limit is what a program can use {limit.note}" if limit.note else ""
        elsewhere = _elsewhere(board, limit, total)
        note += f". {elsewhere}" if elsewhere else ""
        return Need("RAM", "bytes", parts, limit.size, note, where=limit.name)
    return Need("RAM", "bytes", parts, limit, note)


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


def _elsewhere(board: Board | None, room: Room, needed: float) -> str:
    """Another memory of a board that would do, if this one does not."""
    if board is None or needed <= room.size:
        return ""
    others = [one for one in board.rooms if one.name != room.name]
    others += [board.room(bank.name) for bank in board.banks if bank.holds == "external"]
    large = next((one for one in others if one.size >= needed), None)
    if large is not None:
        return f"One arena fits {large.name}: --bank {large.name}"
    if not others or sum(one.size for one in (room, *others)) < needed:
        return ""
    sizes = f"{room.region.banks[0].name}={room.size // 1024}k,{others[0].region.banks[0].name}="
    return (
        f"No piece of RAM is that large. Two arenas may do: arenite memory MODEL --splits "
        f"{sizes}{others[0].size // 1024}k"
    )


def _flash(model: Model, target: Target, limit: int | None) -> Need:
    if not model.nbytes:
        return Need("flash", "bytes", {}, limit, "a built model has no file yet", is_known=False)
    code = code_size(model, target)
    parts = {"model": float(model.nbytes), "TFLM's code": round((code.low + code.high) / 2)}
    note = f"the code is an estimate, {code.low:,.0f} to {code.high:,.0f} bytes with GCC's -O2"
    if target.optimize == "Os":
        note += ", less with -Os"
    if code.measured_on != target.processor:
        note += f", from sizes on {code.measured_on}"
    if code.unmeasured:
        note += f"; not measured: {', '.join(code.unmeasured)}"
    note += "; not counted: the rest of the firmware"
    low, high = (model.nbytes + size for size in code[:2])
    return Need("flash", "bytes", dict(parts), limit, note, low=low, high=high)


def need_facts(need: Need) -> dict[str, Any]:
    """A need for JSON."""
    return {
        "name": need.name,
        "unit": need.unit,
        "total": need.total,
        "low": need.least,
        "high": need.most,
        "limit": need.limit,
        "left": need.left,
        "verdict": need.verdict,
        "bank": need.where or None,
        "parts": need.parts,
        "note": need.note,
    }


def fit_facts(found: Fit) -> dict[str, Any]:
    """Everything that ``arenite fit`` prints; see ``docs/cli.md`` for the keys."""
    return {
        "file": found.file,
        "fits": found.fits,
        "outcome": found.outcome,
        "target": vars(found.target),
        "clock_mhz": found.clock,
        "board": None if found.board is None else board_facts(found.board),
        "needs": [need_facts(one) for one in found.needs],
        "energy": None if found.energy is None else found.energy._asdict(),
    }


def outcome_of(needs: Iterable[Need]) -> Outcome:
    """``"fits"`` if every limit is kept, and that is known."""
    verdicts = {need.verdict for need in needs}
    if "exceeds" in verdicts:
        return "does not fit"
    if "unknown" in verdicts:
        return "not known"
    return "marginal" if "marginal" in verdicts else "fits"


def worst(found: Sequence[Fit]) -> Outcome:
    """The outcome of several boards: it fits if it fits any."""
    for outcome in ("fits", "marginal", "not known"):
        if any(one.outcome == outcome for one in found):
            return outcome
    return "does not fit"


def _text(need: Need) -> str:
    return (
        need.amount if need.limit is None else f"{need.amount} of {amount(need.limit, need.unit)}"
    )
