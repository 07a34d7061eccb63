"""Random networks in which many channels never change, or are not read."""

from dataclasses import replace

import numpy as np

from arenite.model import Model, Quantization, Tensor, TensorType
from arenite.model.model import constant_bytes
from tests.optimize.networks import network

LAYERS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")


def quiet_network(seed: int, kind: str = "") -> Model:
    """A random int8 network, some layers of which got other weights and biases."""
    model = network(seed, kind, "int8")
    rng = np.random.default_rng([seed, 7])
    tensors = list(model.main.tensors)
    pattern = rng.random(16) < 0.5  # the same for all layers: sums of them have some as well
    for operator in model.main.operators:
        if operator.name not in LAYERS or rng.random() < 0.3:
            continue
        weights, bias = operator.inputs[1:3]
        if not tensors[weights].is_constant or not tensors[bias].is_constant:
            continue
        tensors[bias] = silenced(tensors[bias], pattern, rng)
        tensors[weights] = unread(tensors[weights], operator.name, rng)
    main = replace(model.main, tensors=tuple(tensors))
    return replace(model, subgraphs=(main, *model.subgraphs[1:]))


def silenced(bias: Tensor, pattern: np.ndarray, rng: np.random.Generator) -> Tensor:
    """Some channels are pushed to one end, or nearly so."""
    values = np.array(bias.value)
    chosen = np.resize(pattern, values.shape) & (rng.random(values.shape) < 0.9)
    ends = rng.choice([-(2**27), -(2**27), -(2**16), 2**27], values.shape)
    return replace(bias, data=constant_bytes(np.where(chosen, ends, values).astype(np.int32)))


def unread(weights: Tensor, name: str, rng: np.random.Generator) -> Tensor:
    """Some inputs get weights of 0; of others only the middle of the filter is left."""
    values = np.array(weights.value)
    if rng.random() < 0.5:
        values[..., rng.random(values.shape[-1]) < 0.3] = 0
    if name == "CONV_2D" and min(values.shape[1:3]) == 3:
        border = np.ones((3, 3), bool)
        border[1, 1] = False
        chosen = rng.random(values.shape[3]) < 0.4
        if values.shape[1:3] == (3, 3):
            values[:, border[:, :, None] & chosen] = 0
    return replace(weights, data=constant_bytes(values))


def as_int16(model: Model) -> Model:
    """The same network on int16 activations, whose zero points are 0."""
    weights = {op.inputs[1] for op in model.main.operators if op.name in LAYERS}
    tensors = tuple(
        tensor if index in weights else widened(tensor)
        for index, tensor in enumerate(model.main.tensors)
    )
    return replace(model, subgraphs=(replace(model.main, tensors=tensors),))


def widened(tensor: Tensor) -> Tensor:
    """int8 becomes int16, an int32 bias int64; other integers have no scale and stay."""
    wider = {TensorType.INT8: TensorType.INT16, TensorType.INT32: TensorType.INT64}
    quantization = tensor.quantization
    if quantization is None or tensor.type not in wider:
        return tensor
    type_ = wider[tensor.type]
    scales, zeros = quantization.scale / np.float32(256), np.zeros_like(quantization.zero_point)
    value = tensor.value
    if value is not None:
        wide = (value.astype(np.int64) - int(quantization.zero_point[0])) * 256
        limit = 2**15 if type_ is TensorType.INT16 else 2**62
        value = constant_bytes(wide.clip(-limit, limit - 1).astype(type_.dtype))
    axis = quantization.quantized_dimension
    return replace(tensor, type=type_, data=value, quantization=Quantization(scales, zeros, axis))
