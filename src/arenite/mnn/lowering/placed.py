"""TensorFlow Lite's operators with explicit positions: see :mod:`arenite.ops.shared.placed`."""

from __future__ import annotations

from dataclasses import dataclass

from arenite.ops.shared.placed import Placed
from arenite.ops.shared.window import Placement
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.ops.tflite.resize_nearest_neighbor import ResizeNearestNeighborOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions


@dataclass(frozen=True)
class PlacedConv2DOptions(Placed, Conv2DOptions):
    """CONV_2D with a window of its own."""

    placement: Placement | None = None


@dataclass(frozen=True)
class PlacedDepthwiseConv2DOptions(Placed, DepthwiseConv2DOptions):
    """DEPTHWISE_CONV_2D with a window of its own."""

    placement: Placement | None = None


@dataclass(frozen=True)
class PlacedTransposeConvOptions(Placed, TransposeConvOptions):
    """TRANSPOSE_CONV that cuts off ``padding`` (height, width) before its output."""

    placement: tuple[int, int] | None = None


@dataclass(frozen=True)
class PlacedResizeNearestNeighborOptions(Placed, ResizeNearestNeighborOptions):
    """RESIZE_NEAREST_NEIGHBOR with the input's row and column of every output pixel."""

    placement: tuple[tuple[int, ...], tuple[int, ...]] | None = None


@dataclass(frozen=True)
class PlacedResizeBilinearOptions(Placed, ResizeBilinearOptions):
    """RESIZE_BILINEAR with the exact positions of its rows and columns in the input."""

    placement: tuple[tuple[float, ...], tuple[float, ...]] | None = None
