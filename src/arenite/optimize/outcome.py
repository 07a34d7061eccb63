"""The outcome of one pass, and the report of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from arenite.callable_modules import html_of
from arenite.model import Model
from arenite.optimize.settings import Settings
from arenite.target import Target

if TYPE_CHECKING:
    from arenite.optimize.difference import Difference
    from arenite.optimize.verify import Verification


class Note(NamedTuple):
    """One change, or one thing that was left as it was, with its reason.

    ``where`` is a place in the model that the pass was given, such as
    ``$.subgraphs[0].operators[3]``, or a tensor's name.
    """

    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


class Outcome(NamedTuple):
    """A model after a pass: the model itself where nothing was to be done.

    ``is_exact`` says that outputs keep their bits.
    """

    model: Model
    changes: tuple[Note, ...] = ()
    declined: tuple[Note, ...] = ()
    is_exact: bool = True


#: A pass. The model that it returns computes the same outputs, for every input, but for ``lower``,
#: which says where it does not. A tensor that
#: keeps its name, type, shape and quantisation keeps its values too; one whose values change is
#: given another name.
Pass = Callable[[Model, Settings], Outcome]


@dataclass(frozen=True, eq=False)
class Step:
    """One run of a pass: the model before and after it, what it did, how long it took."""

    name: str
    before: Model
    after: Model
    changes: tuple[Note, ...]
    declined: tuple[Note, ...]
    seconds: float
    is_exact: bool = True

    @property
    def is_change(self) -> bool:
        """Whether the model is another one now."""
        return self.after is not self.before

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.changes)} changes, {len(self.declined)} declined>"


class Elsewhere(NamedTuple):
    """Bytes of the smallest arena on another firmware than the one that memory was planned for."""

    target: Target
    before: int
    after: int

    def __str__(self) -> str:
        return f"on {self.target} the arena is larger: {self.before:,} bytes to {self.after:,}"


@dataclass(frozen=True, eq=False)
class Report:
    """The effect of all passes on a model, in the order in which they ran.

    ``verification`` says how the result was compared with the original; None where it was not.
    ``difference`` says how the model that was lowered compares with the original.
    ``elsewhere`` is other firmware that the file is good for and whose arena is larger now.
    """

    original: Model
    settings: Settings
    steps: tuple[Step, ...]
    verification: Verification | None = None
    elsewhere: tuple[Elsewhere, ...] = ()
    difference: Difference | None = None

    @property
    def lowered(self) -> Model:
        """The model before the passes that keep all bits: the original, or ``lower``'s result."""
        made = [step.after for step in self.steps if step.name == "lower"]
        return made[0] if made else self.original

    @property
    def model(self) -> Model:
        """The result."""
        return self.steps[-1].after if self.steps else self.original

    @property
    def changes(self) -> tuple[Note, ...]:
        """Notes on the changes."""
        return tuple(note for step in self.steps for note in step.changes)

    @property
    def declined(self) -> tuple[Note, ...]:
        """Notes on what was left as it was, and why; each once."""
        return tuple(dict.fromkeys(note for step in self.steps for note in step.declined))

    _repr_html_ = html_of

    def __repr__(self) -> str:
        lines = [f"<Report on {self.original.source or '(built)'}"]
        for step in self.steps:
            lines += [f"  {step.name}: {note}" for note in step.changes]
        return "\n".join(lines) + ">"
