"""The C++ lines with which a firmware registers a model's operators.

Facts: TFLM ``micro/micro_mutable_op_resolver.h``, whose method names follow the
operators' names with a few exceptions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from arenite.model import Model, Operator
from arenite.ops import only_mnn_has


@dataclass(frozen=True)
class Resolver:
    """A ``MicroMutableOpResolver`` for one model.

    Attributes:
        operators: How many operators it holds: its template argument.
        lines: The C++ lines.
        missing: Operators of the model that TFLM does not have, those of ``.mnn`` files among
            them.
    """

    operators: int
    lines: tuple[str, ...]
    missing: tuple[str, ...]


def resolver(model: Model) -> Resolver:
    """The resolver that a firmware needs to run ``model``, each operator once."""
    operators: dict[tuple[bool, str], Operator] = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            operators.setdefault((operator.is_custom, operator.name), operator)
    calls = [_call(operator) for operator in operators.values()]
    known = [call for call in calls if call is not None]
    missing = tuple(
        operator.name
        for operator, call in zip(operators.values(), calls, strict=True)
        if call is None
    )
    return Resolver(
        operators=len(known),
        lines=(
            f"static tflite::MicroMutableOpResolver<{max(len(known), 1)}> resolver;",
            *(f"resolver.{call};" for call in known),
        ),
        missing=missing,
    )


def _call(operator: Operator) -> str | None:
    if not operator.is_custom:
        method = add_method(operator.name)
        return f"{method}()" if method else None
    if operator.name in _CUSTOM_METHODS:
        return f"{_CUSTOM_METHODS[operator.name]}()"
    if only_mnn_has(operator.name):
        return None
    function = re.sub(r"\W", "_", operator.name, flags=re.ASCII)
    return f"AddCustom({_c_string(operator.name)}, Register_{function}())"


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


def _c_string(text: str) -> str:
    """A C string literal; bytes that are not printable ASCII become octal escapes."""
    data = text.encode("utf-8", "surrogateescape")
    body = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in data
    )
    return f'"{body}"'


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

_CUSTOM_METHODS = {
    "CIRCULAR_BUFFER": "AddCircularBuffer",
    "SignalDelay": "AddDelay",
    "SignalEnergy": "AddEnergy",
    "SignalFftAutoScale": "AddFftAutoScale",
    "SignalFilterBank": "AddFilterBank",
    "SignalFilterBankLog": "AddFilterBankLog",
    "SignalFilterBankSpectralSubtraction": "AddFilterBankSpectralSubtraction",
    "SignalFilterBankSquareRoot": "AddFilterBankSquareRoot",
    "SignalFramer": "AddFramer",
    "SignalIrfft": "AddIrfft",
    "SignalOverlapAdd": "AddOverlapAdd",
    "SignalPCAN": "AddPCAN",
    "SignalRfft": "AddRfft",
    "SignalStacker": "AddStacker",
    "SignalWindow": "AddWindow",
    "TFLM_DECODE": "AddDecode",
    "TFLite_Detection_PostProcess": "AddDetectionPostprocess",
    "ethos-u": "AddEthosU",
}
