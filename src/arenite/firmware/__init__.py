"""Firmware: a model as C and assembly for one processor, its build, and an emulated board."""

from arenite.firmware.board import Board
from arenite.firmware.export import export
from arenite.firmware.exported import Export, ExportedLayer, export_facts

__all__ = ["Board", "Export", "ExportedLayer", "export", "export_facts"]
