"""Look at every convolution with callbacks; stop half way; save a tensor in the middle."""

import sys

import MNN
import numpy as np

interpreter = MNN.Interpreter(sys.argv[1])
session = interpreter.createSession({"precision": "high", "numThread": 1})
tensor = interpreter.getSessionInput(session)
image = np.random.default_rng(2).uniform(0, 1, tensor.getShape()).astype(np.float32)
host = MNN.Tensor(image.shape, MNN.Halide_Type_Float, image, MNN.Tensor_DimensionType_Tensorflow)
tensor.copyFrom(host)

layers = {}
flops = {}


def before(tensors, info):
    flops[info.getName()] = info.getFlops()
    return True


def after(tensors, info):
    if info.getType() == "Convolution":
        plain = MNN.Tensor(tensors[0], MNN.Tensor_DimensionType_Caffe)
        tensors[0].copyToHostTensor(plain)
        layers[info.getName()] = plain.getNumpyData().flatten()
    return True


results = {"code": interpreter.runSessionWithCallBackInfo(session, before, after)}
names = list(layers)
results["names"] = names
for number, name in enumerate(names):
    results[f"layer_{number}"] = layers[name]
    results[f"flops_{number}"] = flops[name]

tensor.copyFrom(host)
seen = []


def stop(tensors, name):
    seen.append(name)
    return name != names[1]


results["stopped"] = interpreter.runSessionWithCallBack(session, lambda *_: True, stop)
results["last"] = seen[-1]

middle = interpreter.createSession({"precision": "high", "saveTensors": (names[1],)})
interpreter.getSessionInput(middle).copyFrom(host)
interpreter.runSession(middle)
saved = interpreter.getSessionOutput(middle, names[1])
plain = MNN.Tensor(saved, MNN.Tensor_DimensionType_Caffe)
saved.copyToHostTensor(plain)
results["saved"] = plain.getNumpyData().copy()
results["saved_shape"] = saved.getShape()
results["outputs"] = list(interpreter.getSessionOutputAll(middle))

np.savez(sys.argv[2], **results)
