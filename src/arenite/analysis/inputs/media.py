"""Inputs from images (with Pillow) and ``.wav`` files."""

from __future__ import annotations

import io
import os
import warnings
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from arenite.analysis.inputs.pixels import default_range, pixel_words, takes_bytes
from arenite.analysis.inputs.values import (
    Input,
    InputError,
    Pixels,
    fit_reals,
    is_quantized,
    readable,
)
from arenite.errors import ShapeError
from arenite.files import open_regular
from arenite.model import Tensor, TensorType
from arenite.model.model import Array, tensor_text
from arenite.runtime import io_conversion

if TYPE_CHECKING:
    from PIL.Image import Image

_BILINEAR = 2  # PIL.Image.Resampling.BILINEAR; Pillow may not be installed
_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
#: What Pillow may take a file for, by its content; it knows programs that are run (EPS) as well.
_FORMATS = ("PNG", "BMP", "JPEG")
#: An image may have so many pixels, or so many times those of the input, before it is decoded.
_MOST_PIXELS, _MOST_SCALING = 1 << 25, 64
_MOST_CHANNELS, _MOST_WIDTH = 32, 4
#: A picture of so many pixels shows by its roughness how its bytes are meant.
_SHOWN, _SMOOTHER = 1024, 0.8


def read_image(path: Path, tensor: Tensor, pixels: Pixels) -> Input:
    """An image, resized to the input, as grey or RGB according to its channels.

    Bytes 0..255 become the real numbers ``pixels.range``; by default all that a
    quantised input can hold (so int8 gets ``byte - 128``, as firmware does it; int16,
    whose range is symmetric, from 0 up), and 0..1 for a float input. uint8 without a
    scale takes the bytes as they are. ``pixels.raw`` gives int8 the bytes reinterpreted:
    some of TFLM's own test bitmaps hold int8 values.

    Raises:
        InputError: Pillow is missing, the file is no PNG, BMP or JPEG, has over 2**25 pixels and
            over 64 times those of the input, or the input takes none.
        OSError: The file cannot be read.
    """
    height, width, channels = image_shape(tensor, str(path))
    most = max(_MOST_PIXELS, _MOST_SCALING * height * width)
    image = _load_image(path, _MODES[channels], most)
    origin = f"{path.name}, {image.width}x{image.height}"
    if pixels.raw:
        return _raw_pixels(path, image, tensor, (width, height))
    if image.size != (width, height):
        image = image.resize((width, height), _BILINEAR)
        origin += f" resized to {width}x{height}"
    values = np.asarray(image, np.uint8).reshape(tensor.shape)
    if pixels.range is None and _may_be_signed(path, values, tensor):
        origin += "; its bytes may be int8 values, which --raw-pixels takes them for"
    table = pixel_table(tensor, pixels, origin)
    return Input(table.array[values], table.origin)


def pixel_table(tensor: Tensor, pixels: Pixels, origin: str) -> Input:
    """Values of bytes 0 to 255 of a picture: see :func:`read_image`.

    Raises:
        InputError, DTypeError: The tensor takes none.
    """
    values = np.arange(256, dtype=np.uint8)
    if pixels.raw:
        _require_bytes(tensor, origin)
        return Input(values.view(tensor.type.dtype), f"{origin}, bytes as {tensor.type}")
    if takes_bytes(tensor):
        if pixels.range not in (None, (0, 255)):
            raise InputError(
                f"{origin}: input {tensor.name!r} ({tensor_text(tensor)}) takes bytes as they are, "
                f"so pixels are 0 to 255, got a range of {pixels.range[0]:g} to "
                f"{pixels.range[1]:g}"
            )
        return Input(values, origin)
    low, high = pixels.range or default_range(tensor)
    reals = low + values.astype(np.float64) * ((high - low) / 255)
    return fit_reals(reals, tensor, f"{origin}, {pixel_words(pixels, tensor)}")


