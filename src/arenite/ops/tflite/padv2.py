"""PADV2: a tensor in a border of a given value. See ``shared/pad.py``."""

from __future__ import annotations

from arenite.model import OptionsTable
from arenite.ops import MOVES, Registration, Traits
from arenite.ops.kernel_util import allocate_struct
from arenite.ops.shared import pad as _pad


class PadV2Options(OptionsTable, union=43):
    """``table PadV2Options``, which is empty."""


REGISTRATION = Registration(
    init=allocate_struct(_pad.OP_DATA),
    prepare=_pad.prepare,
    invoke=_pad.invoke,
    overlap=_pad.overlap,
    options=PadV2Options,
    constraints=_pad.CONSTRAINTS,
)

TRAITS = Traits(values="rising", channels="padded", exact_on_floats=True, drawn="shape")

SCHEME = MOVES
