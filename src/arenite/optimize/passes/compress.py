"""Compress: constants in fewer bytes, which TFLM_DECODE decodes before they are used.

Each constant is written in the way that takes least (:mod:`arenite.optimize._encodings`), as far
as time and memory allow (:mod:`arenite.optimize._affordable`). An operator gets one TFLM_DECODE
right before it, as TFLM's own tool does it, so that memory beside the arena can hold what is
decoded. It pays with time, arena and code: nothing is done where the settings do not ask for it,
or where flash would not get smaller in total.

Facts: TFLM ``micro/compression/decode_insert.py`` (where the operators are), ``decode.cc``.
"""

from __future__ import annotations

from arenite.formats import tflite
from arenite.model import Model
from arenite.ops.shared.encoding import Codes
from arenite.optimize._affordable import affordable
from arenite.optimize._decoding import decoding
from arenite.optimize._encodings import Place, ways
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.rewrite import why_fixed
from arenite.optimize.settings import Settings
from arenite.revisions.changes import came
from arenite.revisions.known import revision_of

_KINDS = ("a table", "Huffman's codes", "a mask")


def compress(model: Model, settings: Settings) -> Outcome:
    """Write constants in fewer bytes where that makes flash smaller."""
    if not settings.compress:
        return Outcome(model)
    if reason := why_fixed(model) or _why_no_decoder(settings):
        return Outcome(model, declined=(Note("$", reason),))
    kept, declined = affordable(model, ways(model), settings)
    if not kept:
        none = Note("$", "no constant takes less with TFLM_DECODE")
        return Outcome(model, declined=(*declined, none))
    result = decoding(model, kept)
    before, after = (len(tflite.write(one)) for one in (model, result))
    code = 0 if has_decoder(model) else settings.decoder_code
    if before - after <= code:
        return Outcome(
            model, declined=(*declined, Note("$", _why_it_does_not_pay(before, after, code)))
        )
    notes = [_note(model, place, codes) for place, codes in kept.items()]
    saved = f"{before - after:,} bytes of the file for {code:,} bytes of TFLM_DECODE's code"
    return Outcome(result, (*notes, Note("$", saved)), tuple(declined))


def _why_no_decoder(settings: Settings) -> str:
    """The reason why the target's TFLM decodes nothing; empty where it does."""
    target = settings.target
    return came("TFLM_DECODE", revision_of(target.tflm)) if target and target.tflm else ""


def has_decoder(model: Model) -> bool:
    """Whether its firmware has TFLM_DECODE anyway."""
    return any(one.name == "TFLM_DECODE" for graph in model.subgraphs for one in graph.operators)


def _why_it_does_not_pay(before: int, after: int, code: int) -> str:
    if after >= before:
        return f"the file would take {after:,} bytes instead of {before:,}"
    return (
        f"it does not pay: the file would take {before - after:,} bytes less, the code of "
        f"TFLM_DECODE {code:,} more (decoder_code=0 where the firmware has it anyway)"
    )


def _note(model: Model, place: Place, codes: Codes) -> Note:
    tensor = model.subgraphs[place.subgraph].tensors[place.tensor]
    where = f"$.subgraphs[{place.subgraph}].tensors[{place.tensor}]"
    return Note(where, f"{tensor.nbytes:,} bytes as {_KINDS[codes.kind]} of {codes.size:,}")
