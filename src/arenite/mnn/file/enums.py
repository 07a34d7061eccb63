"""MNN's enumerations, with the codes of its schema.

Facts: MNN 3.6.1 ``schema/default/*.fbs``. Names are MNN's own, so that messages and the
pages about the mapping use the words that MNN's users know.
"""

from __future__ import annotations

from enum import IntEnum

from arenite.model import TensorType


class OpType(IntEnum):
    """``enum OpType``."""

    AbsVal = 0
    QuantizedAdd = 1
    ArgMax = 2
    AsString = 3
    InstanceNorm = 4
    BatchToSpaceND = 5
    Copy = 6
    BinaryOp = 7
    Bnll = 8
    Cast = 9
    Concat = 10
    Const = 11
    Convolution = 12
    ConvolutionDepthwise = 13
    Crop = 14
    CropAndResize = 15
    ImageProcess = 16
    Deconvolution = 17
    DeconvolutionDepthwise = 18
    Dequantize = 19
    DetectionOutput = 20
    Dropout = 21
    Eltwise = 22
    ELU = 23
    Unique = 24
    Exp = 25
    ExpandDims = 26
    Fill = 27
    Flatten = 28
    Im2Col = 29
    Gather = 30
    GatherV2 = 31
    Im2Seq = 32
    InnerProduct = 33
    Input = 34
    Interp = 35
    Log = 36
    LRN = 37
    LSTM = 38
    MatMul = 39
    MoE = 40
    NonMaxSuppression = 41
    NonMaxSuppressionV2 = 42
    Normalize = 43
    Pack = 44
    Padding = 45
    Permute = 46
    Pooling = 47
    Power = 48
    PReLU = 49
    PriorBox = 50
    Proposal = 51
    QuantizedAvgPool = 52
    QuantizedBiasAdd = 53
    QuantizedConcat = 54
    QuantizedDepthwiseConv2D = 55
    QuantizedLogistic = 56
    RasterAndInterpolate = 57
    QuantizedMaxPool = 58
    Texture = 59
    RasterDiff = 60
    QuantizedReshape = 61
    QuantizedSoftmax = 62
    QuantizeMaxMin = 63
    QuantizeV2 = 64
    Range = 65
    Rank = 66
    ReduceJoin = 67
    Reduction = 68
    ReLU = 69
    ReLU6 = 70
    RequantizationRange = 71
    Requantize = 72
    Reshape = 73
    Resize = 74
    RNN = 75
    ROIPooling = 76
    Scale = 77
    Selu = 78
    Seq2Out = 79
    Shape = 80
    Sigmoid = 81
    Size = 82
    Slice = 83
    SliceTf = 84
    Softmax = 85
    SpaceToBatchND = 86
    SpatialProduct = 87
    Col2Im = 88
    Segment = 89
    Squeeze = 90
    StridedSlice = 91
    CastLike = 92
    StringSplit = 93
    StringToNumber = 94
    TanH = 95
    TfQuantizedConv2D = 96
    Threshold = 97
    Tile = 98
    TopKV2 = 99
    Transpose = 100
    UnaryOp = 101
    Unpack = 102
    Where = 103
    Moments = 104
    RNNSequenceGRU = 105
    BatchMatMul = 106
    Unsqueeze = 107
    CosineSimilarity = 108
    DepthToSpace = 109
    SpaceToDepth = 110
    ReverseSequence = 111
    Pooling3D = 112
    Convolution3D = 113
    MatrixBandPart = 114
    GatherND = 115
    DetectionPostProcess = 116
    UnravelIndex = 117
    ScatterNd = 118
    OneHot = 119
    BroadcastTo = 120
    Dilation2D = 121
    Interp3D = 122
    Raster = 128
    ConvertTensor = 129
    ArgMin = 130
    LinSpace = 131
    RandomUniform = 132
    TensorArray = 133
    TensorArraySize = 134
    TensorArrayRead = 135
    TensorArrayWrite = 136
    TensorArrayGather = 137
    TensorArrayScatter = 138
    TensorArraySplit = 139
    TensorArrayConcat = 140
    LSTMBlockCell = 141
    Reverse = 142
    ROIAlign = 143
    RandomNormal = 144
    TensorArrayInsert = 145
    TensorArrayErase = 146
    EyeLike = 147
    CumSum = 148
    Det = 149
    CumProd = 150
    ScatterElements = 151
    GatherElements = 152
    Svd = 153
    Histogram = 154
    DynamicQuant = 155
    Stft = 156
    Plugin = 256
    Select = 257
    ZerosLike = 258
    Broastcast = 259
    SetDiff1D = 260
    ReluGrad = 261
    Identity = 262
    PoolGrad = 263
    SoftmaxGrad = 264
    Conv2DBackPropFilter = 265
    TrainableParam = 266
    BatchNorm = 267
    ConvTranspose3D = 268
    ZeroGrad = 269
    Attention = 299
    FmhaV2 = 300
    Fmhca = 301
    SeqLen2Spatial = 302
    SplitGeLU = 303
    GroupNorm = 304
    LinearAttention = 305
    RoPE = 306
    FusedLinear = 307
    GatedRMSNorm = 308
    Extra = 512
    ConvInt8 = 513
    Int8ToFloat = 514
    DepthwiseConvInt8 = 515
    FloatToInt8 = 517
    EltwiseInt8 = 518
    While = 600
    If = 601
    LayerNorm = 603
    GridSample = 604


