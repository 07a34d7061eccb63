"""Inputs of 8 bits at r0 to 16 bits at r1, both of which move on; r2 to r9 are taken."""

from __future__ import annotations

_EIGHT = (
    *("sxtb16 r4, r2", "sxtb16 r5, r2, ror #8"),
    *("sxtb16 r6, r3", "sxtb16 r7, r3, ror #8", "stm r1!, {r4-r7}"),
)
#: Instructions that widen so many inputs, in the order of ``expanded_order``.
WIDEN: dict[int, tuple[str, ...]] = {
    16: (
        *("ldm r0!, {r2, r3, r8, r9}", *_EIGHT),
        *("sxtb16 r4, r8", "sxtb16 r5, r8, ror #8"),
        *("sxtb16 r6, r9", "sxtb16 r7, r9, ror #8", "stm r1!, {r4-r7}"),
    ),
    8: ("ldm r0!, {r2, r3}", *_EIGHT),
    4: ("ldr r2, [r0], #4", "sxtb16 r4, r2", "sxtb16 r5, r2, ror #8", "stm r1!, {r4, r5}"),
}
