"""What can go wrong with a data file, in words that say what to do about it."""

from __future__ import annotations


class StoreUnusable(Exception):
    """The data file cannot be used. What it holds was not touched.

    Where it is raised on opening, the text names the file; afterwards it holds nothing private.
    """


class StoreBusy(StoreUnusable):
    """Somebody else writes for longer than the store was told to wait."""


class StoreNotEmpty(StoreUnusable):
    """The data file holds something already, so nothing was put in."""
