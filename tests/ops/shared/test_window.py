"""Windows over images: which elements they meet, and how much memory that takes."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.ops.kernel_util import window_output_size, window_padding
from arenite.ops.shared.window import Axis, Border, Window, axes_of

Array = np.ndarray[Any, Any]
HUGE = 2**31 - 1


@st.composite
def windows(draw: st.DrawFn) -> tuple[Window, tuple[int, int]]:
    """A window with sane or absurd strides and dilations, and the size of its images."""
    size, taps, strides, dilations, outputs, pads = [], [], [], [], [], []
    padding = draw(st.integers(0, 1))
    for _ in range(2):
        n, k = draw(st.integers(1, 8)), draw(st.integers(1, 4))
        s = draw(st.one_of(st.integers(1, 4), st.just(HUGE)))
        d = draw(st.one_of(st.integers(1, 9), st.sampled_from([1000, HUGE])))
        out = max(1, window_output_size(padding, n, k, s, d))
        size.append(n)
        taps.append(k)
        strides.append(s)
        dilations.append(d)
        outputs.append(out)
        pads.append(window_padding(s, d, n, k, out))
    window = Window(*(tuple(pair) for pair in (outputs, taps, strides, dilations, pads)))
    return window, (size[0], size[1])


def expected_windows(window: Window, x: Array, padding: float) -> Array:
    """Element by element, as TFLM's loops go: (n, oh, ow, kh, kw, c)."""
    n, height, width, channels = x.shape
    out = np.full((n, *window.output_size, *window.filter_size, channels), padding, x.dtype)
    for oy, ox, ky, kx in np.ndindex(*window.output_size, *window.filter_size):
        y = oy * window.stride[0] + ky * window.dilation[0] - window.padding[0]
        column = ox * window.stride[1] + kx * window.dilation[1] - window.padding[1]
        if 0 <= y < height and 0 <= column < width:
            out[:, oy, ox, ky, kx] = x[:, y, column]
    return out


def images(size: tuple[int, int]) -> Array:
    return np.arange(1, 2 * size[0] * size[1] * 3 + 1).reshape(2, *size, 3)


def without_taps(expected: Array, axes: tuple[Axis, Axis]) -> tuple[Array, Array]:
    """The taps that the axes keep, and the others."""
    kept = expected[:, :, :, axes[0].taps, axes[1].taps]
    others = expected.copy()
    others[:, :, :, axes[0].taps, axes[1].taps] = 0
    return kept, others


@settings(max_examples=200, deadline=None, derandomize=True)
@given(case=windows())
def test_border_shows_what_every_window_meets(case: tuple[Window, tuple[int, int]]) -> None:
    window, size = case
    x, axes = images(size), axes_of(window, size)
    border = Border(x.shape, axes, x.dtype, 0)
    border.fill(x)
    kept, others = without_taps(expected_windows(window, x, 0), axes)
    np.testing.assert_array_equal(border.windows(), kept)
    assert not others.any(), "a tap that meets the image was dropped"


@settings(max_examples=200, deadline=None, derandomize=True)
@given(case=windows(), repeat=st.integers(1, 3))
def test_phases_put_the_pixels_of_a_tap_next_to_each_other(
    case: tuple[Window, tuple[int, int]], repeat: int
) -> None:
    window, size = case
    x, axes = images(size), axes_of(window, size)
    border = Border(x.shape, axes, x.dtype, -7, phases=axes[1].stride, repeat=repeat)
    border.fill(x)
    expected = expected_windows(window, np.repeat(x, repeat, axis=3), -7)
    kept, _ = without_taps(expected, axes)
    for i, j in np.ndindex(axes[0].count, axes[1].count):
        tap = border.tap(i, j)
        np.testing.assert_array_equal(tap, kept[:, :, :, i, j])
        assert np.shares_memory(tap.reshape(*tap.shape[:2], -1), border.memory)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(case=windows())
def test_memory_stays_within_a_few_images_whatever_a_file_says(
    case: tuple[Window, tuple[int, int]],
) -> None:
    window, size = case
    axes = axes_of(window, size)
    border = Border((1, *size, 1), axes, np.int8, 0, phases=axes[1].stride)
    assert border.memory.size <= 9 * size[0] * size[1] + 9 * max(size)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(case=windows())
def test_strides_of_views_are_those_of_the_memory_whatever_a_file_says(
    case: tuple[Window, tuple[int, int]],
) -> None:
    """Machines of 32 bits have no more for them."""
    window, size = case
    border = Border((1, *size, 1), axes_of(window, size), np.int64, 0)
    assert max(border.windows().strides) < 8 * 9 * max(size[0] * size[1], *size)


def test_filling_again_leaves_the_padding_alone() -> None:
    window = Window((2, 2), (2, 2), (1, 1), (1, 1), (1, 1))
    x = np.ones((1, 2, 2, 1))
    border = Border(x.shape, axes_of(window, (2, 2)), np.int8, 5)
    for value in (1, 2):
        border.fill(np.full((1, 2, 2, 1), value))
        assert border.memory[0, :, 0, :, 0].tolist() == [
            [5, 5, 5],
            [5] + [value] * 2,
            [5] + [value] * 2,
        ]
