"""The tables of an ``.mnn`` file, in the order of their slots.

Facts: MNN 3.6.1 ``schema/default/*.fbs``. A line of :data:`_TABLES` is a field: name, kind
and, where it is not zero, default. A union takes two slots, as FlatBuffers has it.
Parameters of operators that are not mapped are not listed: they are verified as tables with
unknown fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from arenite.formats.flatbuffer import Field, Schema

#: The newest MNN whose schema this is, as ``extraInfo.version`` says it.
NEWEST = (3, 6)

_TABLES = """
Net
  bizCode string
  extraTensorDescribe [TensorDescribe]
  extraInfo ExtraInfo
  oplists [Op]
  outputName [string]
  preferForwardType int8
  sourceType int8
  tensorName [string]
  tensorNumber int32
  usage int8
  subgraphs [Unread]
  mnn_uuid string
ExtraInfo
  buffer [int8]
  name string
  version string
TensorDescribe
  blob Blob
  index int32
  name string
  regions [Region]
  quantInfo TensorQuantInfo
Region
  src View
  dst View
  size [int32]
  origin int32
View
  offset int32
  stride [int32]
TensorQuantInfo
  scale float32
  zero float32
  min float32 -128
  max float32 127
  type int32
Op
  inputIndexes [int32]
  main union:OpParameter
  name string
  outputIndexes [int32]
  type int32
  defaultDimentionFormat int8 1
  externalPath string
Blob
  dims [int32]
  dataFormat int8
  dataType int32 1
  uint8s [uint8]
  int8s [int8]
  int32s [int32]
  int64s [int64]
  float32s [float32]
  strings [string]
  external [int64]
Input
  dims [int32]
  dtype int32 1
  dformat int8 2
Extra
  type string
  engine string
  info [int8]
Plugin
  type string
Convolution2D
  common Convolution2DCommon
  weight [float32]
  bias [float32]
  quanParameter IDSTQuan
  symmetricQuan QuantizedFloatParam
  sparseParameter Unread
  external [int64]
Convolution2DCommon
  padX int32
  padY int32
  kernelX int32 1
  kernelY int32 1
  strideX int32 1
  strideY int32 1
  dilateX int32 1
  dilateY int32 1
  padMode int8
  group int32 1
  outputCount int32
  inputCount int32
  relu bool
  relu6 bool
  pads [int32]
  outPads [int32]
  hasOutputShape bool
IDSTQuan
  buffer [int8]
  alpha [float32]
  type int32
  useInt32 bool
  quantScale float32
  scaleIn float32
  scaleOut float32
  aMaxOrBits int32
  aMin int32
  readType int32
  has_scaleInt bool
  shapeInt32 bool
  weightSize uint32
  index [uint32]
  alphaFp16 [uint16]
  scaleStorage int8
QuantizedFloatParam
  weight [int8]
  bias [int32]
  scale [float32]
  tensorScale [float32]
  method int8
  nbits int32 8
  zeroPoint int8
  outputZeroPoint int8
  clampMin int8 -128
  clampMax int8 127
  winogradAttr [int32]
  outputDataType int32 6
  floatzeros [float32]
InnerProduct
  outputCount int32
  biasTerm int32
  weightSize int32
  weight [float32]
  bias [float32]
  axis int32
  transpose bool
  quanParameter IDSTQuan
Pool
  padX int32
  padY int32
  isGlobal bool
  kernelX int32
  kernelY int32
  strideX int32
  strideY int32
  type int8
  padType int8
  dataType int32 1
  ceilModel bool true
  pads [int32]
  countType int8
Pool3D
  strides [int32]
  kernels [int32]
  pads [int32]
  type int8
  padType int8
  isGlobal bool
Relu
  slope float32
Relu6
  minValue float32
  maxValue float32 6
PRelu
  slopeCount int32
  slope [float32]
ELU
  alpha float32
Selu
  scale float32
  alpha float32
LRN
  regionType int32
  localSize int32
  alpha float32
  beta float32
  bias float32 1
ArgMax
  outMaxVal int32
  topK int32
  axis int32
  softmaxThreshold int32
Axis
  axis int32
Slice
  axis int32
  slicePoints [int32]
  sourceType int8
BatchNorm
  channels int32
  slopeData [float32]
  meanData [float32]
  varData [float32]
  biasData [float32]
  Adata [float32]
  Bdata [float32]
  epsilon float32 0.001
Scale
  channels int32
  scaleData [float32]
  biasData [float32]
  external [int64]
Eltwise
  type int8
  coeff [float32]
EltwiseInt8
  type int8
  inputQuan0 QuantizedFloatParam
  inputQuan1 QuantizedFloatParam
  outputQuan QuantizedFloatParam
Flatten
  axis int32
  endAxis int32
Permute
  dims [int32]
Normalize
  acrossSpatial int32
  channelShared int32
  eps float32
  scale [float32]