def _require_bytes(tensor: Tensor, origin: str) -> None:
    if tensor.type not in (TensorType.INT8, TensorType.UINT8):
        raise InputError(
            f"{origin}: expected an int8 or uint8 input for raw pixels, got {tensor_text(tensor)}"
        )


def _may_be_signed(path: Path, values: Array, tensor: Tensor) -> bool:
    """Whether a bitmap is smoother with its bytes taken for int8, as some of TFLM's are."""
    image = values.squeeze()
    if path.suffix.lower() != ".bmp" or tensor.type is not TensorType.INT8:
        return False
    if image.ndim != 2 or image.size < _SHOWN:  # colours are never stored so
        return False
    return _roughness(image ^ 0x80) < _SMOOTHER * _roughness(image)


def _roughness(image: Array) -> float:
    """The distance of neighbours in a row or a column."""
    wide = image.astype(np.int32)
    return float(sum(np.abs(np.diff(wide, axis=axis)).mean() for axis in (0, 1)))


def _raw_pixels(path: Path, image: Image, tensor: Tensor, size: tuple[int, int]) -> Input:
    if tensor.type not in (TensorType.INT8, TensorType.UINT8) or image.size != size:
        raise InputError(
            f"{path}: expected an int8 or uint8 input and an image of its size for raw pixels, "
            f"got {tensor_text(tensor)} and {image.width}x{image.height}"
        )
    values = np.array(image, np.uint8).view(tensor.type.dtype).reshape(tensor.shape)
    return Input(values, f"{path.name}, bytes as {tensor.type}")


def image_shape(tensor: Tensor, path: str) -> tuple[int, int, int]:
    """``(height, width, channels)`` of NHWC, HWC, NHW and HW inputs.

    Raises:
        InputError: The input takes no picture.
    """
    shape = io_conversion.image_shape(tensor)
    if shape is None:
        raise InputError(
            f"{path}: expected an input of shape [1,height,width,channels] with 1, 3 or 4 "
            f"channels for an image, but {tensor.name!r} is {tensor_text(tensor)}"
        )
    return shape


class _Bounded(io.BufferedReader):
    """Reads no more than its file has: Python sets aside first what a part of a file promises."""

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(os.fstat(self.fileno()).st_size - self.tell(), 0)
        return super().read(left if size is None or size < 0 else min(size, left))


def _load_image(path: Path, mode: str, most: int) -> Image:
    try:
        from PIL import Image as Images  # noqa: PLC0415 - an extra
        from PIL import ImageOps, UnidentifiedImageError  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            f"{path}: reading images needs Pillow; install it with: pip install 'arenite[image]'"
        ) from error
    raw = cast("io.FileIO", open_regular(path, buffering=0))
    with _Bounded(raw) as file, readable(path, "image"), warnings.catch_warnings():
        warnings.simplefilter("error", Images.DecompressionBombWarning)
        try:
            opened = Images.open(file, formats=_FORMATS)
        except UnidentifiedImageError as error:  # which shows the object that it read from
            got = "an empty file" if not os.fstat(raw.fileno()).st_size else "something else"
            raise ValueError(f"expected a PNG, BMP or JPEG, got {got}") from error
        with opened as image:
            if image.width * image.height > most:
                raise ValueError(
                    f"expected at most {most} pixels, got {image.width}x{image.height}"
                )
            if image.mode.startswith(("I", "F")):
                raise ValueError(f"expected 8 bits per pixel, got mode {image.mode}")
            return ImageOps.exif_transpose(image).convert(mode)


def read_wav(path: Path, tensor: Tensor) -> Input:
    """PCM samples for an input that takes them raw; channels are averaged.

    int16 inputs get 16-bit samples, all others real numbers in [-1, 1). More samples
    than the input takes are left out at the end.

    Raises:
        InputError: The file is not PCM, or the input takes something else.
        ShapeError: The file has fewer samples than the input takes.
    """
    require_raw_samples(path, tensor)
    count = tensor.size
    there, rate = sound_file(path)
    samples = next(read_samples(path, count), np.zeros(0))
    if len(samples) < count:
        raise ShapeError(
            f"{path}: expected at least {count} samples for input {tensor.name!r} "
            f"({tensor_text(tensor)}), got {len(samples)}"
        )
    which = f"first {count} of {there}" if there > count else f"{count}"
    origin = f"{path.name}, {which} samples at {rate} Hz"
    reals = samples.reshape(tensor.shape)
    if tensor.type is TensorType.INT16:
        return Input(samples_for(tensor, reals, origin), origin)
    return fit_reals(reals, tensor, origin)


