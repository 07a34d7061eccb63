"""Run a model by the names of its signature. MODEL RESULTS"""

import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter

with open(sys.argv[1], "rb") as file:
    interpreter = Interpreter(model_content=file.read())
((key, names),) = interpreter.get_signature_list().items()
runner = interpreter.get_signature_runner()
details = runner.get_input_details()
rng = np.random.default_rng(1)
results = {"key": key, "inputs": names["inputs"], "outputs": names["outputs"]}
for run in range(3):
    feeds = {}
    for name in names["inputs"]:
        shape, dtype = details[name]["shape"], details[name]["dtype"]
        values = rng.uniform(-1, 1, shape) if dtype == np.float32 else rng.integers(-99, 99, shape)
        feeds[name] = values.astype(dtype)
    for name, value in runner(**feeds).items():
        results[f"{name}_{run}"] = value
try:
    runner(nothing=1)
except ValueError as error:
    results["refused"] = str(error)
for name, detail in runner.get_output_details().items():
    results[f"{name}_scales"] = detail["quantization_parameters"]["scales"]
np.savez(sys.argv[2], **results)
