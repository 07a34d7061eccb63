"""TFLM's builtin operators, and the methods of its resolver.

Facts: TFLM ``micro/micro_mutable_op_resolver.h``, whose method names follow the operators' names
with a few exceptions.
"""

from __future__ import annotations


def add_method(name: str) -> str | None:
    """The method that adds a builtin operator, None where TFLM has no such operator.

    >>> add_method("DEPTHWISE_CONV_2D")
    'AddDepthwiseConv2D'
    """
    if name in _IRREGULAR:
        return "Add" + _IRREGULAR[name]
    if name not in _REGULAR:
        return None
    return "Add" + "".join(word[0] + word[1:].lower() for word in name.split("_")).replace(
        "2d", "2D"
    )


_IRREGULAR = {
    "BATCH_MATMUL": "BatchMatMul",
    "CUMSUM": "CumSum",
    "PADV2": "PadV2",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "UnidirectionalSequenceLSTM",
}

_REGULAR = frozenset(
    """
    ABS ADD ADD_N ARG_MAX ARG_MIN ASSIGN_VARIABLE AVERAGE_POOL_2D BATCH_TO_SPACE_ND
    BROADCAST_ARGS BROADCAST_TO CALL_ONCE CAST CEIL CONCATENATION CONV_2D COS DEPTH_TO_SPACE
    DEPTHWISE_CONV_2D DEQUANTIZE DIV DYNAMIC_UPDATE_SLICE ELU EMBEDDING_LOOKUP EQUAL EXP
    EXPAND_DIMS FILL FLOOR FLOOR_DIV FLOOR_MOD FULLY_CONNECTED GATHER GATHER_ND GREATER
    GREATER_EQUAL HARD_SWISH IF L2_NORMALIZATION L2_POOL_2D LEAKY_RELU LESS LESS_EQUAL LOG
    LOG_SOFTMAX LOGICAL_AND LOGICAL_NOT LOGICAL_OR LOGISTIC MAX_POOL_2D MAXIMUM MEAN MINIMUM
    MIRROR_PAD MUL NEG NOT_EQUAL PACK PAD PRELU QUANTIZE READ_VARIABLE REDUCE_ALL REDUCE_MAX
    REDUCE_MIN RELU RELU6 RESHAPE RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR REVERSE_V2 ROUND
    RSQRT SELECT_V2 SHAPE SIN SLICE SOFTMAX SPACE_TO_BATCH_ND SPACE_TO_DEPTH SPLIT SPLIT_V
    SQRT SQUARE SQUARED_DIFFERENCE SQUEEZE STRIDED_SLICE SUB SUM SVDF TANH TRANSPOSE
    TRANSPOSE_CONV UNPACK VAR_HANDLE WHILE ZEROS_LIKE
    """.split()  # noqa: SIM905 - a hundred quoted names are harder to read
)