Reshape
  dims [int32]
  dimType int8
Interp
  widthScale float32
  heightScale float32
  outputWidth int32
  outputHeight int32
  resizeType int32
  alignCorners bool
  halfPixelCenters bool
  widthOffset float32
  heightOffset float32
  cubicCoeffA float32 -0.75
  ctm int8
  depthScale float32
  outputDepth int32
  depthOffset float32
Resize
  xScale float32
  yScale float32
BinaryOp
  opType int32
  T int32 1
  activationType int32
UnaryOp
  opType int32
  T int32
  tableInt8 [int8]
PackParam
  dataType int32
  axis int32
SpaceBatch
  blockShape Blob
  padding Blob
StridedSliceParam
  Index int32
  T int32
  beginMask int32
  endMask int32
  ellipsisMask int32
  newAxisMask int32
  shrinkAxisMask int32
  fromType int32
SqueezeParam
  squeezeDims [int32]
TopKV2
  T int32
  sorted bool
  largest bool true
CastParam
  srcT int32
  dstT int32
ReductionParam
  operation int8
  dim [int32]
  coeff float32
  keepDims bool
  dType int32 1
Gather
  Tindices int32
  Tparams int32
  validateIndices bool
  axis int32
ExpandDims
  T int32
  Tdim int32
  axis int32
Crop
  axis int32 2
  offset [int32]
MatMul
  T int32
  transposeA bool
  transposeB bool
  weight [float32]
  bias [float32]
BatchMatMulParam
  adjX bool
  adjY bool
DepthSpaceParam
  blockSize int32
  mode int8
OneHotParam
  dType int32 1
  axis int32 -1
PadParam
  mode int8
LayerNorm
  axis [int32]
  epsilon float32
  gamma [float32]
  beta [float32]
  group int32 1
  external [int64]
  useRMSNorm bool
CumSum
  exclusive bool
  reverse bool
ShapeParam
  hasStart bool
  start int32
  hasEnd bool
  end int32
TensorConvertInfo
  source int8
  dest int8
Unread
"""

_OP_PARAMETERS = """
QuantizedAdd ArgMax AsString Axis BatchNorm BinaryOp Blob CastParam Convolution2D Crop
CropAndResize Dequantize DetectionOutput Eltwise ExpandDims Fill Flatten Gather GatherV2
InnerProduct Input Interp LRN LSTM MatMul NonMaxSuppressionV2 Normalize PackParam Permute
Plugin Pool PRelu PriorBox Proposal QuantizedAvgPool QuantizedBiasAdd QuantizedConcat
QuantizedLogistic QuantizedMatMul QuantizedMaxPool QuantizedRelu QuantizedRelu6
QuantizedReshape QuantizedSoftmax QuantizeMaxMin QuantizeV2 Range Rank ReduceJoin
ReductionParam Relu Relu6 RequantizationRange Requantize Reshape Resize RoiParameters Scale
Selu Size Slice SliceTf SpaceBatch SqueezeParam StridedSliceParam TensorConvertInfo
TfQuantizedConv2D TopKV2 Transpose UnaryOp MomentsParam RNNParam BatchMatMulParam
QuantizedFloatParam DepthSpaceParam EltwiseInt8 ReverseSequenceParam Extra Pool3D
Convolution3D ELU DetectionPostProcessParam OneHotParam PadParam WhileParam IfParam
RandomUniform LayerNorm TensorArray LSTMBlockCell GridSample LoopParam ImageProcessParam
CumSum GroupNorm FmhaV2Param FmhcaParam AttentionParam StftParam LinearAttentionParam
ShapeParam RoPEParam FusedLinearParam
"""

#: ``union OpParameter`` in its order, which gives the codes from 1.
OP_PARAMETERS = tuple(_OP_PARAMETERS.split())


def _tables() -> Iterator[tuple[str, tuple[Field, ...]]]:
    """Every table of :data:`_TABLES` with its fields and their slots."""
    name, slot = "", 0
    fields: list[Field] = []
    for line in _TABLES.strip().splitlines():
        if not line.startswith(" "):
            if name:
                yield name, tuple(fields)
            name, fields, slot = line, [], 0
            continue
        field, kind, *default = line.split()
        is_union = kind.startswith("union:")
        slot += is_union
        fields.append(Field(field, slot, kind, _default(kind, *default)))
        slot += 1
    yield name, tuple(fields)


def _default(kind: str, text: str = "") -> float | bool | None:
    if kind == "bool":
        return text == "true"
    if kind.startswith("float"):
        return float(text or 0)
    return int(text or 0) if kind[:4] in ("int8", "int3", "int6", "uint") else None


TABLES = dict(_tables())

SCHEMA = Schema(
    name="MNN",
    root="Net",
    identifier=b"",
    tables=TABLES,
    unions={
        "OpParameter": {code: name for code, name in enumerate(OP_PARAMETERS, 1) if name in TABLES}
    },
)
