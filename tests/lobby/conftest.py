"""Fixtures of this package: those of the live games."""

from tests.live.conftest import virtual_time

__all__ = ["virtual_time"]
