"""Resize the input to a batch, feed it in another layout, read views of the outputs."""

import sys

import MNN
import numpy as np

interpreter = MNN.Interpreter(sys.argv[1])
session = interpreter.createSession({"backend": "CPU", "precision": "high", "numThread": 1})
rng = np.random.default_rng(1)
results = {"version": interpreter.getModelVersion()}

for batch in (1, 3, 2):
    tensor = interpreter.getSessionInput(session)
    shape = (batch, *tensor.getShape()[1:])
    interpreter.resizeTensor(tensor, shape)
    results[f"resized_{batch}"] = interpreter.resizeSession(session)
    (name,) = interpreter.getSessionInputAll(session)
    tensor = interpreter.getSessionInput(session, name)
    images = rng.uniform(-1, 1, shape).astype(np.float32)
    if len(shape) == 4:  # as PyTorch has them
        images = np.ascontiguousarray(images.transpose(0, 3, 1, 2))
    host = MNN.Tensor(images.shape, MNN.Halide_Type_Float, images, MNN.Tensor_DimensionType_Caffe)
    tensor.copyFrom(host)
    results[f"code_{batch}"] = interpreter.runSession(session)
    for name, output in interpreter.getSessionOutputAll(session).items():
        results[f"{name}_{batch}"] = output.getNumpyData().copy()
        results[f"{name}_{batch}_shape"] = output.getShape()

np.savez(sys.argv[2], **results)
