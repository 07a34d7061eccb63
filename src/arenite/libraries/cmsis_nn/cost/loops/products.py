"""Loops of CMSIS-NN's matrix products: what convolutions and fully connected layers end in.

Facts: CMSIS-NN ``ConvolutionFunctions/arm_nn_mat_mult_kernel_s8_s16.c`` and
``NNSupportFunctions/arm_nn_mat_mult_nt_t_s8.c``, ``arm_nn_vec_mat_mult_t*_s8.c``,
``arm_s8_to_s16_unordered_with_offset.c``, ``arm_q7_to_q15_with_offset.c``.
"""

from __future__ import annotations

from arenite.libraries.costs import Loop
from arenite.target import Target


def sums(
    name: str,
    step: str,
    times: int,
    count: int,
    *,
    sizes: tuple[int, ...] = (16, 4, 1),
    what: str = "column",
    is_unrolled: bool = False,
) -> list[Loop]:
    """A loop and its sums, in ever smaller blocks; entering each of these takes time too.

    The compiler unrolls a loop to the largest blocks: what is left enters in the middle of one.
    """
    found = [Loop(name, step, times)]
    for size in sizes:
        block = what if size == 1 else f"{size} {what}s"
        passes, count = divmod(count, size)
        found.append(Loop(name, f"{step}, any {block}", times * min(passes, 1)))
        next_only = is_unrolled and size < sizes[0]
        step_of_block = f"{step}, {'next ' * next_only}{block}"
        found.append(Loop(name, step_of_block, times * max(passes - next_only, 0)))
    return found


def to_int16(calls: int, size: int, target: Target) -> list[Loop]:
    """``calls`` rows of ``size`` values become int16, four at a time; with DSP in another order."""
    name = "arm_s8_to_s16_unordered_with_offset"
    if target.instructions == "plain":
        name = "arm_q7_to_q15_with_offset"
    fours, rest = divmod(size, 4)
    return [
        Loop(name, "call", calls),
        Loop(name, "4 values", calls * fours),
        Loop(name, "value", calls * rest),
    ]


def arm_nn_mat_mult_kernel_s8_s16(
    calls: int, channels: int, columns: int, name: str = "arm_nn_mat_mult_kernel_s8_s16"
) -> list[Loop]:
    """``calls`` pairs of im2col rows times ``channels`` filters of ``columns`` values."""
    pairs, odd = divmod(channels, 2)
    fours, rest = divmod(columns, 4)
    return [
        Loop(name, "call", calls),
        Loop(name, "2 channels", calls * pairs),
        Loop(name, "2 channels, 4 columns", calls * pairs * fours),
        Loop(name, "2 channels, column", calls * pairs * rest),
        Loop(name, "last channel", calls * odd),
        Loop(name, "last channel, 4 columns", calls * odd * fours),
        Loop(name, "last channel, column", calls * odd * rest),
    ]


def arm_nn_mat_mult_nt_t_s8(
    calls: int, rows: int, channels: int, columns: int, target: Target
) -> list[Loop]:
    """``calls`` products of ``rows`` x ``columns`` values and ``channels`` filters."""
    if target.instructions == "mve":
        return _nt_t_vectors(calls, rows, channels, columns)
    name = "arm_nn_mat_mult_nt_t_s8"
    pairs, odd = calls * (channels // 2), calls * (channels % 2)
    twos, single = pairs * (rows // 2), pairs * (rows % 2)
    return [
        Loop(name, "call", calls),
        Loop(name, "2 channels", pairs),
        Loop(name, "2 channels, sum of weights", pairs * columns),
        *sums(name, "2 channels, 2 rows", twos, columns),
        *sums(name, "2 channels, last row", single, columns),
        Loop(name, "last channel", odd),
        Loop(name, "last channel, row", odd * rows),
        Loop(name, "last channel, row, column", odd * rows * columns),
    ]


def _nt_t_vectors(calls: int, rows: int, channels: int, columns: int) -> list[Loop]:
    name = "arm_nn_mat_mult_nt_t_s8"
    fours, rest = divmod(rows, 4)
    vectors = -(-columns // 16)
    return [
        Loop(name, "call", calls),
        Loop(name, "4 rows", calls * fours),
        Loop(name, "4 rows, channel", calls * fours * channels),
        Loop(name, "4 rows, channel, 16 columns", calls * fours * channels * vectors),
        Loop(name, "row", calls * rest),
        Loop(name, "row, channel", calls * rest * channels),
        Loop(name, "row, channel, 16 columns", calls * rest * channels * vectors),
        Loop(name, "row, 4 channels", calls * rest * (channels // 4)),
        Loop(name, "row, last channels", calls * rest * (channels % 4)),
    ]


def arm_nn_vec_mat_mult_t(
    name: str, calls: int, units: int, depth: int, target: Target
) -> list[Loop]:
    """``calls`` vectors of ``depth`` values times ``units`` rows of weights.

    ``name`` is the function: several have these loops.
    """
    if target.instructions == "dsp":
        return _vector_by_lanes(name, calls, units, depth)
    if target.instructions == "mve":
        block, fours, rest = "4 units", units // 4, units % 4
        columns, inner, left = "16 columns", -(-depth // 16), 0
    else:
        block, fours, rest = "3 units", units // 3, units % 3
        columns, inner, left = "4 columns", 0, depth
    return [
        Loop(name, "call", calls),
        Loop(name, block, calls * fours),
        Loop(name, f"{block}, {columns}", calls * fours * inner),
        Loop(name, f"{block}, column", calls * fours * left),
        Loop(name, "last unit", calls * rest),
        Loop(name, f"last unit, {columns}", calls * rest * inner),
        Loop(name, "last unit, column", calls * rest * left),
    ]


def _vector_by_lanes(name: str, calls: int, units: int, depth: int) -> list[Loop]:
    """Columns by four; by sixteen where C has it so or asks the compiler for ``unroll-loops``."""
    unrolled, in_c = name in _UNROLLED, name == "arm_nn_vec_mat_mult_t_svdf_s8"
    pairs, last = (
        (16, 4, 1) if by_sixteen else (4, 1) for by_sixteen in (unrolled or in_c, unrolled)
    )
    twos, odd, fours = calls * (units // 2), calls * (units % 2), min(depth // 4, 1)
    return [
        Loop(name, "call", calls),
        Loop(name, "any 2 units", calls * min(units // 2, 1)),
        *sums(name, "2 units", twos, depth, sizes=pairs, is_unrolled=unrolled),
        *sums(name, "last unit", odd, depth, sizes=last, is_unrolled=unrolled),
        Loop(name, "2 units, 4 columns or more", twos * fours),
        Loop(name, "last unit, 4 columns or more", odd * fours),
    ]


#: Functions whose files ask GCC for ``unroll-loops``.
_UNROLLED = ("arm_nn_vec_mat_mult_t_s8", "arm_nn_vec_mat_mult_t_per_ch_s8")
