"""Grounds on which results agree with the NPU's own bits: nobody here has silicon.

Outputs are equal to TFLite's on the original model. That shows what is inferred, and not what no
model that was looked at depends on.
"""

from __future__ import annotations

#: No document says it; each is needed for agreement with TFLite.
INFERRED: tuple[str, ...] = (
    "Rounding 0 is TFLite's double rounding: a doubling high product, then a rounding shift.",
    "ADD and SUB with one operand scale of 32 bits: the other operand is shifted left by 19, for "
    "int16 by 14.",
    "MUL of int32 uses the shift of its output scale alone.",
    "int32 outputs take no zero point unless they go through a table.",
    "AVERAGE with padding divides by the number of elements itself, halves away from zero.",
    "TANH and SIGMOID of int16 are TFLite's table of 256 steps of 1/24, interpolated.",
    "U85: all of the above, and AVERAGE divides by itself without padding, too, before its scale.",
    "U85: roundings are those with which Vela folds constants; a shift to the left comes first.",
    "U85: sums of RESIZE have 16 bits below them, which its output's scale takes off; beyond the "
    "border lie the border's elements, and halves go to the next one.",
    "U85: ARGMAX scales the place of the first greatest element, with 16 bits below it.",
    "U85: chains hand on elements of the output's type; sums that stay are those before scales.",
    "U85: weights that another layer computes are a row of the second input per output channel.",
)
#: What may differ on silicon where no model shows it.
GUESSED: tuple[str, ...] = (
    "What happens where an accumulator or a shifted value leaves its bits.",
    "Whether int32 wraps or saturates.",
    "LRELU: its scale applies to negative values alone; U85 has one for positive ones as well.",
    "U85: DIV goes towards zero, and is 0 where there is nothing to divide by.",
    "U85: copies of int64 keep all their bits, though sums have 48.",
    "U85: indices of GATHER beyond the table are taken for its ends.",
)
