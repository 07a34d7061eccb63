"""The first script that everybody writes: one image in, the best class out."""

import sys

import MNN
import numpy as np

interpreter = MNN.Interpreter(sys.argv[1])
session = interpreter.createSession({"precision": "high", "numThread": 1})
input_tensor = interpreter.getSessionInput(session)

shape = input_tensor.getShape()
image = np.random.default_rng(0).uniform(0, 255, shape).astype(np.float32)
tmp_input = MNN.Tensor(
    shape, MNN.Halide_Type_Float, image.flatten(), MNN.Tensor_DimensionType_Tensorflow
)
input_tensor.copyFrom(tmp_input)
interpreter.runSession(session)

output_tensor = interpreter.getSessionOutput(session)
output_shape = output_tensor.getShape()
tmp_output = MNN.Tensor(
    output_shape,
    MNN.Halide_Type_Float,
    np.ones(output_shape, dtype=np.float32),
    MNN.Tensor_DimensionType_Tensorflow,
)
output_tensor.copyToHostTensor(tmp_output)
scores = np.array(tmp_output.getData(), np.float32).reshape(output_shape)
print("the best class is", int(np.argmax(scores)))

np.savez(
    sys.argv[2],
    scores=scores,
    best=np.argmax(scores),
    input_shape=shape,
    output_shape=output_shape,
    dimension_types=[input_tensor.getDimensionType(), output_tensor.getDimensionType()],
    is_float=[
        tensor.getDataType() == MNN.Halide_Type_Float for tensor in (input_tensor, output_tensor)
    ],
)
