"""Inputs from images and .wav files."""

import struct
import sys
import tracemalloc
import wave

import numpy as np
import pytest

from arenite.analysis.inputs.media import read_image, read_wav
from arenite.analysis.inputs.values import InputError, Pixels
from arenite.errors import ShapeError
from arenite.model import ModelBuilder

Image = pytest.importorskip("PIL.Image")


def tensor(shape, kind="int8", scale=1 / 255, zero_point=-128):
    b = ModelBuilder()
    b.input("x", shape, kind, scale=scale, zero_point=zero_point)
    return b.build().inputs[0]


@pytest.fixture
def image(tmp_path):
    """``image(pixels, name)`` saves uint8 pixels and returns the path."""

    def save(pixels, name="a.png"):
        Image.fromarray(np.asarray(pixels, np.uint8)).save(tmp_path / name)
        return tmp_path / name

    return save


AS_IT_IS = Pixels()
RAMP = np.arange(16, dtype=np.uint8).reshape(4, 4) * 17


# -- images ------------------------------------------------------------------------------


#: 4 x 4 pixels, and behind them the head of a part of 3.6 GB. Fuzzing found it.
PROMISING = bytes.fromhex(
    "89504e470d0a1a0a0000000d494844520000000400000004080200000026930929d700001449"
    "444154789c63646064628601161e1e1e22380016aa00e90049454e44ae426082"
)


def test_no_memory_is_set_aside_for_what_a_part_of_a_file_only_promises(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(PROMISING)
    tracemalloc.start()
    read_image(path, tensor((1, 4, 4, 3)), AS_IT_IS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6


@pytest.mark.parametrize("name", ["a.png", "a.bmp"])
def test_int8_gets_pixel_minus_128_as_firmware_does_it(image, name):
    read = read_image(image(RAMP, name), tensor((1, 4, 4, 1)), AS_IT_IS)
    assert np.array_equal(read.array[0, :, :, 0], RAMP.astype(int) - 128)
    assert read.origin == f"{name}, 4x4, pixels 0..255 as 0..1, quantised"


def test_a_range_about_zero_is_filled_too(image):
    person_detect = tensor((1, 4, 4, 1), scale=0.007843137718737125, zero_point=-1)
    read = read_image(image(RAMP), person_detect, AS_IT_IS)
    assert np.array_equal(read.array[0, :, :, 0], RAMP.astype(int) - 128)
    assert read.origin == "a.png, 4x4, pixels 0..255 as -0.9961..1.004, quantised"


def test_uint8_gets_the_pixels_with_and_without_a_scale(image):
    for scale in (1 / 255, None):
        read = read_image(image(RAMP), tensor((1, 4, 4, 1), "uint8", scale, 0), AS_IT_IS)
        assert np.array_equal(read.array[0, :, :, 0], RAMP)


def test_float_gets_numbers_from_0_to_1(image):
    read = read_image(image(RAMP), tensor((4, 4), "float32", None), AS_IT_IS)
    assert read.array.dtype == np.float32
    assert (read.array.min(), read.array.max()) == (0.0, 1.0)


def test_int16_gets_the_positive_half_of_its_symmetric_range(image):
    read = read_image(image(RAMP), tensor((1, 4, 4, 1), "int16", 1 / 32768, 0), AS_IT_IS)
    assert (read.array.min(), read.array.max()) == (0, 32767)


def test_the_pixel_range_can_be_given(image):
    read = read_image(image(RAMP), tensor((1, 4, 4, 1), "float32", None), Pixels((-1, 1)))
    assert (read.array.min(), read.array.max()) == (-1.0, 1.0)
    assert read.origin == "a.png, 4x4, pixels 0..255 as -1..1"


def test_raw_pixels_are_the_inputs_own_values(image):
    read = read_image(image([[0, 127], [128, 255]]), tensor((1, 2, 2, 1)), Pixels(raw=True))
    assert read.array.reshape(-1).tolist() == [0, 127, -128, -1]
    assert read.origin == "a.png, bytes as int8"


@pytest.mark.parametrize("target", [tensor((1, 2, 2, 1)), tensor((1, 4, 4, 1), "float32", None)])
def test_raw_pixels_are_neither_resized_nor_converted(image, target):
    with pytest.raises(InputError, match="expected an int8 or uint8 input and an image of its"):
        read_image(image(RAMP), target, Pixels(raw=True))


@pytest.mark.parametrize(
    ("bytes_of", "hinted"),
    [(lambda smooth: smooth, False), (lambda smooth: smooth ^ 0x80, True)],
)
def test_a_bitmap_that_is_smoother_as_int8_is_pointed_out(image, bytes_of, hinted):
    smooth = np.add.outer(np.arange(32), np.arange(32)).astype(np.uint8) * 2 + 64
    read = read_image(image(bytes_of(smooth), "a.bmp"), tensor((1, 32, 32, 1)), AS_IT_IS)
    assert ("--raw-pixels" in read.origin) is hinted


def test_an_image_is_resized_to_the_input(image):
    read = read_image(image(np.full((6, 3), 51)), tensor((1, 2, 4, 1)), AS_IT_IS)
    assert np.array_equal(read.array, np.full((1, 2, 4, 1), 51 - 128))
    assert read.origin.startswith("a.png, 3x6 resized to 4x2, ")


def test_colours_become_grey_and_grey_becomes_colours(image):
    red = np.full((2, 2, 3), [255, 0, 0])
    grey = read_image(image(red), tensor((1, 2, 2, 1)), AS_IT_IS).array
    assert np.unique(grey).tolist() == [76 - 128]
    colours = read_image(image(np.full((2, 2), 9)), tensor((1, 2, 2, 3)), AS_IT_IS).array
    assert np.unique(colours).tolist() == [9 - 128]


def test_a_palette_is_resolved(tmp_path):
    palette = Image.new("P", (2, 2), 1)
    palette.putpalette([0, 0, 0, 200, 200, 200])
    palette.save(tmp_path / "a.bmp")
    read = read_image(tmp_path / "a.bmp", tensor((1, 2, 2, 1)), AS_IT_IS)
    assert np.unique(read.array).tolist() == [200 - 128]


@pytest.mark.parametrize("shape", [(1, 4, 4, 2), (2, 4, 4, 1), (1, 16), (16,), (1, 1, 257)])
def test_an_input_that_is_no_image_is_refused(image, shape):
    with pytest.raises(InputError, match=r"expected an input of shape \[1,height,width,channels\]"):
        read_image(image(RAMP), tensor(shape), AS_IT_IS)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"BM no bitmap"])
