"""Ends the process groups that we started when we cannot: a shell that lives as long as we do, and no longer.

It reads our notes from a pipe. When the pipe ends, whatever ended us (a kill too), it gives each group that
was not let go a moment to end with its standard input, then sends SIGTERM, then SIGKILL.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

_SHELL: Final = "/bin/sh"
_SCRIPT: Final = """
trap '' HUP INT TERM
kept=
while read -r word group; do
  left=
  for one in $kept; do [ "$one" = "$group" ] || left="$left $one"; done
  [ "$word" = keep ] && left="$left $group"
  kept=$left
done
alive() {
  for one in $kept; do kill -s 0 -- "-$one" 2>/dev/null && return 0; done
  return 1
}
for signal in 0 TERM KILL; do
  for one in $kept; do kill -s "$signal" -- "-$one" 2>/dev/null; done
  for pause in 1 2 3 4 5; do alive || exit 0; sleep 0.1; done
done
"""


def keep(group: int) -> None:
    """Have this process group ended when we are gone."""
    _note(f"keep {group}\n")


def let_go(group: int) -> None:
    """Forget a group that has ended."""
    _note(f"drop {group}\n")


def is_keeper(command_line: bytes) -> bool:
    """Whether these words, each with NUL behind it, start our shell."""
    return _SCRIPT.encode() in command_line


_pipes: Final[dict[int, int]] = {}
"""Our end of the pipe to the shell, by our process id: a copy of this process needs a shell of its own."""


def _note(line: str) -> None:
    """Tell the shell; without one (no /bin/sh) groups are ended by us alone."""
    with suppress(OSError):
        if os.getpid() not in _pipes:
            _pipes[os.getpid()] = _started()
        os.write(_pipes[os.getpid()], line.encode())


def _started() -> int:
    theirs, ours = os.pipe()
    try:
        os.posix_spawn(
            _SHELL,
            [_SHELL, "-c", _SCRIPT],
            {"PATH": os.environ.get("PATH", os.defpath)},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
            setsigmask=[],
        )
    except (OSError, NotImplementedError):
        os.close(ours)
        raise OSError("no keeper") from None
    finally:
        os.close(theirs)
    return ours
