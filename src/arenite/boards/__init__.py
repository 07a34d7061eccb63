"""Boards that people have: chips and boards as data, and a user's own from a TOML file."""

from __future__ import annotations

from arenite.boards.board import Bank, Board, Energy, Region
from arenite.boards.find import boards, find_board

__all__ = ["Bank", "Board", "Energy", "Region", "boards", "find_board"]