def test_broken_images_are_refused(tmp_path, content):
    path = tmp_path / "a.png"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a.png: not a readable image: "):
        read_image(path, tensor((1, 4, 4, 1)), AS_IT_IS)


def test_a_truncated_image_is_refused(image):
    path = image(np.random.default_rng(0).integers(0, 256, (64, 64)))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match="not a readable image: "):
        read_image(path, tensor((1, 4, 4, 1)), AS_IT_IS)


def test_more_than_8_bits_per_pixel_are_refused(tmp_path):
    Image.fromarray(np.zeros((4, 4), np.uint16)).save(tmp_path / "a.png")
    with pytest.raises(InputError, match="expected 8 bits per pixel, got mode I"):
        read_image(tmp_path / "a.png", tensor((1, 4, 4, 1)), AS_IT_IS)


def test_without_pillow_the_message_says_what_to_install(image, monkeypatch):
    path = image(RAMP)
    monkeypatch.setitem(sys.modules, "PIL", AS_IT_IS)
    with pytest.raises(InputError, match=r"install it with: pip install 'arenite\[image\]'"):
        read_image(path, tensor((1, 4, 4, 1)), AS_IT_IS)


@pytest.mark.parametrize("kind", ["GIF", "TIFF", "PPM", "EPS", "PDF"])
def test_other_formats_under_the_name_of_an_image_are_refused(tmp_path, monkeypatch, kind):
    Image.fromarray(RAMP).save(tmp_path / "a.other", kind)
    monkeypatch.setattr("subprocess.Popen", pytest.fail)  # Ghostscript, for EPS
    path = (tmp_path / "a.other").rename(tmp_path / "a.png")
    with pytest.raises(InputError, match=r"a\.png: .* expected a PNG, BMP or JPEG"):
        read_image(path, tensor((1, 4, 4, 1)), AS_IT_IS)


def test_the_content_says_which_format_it_is(image):
    path = image(RAMP, "a.bmp").rename(image(RAMP, "a.png"))
    assert read_image(path, tensor((1, 4, 4, 1)), AS_IT_IS).array.shape == (1, 4, 4, 1)


def test_an_image_of_too_many_pixels_is_not_decoded(tmp_path, monkeypatch):
    Image.new("L", (8192, 8192)).save(tmp_path / "a.png", compress_level=1)
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", pytest.fail)
    message = "a.png: not a readable image: expected at most 33554432 pixels, got 8192x8192"
    with pytest.raises(InputError, match=message):
        read_image(tmp_path / "a.png", tensor((1, 4, 4, 1)), AS_IT_IS)


def test_a_large_input_may_have_large_images(tmp_path):
    Image.new("L", (8192, 4100)).save(tmp_path / "a.png", compress_level=1)
    read = read_image(tmp_path / "a.png", tensor((1, 1025, 1024, 1)), AS_IT_IS)
    assert read.array.shape == (1, 1025, 1024, 1)


# -- .wav --------------------------------------------------------------------------------


