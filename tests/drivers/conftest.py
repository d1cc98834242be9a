"""What tests of real programs share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


class Held:
    """A named pipe that a program may hold for writing as long as it lives."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        os.mkfifo(path)
        self.reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def is_let_go(self) -> bool:
        """Wait until nobody holds it any more."""
        os.set_blocking(self.reading, True)
        return os.read(self.reading, 1) == b""


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    """A named pipe."""
    pipe = Held(tmp_path / "held")
    yield pipe
    os.close(pipe.reading)
