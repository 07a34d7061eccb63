"""Resize the input to a batch, write and read through ``tensor()``, look at every tensor."""

import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

interpreter = Interpreter(
    model_path=sys.argv[1],
    experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
    experimental_preserve_all_tensors=True,
)
index = interpreter.get_input_details()[0]["index"]
shape = interpreter.get_input_details()[0]["shape"]
results = {"subgraphs": interpreter.num_subgraphs()}
rng = np.random.default_rng(1)
for batch in (1, 3):
    interpreter.resize_tensor_input(index, [batch, *shape[1:]])
    interpreter.allocate_tensors()
    write = interpreter.tensor(index)
    read = interpreter.tensor(interpreter.get_output_details()[0]["index"])
    write()[:] = rng.uniform(-1, 1, (batch, *shape[1:])).astype(write().dtype)
    interpreter.invoke()
    results[f"output_{batch}"] = read().copy()
    results[f"shape_{batch}"] = interpreter.get_output_details()[0]["shape"]
for detail in interpreter.get_tensor_details():
    label = f"tensor_{detail['index']}"
    results[label + "_name"] = detail["name"]
    results[label + "_scales"] = detail["quantization_parameters"]["scales"]
    results[label + "_axis"] = detail["quantization_parameters"]["quantized_dimension"]
interpreter.reset_all_variables()
np.savez(sys.argv[2], **results)
