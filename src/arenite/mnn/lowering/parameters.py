"""The kind of each operator's parameters: what the mappings rely on.

Facts: MNN 3.6.1 ``source/shape``, ``source/geometry``, ``source/backend/cpu`` (``main_as_...``).
"""

from __future__ import annotations

from collections.abc import Mapping

from arenite.mnn.file.enums import OpType
from arenite.mnn.file.net import Op
from arenite.mnn.lowering.graph_builder import GraphBuilder

_CONVOLUTION = ("Convolution2D",)
_NONE = ""

#: The tables that may be an operator's ``main``; empty if there may be none. Operators that
#: are not here have no parameters that matter, or look at the kind themselves.
PARAMETERS: Mapping[OpType, tuple[str, ...]] = {
    OpType.ArgMax: ("ArgMax",),
    OpType.ArgMin: ("ArgMax",),
    OpType.BatchMatMul: ("BatchMatMulParam", _NONE),
    OpType.BatchNorm: ("BatchNorm",),
    OpType.BatchToSpaceND: ("SpaceBatch", _NONE),
    OpType.BinaryOp: ("BinaryOp",),
    OpType.Cast: ("CastParam",),
    OpType.Concat: ("Axis",),
    OpType.Const: ("Blob",),
    OpType.ConvertTensor: ("TensorConvertInfo",),
    OpType.ConvInt8: _CONVOLUTION,
    OpType.Convolution: _CONVOLUTION,
    OpType.ConvolutionDepthwise: _CONVOLUTION,
    OpType.Crop: ("Crop",),
    OpType.CumProd: ("Axis",),
    OpType.CumSum: ("CumSum",),
    OpType.Deconvolution: _CONVOLUTION,
    OpType.DeconvolutionDepthwise: _CONVOLUTION,
    OpType.DepthToSpace: ("DepthSpaceParam",),
    OpType.DepthwiseConvInt8: _CONVOLUTION,
    OpType.ELU: ("ELU",),
    OpType.Eltwise: ("Eltwise",),
    OpType.ExpandDims: ("ExpandDims",),
    OpType.Flatten: ("Flatten",),
    OpType.FloatToInt8: ("QuantizedFloatParam",),
    OpType.InnerProduct: ("InnerProduct",),
    OpType.Input: ("Input",),
    OpType.Int8ToFloat: ("QuantizedFloatParam",),
    OpType.Interp: ("Interp",),
    OpType.LRN: ("LRN",),
    OpType.LayerNorm: ("LayerNorm",),
    OpType.MatMul: ("MatMul", _NONE),
    OpType.OneHot: ("OneHotParam", _NONE),
    OpType.PReLU: ("PRelu",),
    OpType.Pack: ("PackParam",),
    OpType.Padding: ("PadParam", _NONE),
    OpType.Permute: ("Permute",),
    OpType.Pooling: ("Pool",),
    OpType.Pooling3D: ("Pool3D",),
    OpType.ReLU: ("Relu", _NONE),
    OpType.ReLU6: ("Relu6", _NONE),
    OpType.Reduction: ("ReductionParam",),
    OpType.Reshape: ("Reshape", _NONE),
    OpType.Resize: ("Resize",),
    OpType.Scale: ("Scale",),
    OpType.Selu: ("Selu",),
    OpType.Shape: ("ShapeParam", _NONE),
    OpType.Slice: ("Slice",),
    OpType.Softmax: ("Axis",),
    OpType.SpaceToBatchND: ("SpaceBatch", _NONE),
    OpType.SpaceToDepth: ("DepthSpaceParam",),
    OpType.Squeeze: ("SqueezeParam", _NONE),
    OpType.StridedSlice: ("StridedSliceParam",),
    OpType.TrainableParam: ("Blob",),
    OpType.TopKV2: ("TopKV2", _NONE),
    OpType.UnaryOp: ("UnaryOp",),
    OpType.Unpack: ("Axis",),
    OpType.Unsqueeze: ("SqueezeParam", _NONE),
}


def check_parameters(g: GraphBuilder, op: Op) -> None:
    """Raise ``ModelError`` where an operator's parameters are of another kind, or missing."""
    kinds = PARAMETERS.get(op.type) if op.type is not None else None
    if kinds is not None and op.main_type not in kinds:
        wanted = kinds[0] + (" or none" if _NONE in kinds else "")
        g.fail(op, f"expected parameters of type {wanted}, got {op.main_type or 'none'}", ".main")
