"""Fixtures for all tests."""

from __future__ import annotations

from tests.ops.differential import oracle

__all__ = ["oracle"]
