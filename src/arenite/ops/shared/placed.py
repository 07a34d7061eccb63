"""Options with explicit positions, which the schema of TensorFlow Lite cannot express.

Models of other formats place their windows and pixels freely; the kernels never knew of SAME,
VALID or half pixels anyway. A row of these carries what ``prepare`` would have computed.
"""

from __future__ import annotations

from dataclasses import dataclass

from arenite.errors import ModelError
from arenite.model import OptionsTable, Slot
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.shared.window import Placement
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.ops.tflite.resize_nearest_neighbor import ResizeNearestNeighborOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions


class _Placed(OptionsTable):
    """A row that lives in memory only."""

    @classmethod
    def slots(cls) -> tuple[Slot, ...]:
        """There are none: a file cannot hold the row."""
        raise ModelError(
            f"explicit positions ({cls.__name__}) have no place in a .tflite file; the model was "
            "loaded from another format"
        )


@dataclass(frozen=True)
class PlacedConv2DOptions(_Placed, Conv2DOptions):
    """CONV_2D with a window of its own."""

    placement: Placement | None = None


@dataclass(frozen=True)
class PlacedDepthwiseConv2DOptions(_Placed, DepthwiseConv2DOptions):
    """DEPTHWISE_CONV_2D with a window of its own."""

    placement: Placement | None = None


@dataclass(frozen=True)
class PlacedPool2DOptions(_Placed, Pool2DOptions):
    """AVERAGE_POOL_2D and MAX_POOL_2D with a window of their own."""

    placement: Placement | None = None


@dataclass(frozen=True)
class PlacedTransposeConvOptions(_Placed, TransposeConvOptions):
    """TRANSPOSE_CONV that cuts off ``padding`` (height, width) before its output."""

    placement: tuple[int, int] | None = None


@dataclass(frozen=True)
class PlacedResizeNearestNeighborOptions(_Placed, ResizeNearestNeighborOptions):
    """RESIZE_NEAREST_NEIGHBOR with the input's row and column of every output pixel."""

    placement: tuple[tuple[int, ...], tuple[int, ...]] | None = None


@dataclass(frozen=True)
class PlacedResizeBilinearOptions(_Placed, ResizeBilinearOptions):
    """RESIZE_BILINEAR with the exact positions of its rows and columns in the input."""

    placement: tuple[tuple[float, ...], tuple[float, ...]] | None = None
