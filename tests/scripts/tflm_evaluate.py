"""Compare a sine with the model's: the steps of TFLM's ``hello_world/evaluate.py``."""

import sys

import numpy as np
from tflite_micro import runtime

interpreter = runtime.Interpreter.from_file(sys.argv[1])
given = interpreter.get_input_details(0)
taken = interpreter.get_output_details(0)
results = {"in_shape": given["shape"], "out_shape": taken["shape"]}
is_float = given["dtype"] == np.float32
values = []
for x in np.random.default_rng(1).uniform(0, 2 * np.pi, 50).astype(np.float32):
    data = np.array([[x]], np.float32)
    if not is_float:
        parameters = given["quantization_parameters"]
        scale, zero_point = parameters["scales"][0], parameters["zero_points"][0]
        data = (data / scale + zero_point).astype(given["dtype"])
    interpreter.set_input(data, 0)
    results["status"] = interpreter.invoke()
    values.append(interpreter.get_output(0)[0])
results["values"] = np.array(values)
interpreter.print_allocations()
np.savez(sys.argv[2], **results)