class ForwardType(IntEnum):
    """``enum ForwardType``: on what a net is to run by preference."""

    CPU = 0
    METAL = 1
    OPENCL = 2
    OPENGLES = 3
    VULKAN = 4


class NetSource(IntEnum):
    """``enum NetSource``: what a net was converted from."""

    CAFFE = 0
    TENSORFLOW = 1
    TFLITE = 2
    ONNX = 3
    TORCH = 4


class UnaryKind(IntEnum):
    """``enum UnaryOpOperation``."""

    ABS = 0
    NEG = 1
    FLOOR = 2
    CEIL = 3
    SQUARE = 4
    SQRT = 5
    RSQRT = 6
    EXP = 7
    LOG = 8
    SIN = 9
    COS = 10
    TAN = 11
    ASIN = 12
    ACOS = 13
    ATAN = 14
    RECIPROCAL = 15
    LOG1P = 16
    BNLL = 17
    ACOSH = 18
    SINH = 19
    ASINH = 20
    ATANH = 21
    SIGN = 22
    ROUND = 23
    COSH = 24
    ERF = 25
    ERFC = 26
    ERFINV = 27
    EXPM1 = 28
    SIGMOID = 29
    TANH = 30
    HARDSWISH = 31
    GELU = 32
    GELU_STANDARD = 33
    SILU = 34


class BinaryKind(IntEnum):
    """``enum BinaryOpOperation``."""

    ADD = 0
    SUB = 1
    MUL = 2
    DIV = 3
    MAX_TEMP = 4
    MIN_TEMP = 5
    POW = 6
    REALDIV = 7
    MINIMUM = 8
    MAXIMUM = 9
    GREATER = 10
    GREATER_EQUAL = 11
    LESS = 12
    FLOORDIV = 13
    SquaredDifference = 14
    EQUAL = 15
    LESS_EQUAL = 16
    FLOORMOD = 17
    MOD = 19
    ATAN2 = 20
    LOGICALOR = 21
    NOTEQUAL = 22
    BITWISE_AND = 23
    BITWISE_OR = 24
    BITWISE_XOR = 25
    LOGICALXOR = 26
    LEFTSHIFT = 27
    RIGHTSHIFT = 28
    MUL_SILU = 29


class ReductionKind(IntEnum):
    """``enum ReductionType``."""

    SUM = 0
    ASUM = 1
    SUMSQ = 2
    MEAN = 3
    MAXIMUM = 4
    MINIMUM = 5
    PROD = 6
    ANY = 7
    ALL = 8


class EltwiseKind(IntEnum):
    """``enum EltwiseType``."""

    PROD = 0
    SUM = 1
    MAXIMUM = 2
    SUB = 3


class Format(IntEnum):
    """``enum MNN_DATA_FORMAT``: what the axes of a tensor mean.

    ``NC4HW4`` packs channels by four in memory; its shape is that of ``NCHW``.
    """

    NCHW = 0
    NHWC = 1
    NC4HW4 = 2
    NHWC4 = 3
    UNKNOWN = 4


#: ``enum DataType``: what a tensor of that type is in Arenite. As in MNN's CPU backend, 64-bit
#: integers, booleans and doubles are computed with as 32-bit integers and floats.
TENSOR_TYPES: dict[int, TensorType] = {
    1: TensorType.FLOAT32,  # DT_FLOAT
    2: TensorType.FLOAT32,  # DT_DOUBLE
    3: TensorType.INT32,  # DT_INT32
    4: TensorType.UINT8,  # DT_UINT8
    6: TensorType.INT8,  # DT_INT8
    9: TensorType.INT32,  # DT_INT64
    10: TensorType.INT32,  # DT_BOOL
    11: TensorType.INT8,  # DT_QINT8
    12: TensorType.UINT8,  # DT_QUINT8
    13: TensorType.INT32,  # DT_QINT32
}
