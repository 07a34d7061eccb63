"""Boards that people have: processor, clock, memory, as their makers publish them.

Sizes are those of the chip, in bytes; what a boot loader, a stack or a radio takes is not known
here. ``memory`` says in which pieces, and what a reader of flash waits for.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

_K = 1024
_M = 1024 * 1024


@dataclass(frozen=True)
class BoardFacts:
    """A board.

    Attributes:
        name: What ``--board`` takes.
        chip: Its microcontroller.
        processor: As in :class:`arenite.Target`.
        clock: The highest, in MHz.
        ram: All of it, in bytes, whatever its pieces.
        flash: Where program and constants are, in bytes.
        memory: Its pieces, and waiting for flash, where that is published.
        source: The document.
        psram: RAM beside the chip, slower, in bytes.
    """

    name: str
    chip: str
    processor: str
    clock: float
    ram: int
    flash: int
    memory: str
    source: str
    psram: int = 0


#: What ESP-IDF takes of RAM (drivers, radio, FreeRTOS, code that lies in RAM) is in no figure.
_ESPRESSIF = (
    BoardFacts(
        *("esp32s3", "ESP32-S3", "esp32s3", 240, 512 * _K, 8 * _M),
        "any board without PSRAM; flash is serial, behind a cache",
        "Espressif ESP32-S3 Series Datasheet",
    ),
    BoardFacts(
        *("esp32-s3-devkitc-1", "ESP32-S3", "esp32s3", 240, 512 * _K, 8 * _M),
        "N8R8; flash is serial, behind a cache",
        "Espressif ESP32-S3 Series Datasheet, ESP32-S3-DevKitC-1 User Guide",
        psram=8 * _M,
    ),
    BoardFacts(
        *("xiao-esp32s3", "ESP32-S3", "esp32s3", 240, 512 * _K, 8 * _M),
        "flash is serial, behind a cache",
        "Espressif ESP32-S3 Series Datasheet, Seeed XIAO ESP32S3",
        psram=8 * _M,
    ),
    BoardFacts(
        *("esp32-s3-box-3", "ESP32-S3", "esp32s3", 240, 512 * _K, 16 * _M),
        "flash is serial, behind a cache",
        "Espressif ESP32-S3 Series Datasheet, ESP32-S3-BOX-3",
        psram=16 * _M,
    ),
    BoardFacts(
        *("voice-pe", "ESP32-S3", "esp32s3", 240, 512 * _K, 16 * _M),
        "flash is serial, behind a cache",
        "Espressif ESP32-S3 Series Datasheet, Home Assistant Voice Preview Edition",
        psram=8 * _M,
    ),
    BoardFacts(
        *("atom-echo", "ESP32-PICO-D4", "esp32", 240, 520 * _K, 4 * _M),
        "328 KB of it for data; flash is serial, behind a cache",
        "Espressif ESP32 Series Datasheet, M5Stack ATOM Echo",
    ),
    BoardFacts(
        *("esp32-c3-devkitm-1", "ESP32-C3", "esp32c3", 160, 400 * _K, 4 * _M),
        "16 KB of it a cache; flash is serial",
        "Espressif ESP32-C3 Series Datasheet, ESP32-C3-DevKitM-1",
    ),
    BoardFacts(
        *("esp32-c6-devkitc-1", "ESP32-C6", "esp32c6", 160, 512 * _K, 8 * _M),
        "flash is serial, behind a cache",
        "Espressif ESP32-C6 Series Datasheet, ESP32-C6-DevKitC-1",
    ),
    BoardFacts(
        *("esp32-p4-function-ev", "ESP32-P4", "esp32p4", 400, 768 * _K, 16 * _M),
        "the L2 cache takes 128 KB or more of it; flash is serial",
        "Espressif ESP32-P4 Datasheet, ESP32-P4-Function-EV-Board",
        psram=32 * _M,
    ),
)

BOARDS: tuple[BoardFacts, ...] = (
    BoardFacts(
        *("nano33ble", "nRF52840", "cortex-m4", 64, 256 * _K, 1 * _M),
        "flash behind a cache",
        "Nordic nRF52840 Product Specification",
    ),
    BoardFacts(
        *("microbit-v2", "nRF52833", "cortex-m4", 64, 128 * _K, 512 * _K),
        "flash behind a cache",
        "Nordic nRF52833 Product Specification",
    ),
    BoardFacts(
        *("nrf5340dk", "nRF5340, application core", "cortex-m33", 128, 512 * _K, 1 * _M),
        "flash behind a cache",
        "Nordic nRF5340 Product Specification",
    ),
    BoardFacts(
        *("nucleo-l4r5zi", "STM32L4R5ZI", "cortex-m4", 120, 640 * _K, 2 * _M),
        "192 + 64 + 384 KB; 5 wait states at 120 MHz",
        "ST DS12023, RM0432",
    ),
    BoardFacts(
        *("nucleo-f446re", "STM32F446RE", "cortex-m4", 180, 128 * _K, 512 * _K),
        "112 + 16 KB; 5 wait states at 180 MHz",
        "ST DS10693, RM0390",
    ),
    BoardFacts(
        *("stm32f4-discovery", "STM32F407VG", "cortex-m4", 168, 192 * _K, 1 * _M),
        "112 + 16 KB and 64 KB for the core only; 5 wait states at 168 MHz",
        "ST DS8626, RM0090",
    ),
    BoardFacts(
        *("nucleo-f767zi", "STM32F767ZI", "cortex-m7", 216, 512 * _K, 2 * _M),
        "128 (TCM) + 368 + 16 KB; 7 wait states at 216 MHz",
        "ST DS11532, RM0410",
    ),
    BoardFacts(
        *("stm32f746g-disco", "STM32F746NG", "cortex-m7", 216, 320 * _K, 1 * _M),
        "64 (TCM) + 240 + 16 KB; 7 wait states at 216 MHz",
        "ST DS10916, RM0385",
    ),
    BoardFacts(
        *("nucleo-h743zi2", "STM32H743ZI", "cortex-m7", 480, 1 * _M, 2 * _M),
        "128 (TCM) + 512 + 288 + 64 KB and 64 KB for instructions; 4 wait states at 480 MHz",
        "ST DS12110, RM0433",
    ),
    BoardFacts(
        *("nucleo-l552ze-q", "STM32L552ZE", "cortex-m33", 110, 256 * _K, 512 * _K),
        "192 + 64 KB; 5 wait states at 110 MHz",
        "ST DS12737, RM0438",
    ),
    BoardFacts(
        *("pico", "RP2040", "cortex-m0", 133, 264 * _K, 2 * _M),
        "256 + 8 KB; flash is serial, behind a cache of 16 KB",
        "Raspberry Pi RP2040 Datasheet, Pico Datasheet",
    ),
    BoardFacts(
        *("pico2", "RP2350", "cortex-m33", 150, 520 * _K, 4 * _M),
        "512 + 8 KB; flash is serial, behind a cache of 16 KB",
        "Raspberry Pi RP2350 Datasheet, Pico 2 Datasheet",
    ),
    BoardFacts(
        *("teensy41", "i.MX RT1062", "cortex-m7", 600, 1 * _M, 8 * _M),
        "512 (TCM, shared with the program) + 512 KB; flash is serial, behind a cache",
        "PJRC Teensy 4.1, NXP IMXRT1060RM",
    ),
    BoardFacts(
        *("sparkfun-edge", "Apollo3 Blue", "cortex-m4", 48, 384 * _K, 1 * _M),
        "64 (TCM) + 320 KB; flash behind a cache",
        "Ambiq Apollo3 Blue Datasheet",
    ),
    BoardFacts(
        *("mps3-an547", "Arm Corstone-300 on an FPGA", "cortex-m55", 25, 4 * _M, 4 * _M),
        "512 KB TCM for instructions, 512 KB for data, 2 x 2 MB; the program is in RAM",
        "Arm AN547",
    ),
    *_ESPRESSIF,
)


def find_board(name: str) -> BoardFacts:
    """A board by its name.

    Raises:
        ValueError: There is none of that name; says which is like it.
    """
    names = {board.name: board for board in BOARDS}
    wanted = name.strip().lower().replace("_", "-")
    if wanted not in names:
        close = get_close_matches(wanted, names, 3, 0.4)
        hint = f"is it {' or '.join(close)}?" if close else "`arenite boards` lists them"
        raise ValueError(f"expected a board's name, got {name!r}: {hint}")
    return names[wanted]
