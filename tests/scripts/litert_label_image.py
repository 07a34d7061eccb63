"""Label an image: the steps of LiteRT's ``label_image.py``. MODEL RESULTS"""

import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter

interpreter = Interpreter(model_path=sys.argv[1], experimental_delegates=None, num_threads=1)
interpreter.allocate_tensors()

input_details = interpreter.get_input_details()
output_details = interpreter.get_output_details()
is_float = input_details[0]["dtype"] == np.float32
height, width, channels = input_details[0]["shape"][1:4]

image = np.random.default_rng(1).integers(0, 256, (height, width, channels), np.uint8)
data = np.expand_dims(image, axis=0)
if is_float:
    data = (np.float32(data) - 127.5) / 127.5
else:
    data = (data.astype(np.int16) - 128).astype(input_details[0]["dtype"])

interpreter.set_tensor(input_details[0]["index"], data)
interpreter.invoke()
results = np.squeeze(interpreter.get_tensor(output_details[0]["index"]))
top = results.argsort(kind="stable")[-3:][::-1]
scale, zero_point = output_details[0]["quantization"]
np.savez(
    sys.argv[2],
    results=results,
    top=top,
    scale=scale,
    zero_point=zero_point,
    shape=output_details[0]["shape"],
    signature=output_details[0]["shape_signature"],
)
