"""Why a server does not start: the reason with its remedy, and the exit code that goes with it."""

from __future__ import annotations


class CannotServe(Exception):
    """Nothing was started. The message says what was found and what to do."""

    code = 3
    """What would be served cannot be built or started here."""


class CannotMean(CannotServe):
    """The command line, or a file that it names for reading, makes no sense."""

    code = 2
