"""The registers that commands set, and the operations that read them.

Facts: Vela 5.2.0 ``ethos_u55_regs.py`` (``cmd0``, ``cmd1``) for U55 and U65, regor's
``ethos_u85_interface.hpp`` for U85, whose own registers stand in the places of theirs.
"""

from __future__ import annotations

from arenite.npu.stream import Command, StreamError

#: Operations by code.
OPERATIONS = {
    0x000: "STOP",
    0x001: "IRQ",
    0x002: "CONV",
    0x003: "DEPTHWISE",
    0x005: "POOL",
    0x006: "ELEMENTWISE",
    0x007: "RESIZE",
    0x010: "DMA_START",
    0x011: "DMA_WAIT",
    0x012: "KERNEL_WAIT",
    0x013: "PMU_MASK",
    0x100: "BRANCH",
}
#: Operations that compute or copy nothing.
WAITS = frozenset({"DMA_WAIT", "KERNEL_WAIT", "PMU_MASK"})


def _numbered(first: int, names: str) -> dict[int, str]:
    """Registers in a row; ``-`` is one that there is not."""
    return {first + i: name for i, name in enumerate(names.split()) if name != "-"}


#: Registers of 16 bits by code.
SHORT = {
    **_numbered(
        0x100,
        "IFM_PAD_TOP IFM_PAD_LEFT IFM_PAD_RIGHT IFM_PAD_BOTTOM IFM_DEPTH_M1 IFM_PRECISION - "
        "IFM_UPSCALE - IFM_ZERO_POINT IFM_WIDTH0_M1 IFM_HEIGHT0_M1 IFM_HEIGHT1_M1 IFM_IB_END - "
        "IFM_REGION - OFM_WIDTH_M1 OFM_HEIGHT_M1 OFM_DEPTH_M1 OFM_PRECISION OFM_BLK_WIDTH_M1 "
        "OFM_BLK_HEIGHT_M1 OFM_BLK_DEPTH_M1 OFM_ZERO_POINT - OFM_WIDTH0_M1 OFM_HEIGHT0_M1 "
        "OFM_HEIGHT1_M1 - - OFM_REGION KERNEL_WIDTH_M1 KERNEL_HEIGHT_M1 KERNEL_STRIDE "
        "PARALLEL_MODE ACC_FORMAT ACTIVATION ACTIVATION_MIN ACTIVATION_MAX WEIGHT_REGION "
        "SCALE_REGION - - - AB_START - BLOCKDEP DMA0_SRC_REGION DMA0_DST_REGION DMA0_SIZE0 "
        "DMA0_SIZE1",
    ),
    **_numbered(
        0x180,
        "IFM2_BROADCAST IFM2_SCALAR - - - IFM2_PRECISION - - - IFM2_ZERO_POINT IFM2_WIDTH0_M1 "
        "IFM2_HEIGHT0_M1 IFM2_HEIGHT1_M1 IFM2_IB_START - IFM2_REGION",
    ),
}
_MAP = "{0}_BASE0 {0}_BASE1 {0}_BASE2 {0}_BASE3 {0}_STRIDE_X {0}_STRIDE_Y {0}_STRIDE_C"
#: Registers of 16 + 32 bits by code.
LONG = {
    **_numbered(0x000, _MAP.format("IFM")),
    **_numbered(0x010, _MAP.format("OFM")),
    **_numbered(
        0x020, "WEIGHT_BASE WEIGHT_LENGTH SCALE_BASE SCALE_LENGTH OFM_SCALE OPA_SCALE OPB_SCALE"
    ),
    **_numbered(0x030, "DMA0_SRC DMA0_DST DMA0_LEN DMA0_SKIP0 DMA0_SKIP1"),
    **_numbered(0x080, _MAP.format("IFM2")),
    **_numbered(0x090, "WEIGHT1_BASE WEIGHT1_LENGTH SCALE1_BASE SCALE1_LENGTH"),
}


_OWN_U85 = _numbered(
    0x12A,
    "RESIZE_X_SCALE_N_M1 RESIZE_Y_SCALE_N_M1 RESIZE_X_OFFSET RESIZE_Y_OFFSET WEIGHT_FORMAT",
)
#: The same of U85.
SHORT_U85 = {**SHORT, 0x108: "IFM_BROADCAST", 0x134: "DMA0_IDX_REGION", **_OWN_U85}
LONG_U85 = {
    **LONG,
    **_numbered(0x025, "IFM_SCALE IFM2_SCALE OP_SCALAR"),
    **_numbered(
        0x033,
        "DMA0_SRC_STRIDE0 DMA0_SRC_STRIDE1 DMA0_DST_STRIDE0 DMA0_DST_STRIDE1 DMA0_IDX "
        "DMA0_IDX_MAX DMA0_IDX_SKIP1",
    ),
    **_numbered(0x092, "WEIGHT2_BASE WEIGHT2_LENGTH WEIGHT3_BASE WEIGHT3_LENGTH"),
    **_numbered(0x096, "RESIZE_X RESIZE_Y"),
}


def operation_name(command: Command) -> str:
    """The name of an operation's command."""
    return OPERATIONS.get(command.code, f"operation {command.code:#x}")


class Registers:
    """Registers of U55 and U65, or of U85, as the commands so far have set them."""

    def __init__(self, *, is_u85: bool = False) -> None:
        self.is_u85 = is_u85
        self._names = (SHORT_U85, LONG_U85) if is_u85 else (SHORT, LONG)
        self._short: dict[str, int] = {}
        self._long: dict[str, tuple[int, int]] = {}

    def set(self, command: Command) -> None:
        """Take a command that is no operation.

        Raises:
            StreamError: There is no such register.
        """
        if command.value is None:
            name = self._names[0].get(command.code)
            if name is not None:
                self._short[name] = command.parameter
        else:
            name = self._names[1].get(command.code)
            if name is not None:
                self._long[name] = (command.parameter, command.value)
        if name is None:
            words = "one word" if command.value is None else "two words"
            raise StreamError(
                f"word {command.position}: there is no register {command.code:#x} of {words}"
            )

    def short(self, name: str, default: int | None = None) -> int:
        """A register of 16 bits, unsigned; ``default`` where that may be unset."""
        if name not in self._short:
            if default is not None:
                return default
            raise StreamError(f"register {name} is read before it is set")
        return self._short[name]

    def signed(self, name: str) -> int:
        """A register of 16 bits, signed."""
        value = self.short(name)
        return value - (value >> 15 << 16)

    def size(self, name: str) -> int:
        """A size, of which the register says one less."""
        return self.short(f"{name}_M1") + 1

    def long(self, name: str) -> tuple[int, int]:
        """The 16 and the 32 bits of a register of two words."""
        if name not in self._long:
            raise StreamError(f"register {name} is read before it is set")
        return self._long[name]

    def address(self, name: str) -> int:
        """A register of two words as one number of 48 bits."""
        high, low = self.long(name)
        return high << 32 | low

    def stride(self, name: str) -> int:
        """A register of two words as a signed step between addresses."""
        value = self.address(name)
        return value - (value >> 47 << 48) if value >> 47 else value