@pytest.fixture
def sound(tmp_path):
    """``sound(frames, width, channels)`` saves little-endian bytes and returns the path."""

    def save(frames, width=2, channels=1):
        with wave.open(str(tmp_path / "a.wav"), "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(width)
            file.setframerate(16000)
            file.writeframes(frames)
        return tmp_path / "a.wav"

    return save


def int16(*samples):
    return np.array(samples, "<i2").tobytes()


def test_int16_gets_the_samples_as_they_are(sound):
    read = read_wav(sound(int16(-32768, -1, 0, 32767)), tensor((1, 4), "int16", None))
    assert read.array.tolist() == [[-32768, -1, 0, 32767]]
    assert read.origin == "a.wav, 4 samples at 16000 Hz"


def test_float_gets_samples_from_minus_1_to_1(sound):
    read = read_wav(sound(int16(-32768, 16384)), tensor((2,), "float32", None))
    assert read.array.tolist() == [-1.0, 0.5]


def test_int8_about_zero_gets_them_quantised(sound):
    read = read_wav(sound(int16(-32768, 16384)), tensor((1, 2), "int8", 1 / 128, 0))
    assert read.array.tolist() == [[-128, 64]]


def test_the_first_samples_are_taken(sound):
    read = read_wav(sound(int16(1, 2, 3)), tensor((2,), "int16", None))
    assert read.array.tolist() == [1, 2]
    assert read.origin == "a.wav, first 2 of 3 samples at 16000 Hz"


def test_channels_are_averaged(sound):
    read = read_wav(sound(int16(100, 300, -100, -300), channels=2), tensor((2,), "int16", None))
    assert read.array.tolist() == [200, -200]


@pytest.mark.parametrize(
    ("frames", "width"),
    [
        (b"\x00\xc0", 1),
        (b"\x00\x00\x80\x00\x00\x40", 3),
        (b"\x00\x00\x00\x80\x00\x00\x00\x40", 4),
    ],
)
def test_samples_of_8_24_and_32_bits_are_read(sound, frames, width):
    assert read_wav(sound(frames, width), tensor((2,), "float32", None)).array.tolist() == [
        -1.0,
        0.5,
    ]


def test_too_few_samples_are_refused(sound):
    with pytest.raises(ShapeError, match="expected at least 3 samples for input 'x'"):
        read_wav(sound(int16(1, 2)), tensor((1, 3), "int16", None))


@pytest.mark.parametrize(
    "features",
    [
        tensor((1, 49, 10, 1), "int8", 0.5847, 83),
        tensor((1, 1960), "int8", 0.1017, -128),
        tensor((1, 16), "uint8", None),
    ],
)
def test_an_input_that_takes_features_is_refused(sound, features):
    with pytest.raises(InputError, match="does not take raw samples; compute the features"):
        read_wav(sound(int16(1, 2)), features)


@pytest.mark.parametrize("content", [b"", b"RIFF", b"RIFF\x04\x00\x00\x00WAVE", b"ID3 an MP3"])
def test_broken_wav_files_are_refused(tmp_path, content):
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a.wav: not a readable PCM .wav file"):
        read_wav(path, tensor((2,), "int16", None))


def wav_header(channels=1, bits=16, data=4, declared=None):
    """A .wav file whose header says what it likes."""
    frame = channels * ((bits + 7) // 8)
    declared = data if declared is None else declared
    fields = struct.pack("<IHHIIHH", 16, 1, channels, 16000, 0, frame % 65536, bits)
    samples = b"data" + struct.pack("<I", declared) + bytes(data)
    return b"RIFF\xff\xff\xff\xffWAVEfmt " + fields + samples


def test_a_file_that_ends_within_a_sample_has_the_samples_before_it(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(wav_header(data=5, declared=64))
    with pytest.raises(ShapeError, match="expected at least 3 samples"):
        read_wav(path, tensor((3,), "int16", None))


def test_samples_that_a_header_only_promises_are_not_there(tmp_path):
    (tmp_path / "a.wav").write_bytes(wav_header(data=4, declared=0xFFFFFFF0))
    with pytest.raises(ShapeError, match=r"expected at least 3 samples .* got 2$"):
        read_wav(tmp_path / "a.wav", tensor((3,), "int16", None))


@pytest.mark.parametrize("header", [{"channels": 33}, {"bits": 40}, {"bits": 65535}])
def test_more_channels_and_bits_than_there_are_in_sound_are_refused(tmp_path, header):
    (tmp_path / "a.wav").write_bytes(wav_header(data=1 << 20, **header))
    with pytest.raises(InputError, match="expected at most 32 channels of 4 bytes per sample"):
        read_wav(tmp_path / "a.wav", tensor((3,), "int16", None))


@pytest.mark.parametrize("header", [{"channels": 0}, {"bits": 0}])
def test_no_channels_and_no_bits_are_refused(tmp_path, header):
    (tmp_path / "a.wav").write_bytes(wav_header(**header))
    with pytest.raises(InputError, match=r"not a readable PCM .wav file"):
        read_wav(tmp_path / "a.wav", tensor((3,), "int16", None))
