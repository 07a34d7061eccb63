"""Firmware: a model as C and assembly for one processor, its build, and an emulated board."""

from arenite.firmware.board import Board
from arenite.firmware.cost import FirmwareCost, firmware_cost, firmware_cost_facts
from arenite.firmware.export import export
from arenite.firmware.folder.exported import Export, ExportedLayer, export_facts
from arenite.firmware.tflm_folder import TflmExport, export_tflm, tflm_facts

__all__ = [
    "Board",
    "Export",
    "ExportedLayer",
    "FirmwareCost",
    "TflmExport",
    "export",
    "export_facts",
    "export_tflm",
    "firmware_cost",
    "firmware_cost_facts",
    "tflm_facts",
]