def samples_for(tensor: Tensor, reals: Array, origin: str) -> Array:
    """Samples in [-1, 1) as an input takes them: as 16 bits, or as real numbers."""
    if tensor.type is TensorType.INT16:
        return np.clip(np.floor(reals * 32768 + 0.5), -32768, 32767).astype(np.int16)
    return fit_reals(reals, tensor, origin).array


def require_raw_samples(path: Path, tensor: Tensor) -> None:
    """Raw samples lie along one axis and are symmetric about zero; features mostly are not."""
    one_axis = sum(n > 1 for n in tensor.shape) == 1
    symmetric = tensor.type in (TensorType.INT16, TensorType.FLOAT32)
    if tensor.type is TensorType.INT8 and is_quantized(tensor):
        low, high = io_conversion.real_range(tensor)
        symmetric = low < 0 < high and 0.5 < -low / high < 2
    if not (one_axis and symmetric):
        raise InputError(
            f"{path}: input {tensor.name!r} ({tensor_text(tensor)}) does not take raw samples; "
            "compute the features that it was trained on and give them as .npy, or give a model "
            "that makes them of sound with --frontend"
        )


class SoundFile(NamedTuple):
    """Samples of a file, and per second."""

    samples: int
    rate: int


def sound_file(path: Path) -> SoundFile:
    """Header of a ``.wav`` file, as far as the file is there.

    Raises:
        InputError: The file is not PCM.
        OSError: The file cannot be read.
    """
    with _opened_wav(path) as (sound, count):
        return SoundFile(count, sound.getframerate())


def read_samples(path: Path, block: int = 1 << 16) -> Iterator[Array]:
    """The samples of a ``.wav`` file in blocks, as float64 in [-1, 1), one channel.

    Raises:
        InputError: The file is not PCM.
        OSError: The file cannot be read.
    """
    with _opened_wav(path) as (sound, count):
        width, channels = sound.getsampwidth(), sound.getnchannels()
        done = 0
        while data := sound.readframes(min(count - done, block)):
            read = len(data) // (width * channels)
            done += read
            yield _samples(data[: read * width * channels], width, channels)


@contextmanager
def _opened_wav(path: Path) -> Iterator[tuple[wave.Wave_read, int]]:
    """A file of samples, and how many there are."""
    with open_regular(path) as file, readable(path, "PCM .wav file"), wave.open(file) as sound:
        width, channels = sound.getsampwidth(), sound.getnchannels()
        if width > _MOST_WIDTH or channels > _MOST_CHANNELS:
            raise ValueError(
                f"expected at most {_MOST_CHANNELS} channels of {_MOST_WIDTH} bytes per sample, "
                f"got {channels} of {width}"
            )
        # A header may promise more than the file has.
        there = os.fstat(file.fileno()).st_size // (width * channels)
        yield sound, min(sound.getnframes(), there)


def _samples(data: bytes, width: int, channels: int) -> Array:
    """Little-endian integers of ``width`` bytes as the mean of all channels, in [-1, 1)."""
    if width == 1:
        samples = np.frombuffer(data, np.uint8).astype(np.float64) / 128 - 1
    else:
        raw = np.frombuffer(data, np.uint8).reshape(-1, width)
        wide = np.zeros((len(raw), 4), np.uint8)  # left-aligned little-endian int32
        wide[:, 4 - width :] = raw
        samples = wide.view("<i4")[:, 0].astype(np.float64) / 2**31
    mono: Array = samples.reshape(-1, channels).mean(axis=1)
    return mono
