"""What tests of sessions have in common."""

import numpy as np

import arenite.mnn as MNN  # noqa: N812

FLOAT = MNN.Halide_Type_Float
X = np.array([[1, 2, 3, 4]], np.float32)


def interpreter_of(data: bytes) -> MNN.Interpreter:
    return MNN.Interpreter.createFromBuffer(data)


def run(interpreter, session, x: np.ndarray = X) -> dict[str, np.ndarray]:
    """Feed the first input, run, copy all outputs."""
    interpreter.getSessionInput(session).fromNumpy(x)
    assert interpreter.runSession(session) == 0
    outputs = interpreter.getSessionOutputAll(session)
    return {name: tensor.getNumpyData().copy() for name, tensor in outputs.items()}
