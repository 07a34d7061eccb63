"""What inferences gave, for tests."""

import numpy as np

from arenite.analysis.outcome import Inference
from arenite.model import Quantization, Tensor, TensorType
from arenite.target import HOST


def tensor(shape, dtype="INT8", scale=None, zero_point=0, name="y"):
    quantization = None
    if scale is not None:
        quantization = Quantization(np.array([scale], np.float32), np.array([zero_point]))
    return Tensor(name, TensorType[dtype], shape, quantization=quantization)


SCORES = tensor((1, 4), scale=0.5, zero_point=-1)
VALUES = np.array([[3, 7, -1, 7]], np.int8)


def inference(tensor, array, *, labels=(), seconds=(0.002,)):
    return Inference("m.tflite", HOST, "native", (), (), (tensor,), (array,), seconds, labels)
