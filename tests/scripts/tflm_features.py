"""Feed windows of sound: the steps of TFLM's ``micro_speech/evaluate.py``, and ``reset``."""

import sys

import numpy as np
from tflite_micro import runtime

with open(sys.argv[1], "rb") as file:
    data = file.read()
keeps = runtime.InterpreterConfig.kPreserveAllTensors
interpreter = runtime.Interpreter.from_bytes(data, arena_size=1 << 20)
kept = runtime.Interpreter.from_bytes(data, arena_size=1 << 20, intrepreter_config=keeps)
detail = interpreter.get_input_details(0)
rng = np.random.default_rng(1)
results = {}
for window in range(4):
    info = np.iinfo(detail["dtype"])
    sound = rng.integers(info.min, info.max, detail["shape"], detail["dtype"])
    for which in (interpreter, kept):
        which.set_input(sound, 0)
        which.invoke()
    results[f"features_{window}"] = interpreter.get_output(0)
    if window == 1:
        interpreter.reset()
        kept.reset()
results["tensor"] = kept.GetTensor(0, 0)["tensor_data"]
results["shape"] = kept.GetTensor(0, 0)["shape"]
for label, call in {
    "shape_error": lambda: interpreter.set_input(sound[..., :1], 0),
    "index_error": lambda: interpreter.get_output(7),
    "config_error": lambda: interpreter.GetTensor(0, 0),
    "small_error": lambda: runtime.Interpreter.from_bytes(data, arena_size=1000),
}.items():
    try:
        call()
    except Exception as error:
        results[label] = type(error).__name__
np.savez(sys.argv[2], **results)
