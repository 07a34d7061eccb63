"""MNN's own package as the oracle, in a process of its own: it crashes on some models.

The process also converts models with the package's converter. That is called as the library
function that it is: the ``mnnconvert`` command around it installs packages and reports its use
over the network when it starts.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.worker import Worker, WorkerError, serve

Array = np.ndarray[Any, Any]


class MnnError(Exception):
    """MNN refuses a model, or crashes on it."""


class MnnOracle:
    """Answers questions through one worker process, which is replaced when it dies."""

    def __init__(self, timeout: float = 60.0) -> None:
        self._worker = Worker("tests.mnn_oracle", timeout=timeout, log=subprocess.DEVNULL)

    def convert(self, framework: str, data: bytes, *arguments: str) -> bytes:
        """A model of another framework (``"ONNX"``, ``"TFLITE"``) as a ``.mnn`` file."""
        return self._ask(("convert", framework, data, arguments))

    def quantize(self, model: bytes, size: int) -> bytes:
        """A ``.mnn`` file with floats quantised after training, on some images of RGB.

        Winograd's transformations of int8 are off: what they compute is another convolution.
        """
        return self._ask(("quantize", model, size))

    def run(
        self, model: bytes, inputs: Mapping[str, Array], outputs: Sequence[str] = ()
    ) -> dict[str, Array]:
        """The outputs by name, and tensors with the names given, as floats or integers.

        Inputs are in the order of MNN's tensor. Precision is high, and there is one thread.
        """
        return self._ask(("run", model, dict(inputs), tuple(outputs)))

    def close(self) -> None:
        """End the worker."""
        self._worker.close()

    def _ask(self, question: Any) -> Any:
        try:
            status, reply = self._worker.ask(question)
        except WorkerError:
            raise MnnError("crashed") from None
        if status != "ok":
            raise MnnError(reply)
        return reply


# -- in the worker ------------------------------------------------------------------------


def _serve() -> None:
    # MNN prints to standard output, which is where the answers go: they get another way out.
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(_reply, sink)


def _reply(question: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "ok", _ACTIONS[question[0]](*question[1:])
    except (RuntimeError, ValueError, TypeError, MnnError) as error:
        return "refused", str(error)


def _convert(framework: str, data: bytes, arguments: Sequence[str]) -> bytes:
    import _tools

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "model"), Path(folder, "model.mnn")
        source.write_bytes(data)
        options = ["--modelFile", str(source), "--MNNModel", str(target), "--bizCode", "test"]
        _tools.mnnconvert(["mnnconvert", "-f", framework, *options, *arguments])
        if not target.exists():
            raise MnnError("the converter wrote no model")
        return target.read_bytes()


def _quantize(model: bytes, size: int) -> bytes:
    import _tools
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        images = Path(folder, "images")
        images.mkdir()
        for number in range(4):
            pixels = np.random.default_rng(number).integers(0, 256, (6, 6, 3)).astype(np.uint8)
            large = Image.fromarray(pixels).resize((size, size), Image.Resampling.BILINEAR)
            large.save(images / f"{number}.png")
        source, target, config = (Path(folder, name) for name in ("model", "target", "config"))
        source.write_bytes(model)
        settings = {
            "format": "RGB",
            "mean": [0, 0, 0],
            "normal": [1 / 255] * 3,
            "width": size,
            "height": size,
            "path": f"{images}/",
            "used_sample_num": 4,
            "feature_quantize_method": "EMA",
            "weight_quantize_method": "MAX_ABS",
            "model": str(source),
            "input_type": "image",
            "winogradOpt": False,
        }
        config.write_text(json.dumps(settings))
        _tools.mnnquant(["mnnquant", str(source), str(target), str(config)])
        if not target.exists():
            raise MnnError("the quantiser wrote no model")
        return target.read_bytes()


def _run(model: bytes, inputs: dict[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
    import MNN

    types = {
        np.dtype(np.float32): MNN.Halide_Type_Float,
        np.dtype(np.int32): MNN.Halide_Type_Int,
        np.dtype(np.uint8): MNN.Halide_Type_Uint8,
    }
    with tempfile.NamedTemporaryFile(suffix=".mnn") as file:
        file.write(model)
        file.flush()
        net = MNN.Interpreter(file.name)
        config: dict[str, Any] = {"backend": "CPU", "precision": "high", "numThread": 1}
        if outputs:
            config["saveTensors"] = tuple(outputs)
        session = net.createSession(config)
        tensors = net.getSessionInputAll(session)
        for name, value in inputs.items():
            if tuple(tensors[name].getShape()) != value.shape:
                net.resizeTensor(tensors[name], value.shape)
        net.resizeSession(session)
        for name, value in inputs.items():
            tensor = net.getSessionInput(session, name)
            host = _host(MNN, tensor, value.shape, types[value.dtype], np.ascontiguousarray(value))
            tensor.copyFrom(host)
        net.runSession(session)
        return {
            name: _value(MNN, tensor, types)
            for name, tensor in net.getSessionOutputAll(session).items()
        }


def _value(mnn: Any, tensor: Any, types: Mapping[np.dtype[Any], Any]) -> Array:
    shape = tuple(tensor.getShape())
    # A type that the package has no name for is int8; it is dequantised on its way out.
    found = [dtype for dtype, code in types.items() if code == tensor.getDataType()]
    dtype = found[0] if found else np.dtype(np.float32)
    host = _host(mnn, tensor, shape or (1,), types[dtype], np.zeros(shape or (1,), dtype))
    tensor.copyToHostTensor(host)
    return np.array(host.getNumpyData(), dtype).reshape(shape)


def _host(mnn: Any, tensor: Any, shape: tuple[int, ...], code: Any, value: Array) -> Any:
    """A tensor on the host side, in the plain order of the session's tensor."""
    is_last = tensor.getDimensionType() == mnn.Tensor_DimensionType_Tensorflow
    order = mnn.Tensor_DimensionType_Tensorflow if is_last else mnn.Tensor_DimensionType_Caffe
    return mnn.Tensor(shape, code, value, order)


_ACTIONS = {"convert": _convert, "quantize": _quantize, "run": _run}

if __name__ == "__main__":
    _serve()
