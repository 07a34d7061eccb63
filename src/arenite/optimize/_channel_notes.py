"""Notes on channels that went, and on constant ones that stayed."""

from __future__ import annotations

from collections import Counter

from arenite.model import Subgraph
from arenite.optimize._channel_groups import Groups
from arenite.optimize._channel_removal import Removal, layer_outputs
from arenite.optimize.outcome import Note
from arenite.optimize.ranges import Ranges

_NEEDED = "they meet padding of another value, or what follows of them varies"


def notes_of(
    number: int, subgraph: Subgraph, groups: Groups, removal: Removal, ranges: Ranges
) -> tuple[list[Note], list[Note]]:
    """Changes and what was declined, by the operators that compute the channels."""
    changes, declined = [], []
    for index, tensor in layer_outputs(subgraph):
        of = groups.of.get(tensor)
        found = ranges.tensors.get((number, tensor))
        if of is None or found is None:
            continue
        where, name = f"$.subgraphs[{number}].operators[{index}]", subgraph.operators[index].name
        gone = removal.gone[of]
        if gone.any():
            left = len(of) - int(gone.sum())
            changes.append(Note(where, f"{name}: {len(of)} -> {left} channels"))
        staying = of[found.is_constant & ~gone].tolist()
        reasons = Counter(
            groups.reasons.get(group) or removal.why.get(group) or _NEEDED for group in staying
        )
        for reason, count in reasons.items():
            noun = "constant channel stays" if count == 1 else "constant channels stay"
            declined.append(Note(where, f"{name}: {count} {noun}: {reason}"))
    return changes, declined
