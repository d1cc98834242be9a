"""`evalkit record`: run suites against a live target, and keep what it answered as a target of its own."""

from __future__ import annotations

import os
import tempfile
from typing import Final

from evalkit import recording
from evalkit.commands import _output, _run_arguments, _targets
from evalkit.commands._arguments import Arguments, environment
from evalkit.commands._judging import judged
from evalkit.commands._probing import advertised
from evalkit.errors import UsageError

DEFAULT: Final = "recording.json"
_NOTHING_RAN: Final = (2, 3, 5)
"""Exit codes of a run that leaves nothing to keep; a recording that is there already stays as it is."""


def parser() -> Arguments:
    """The flags before `--`."""
    told = "Run suites against a target, and write what it answered to a file that can stand in for it."
    made = Arguments("record", "evalkit record 'stdio:npx -y some-server' -- suites/server.yaml", told)
    made.add_argument("target", metavar="TARGET", help="a live target")
    made.add_argument("-o", "--output", metavar="FILE", default=DEFAULT, help=f"the recording ({DEFAULT})")
    made.add_argument("--env", metavar="NAME", action="append", default=[], help="an environment variable")
    return made


def main(argv: list[str]) -> int:
    """Run and record, and give the exit code of the run."""
    at = argv.index("--") if "--" in argv else len(argv)
    given, words = parser().parse(argv[:at]), argv[at + 1 :]
    if not words:
        raise UsageError("write `--` and what `evalkit run` takes: evalkit record TARGET -- suites/mine.yaml")
    target = _targets.named(given.target, environment(given.env))
    manifest = advertised("", target, None, None, partial=True)
    with tempfile.TemporaryDirectory() as folder:
        taped = target._replace(tape=os.path.join(folder, "tape"))
        flags = [word for name in given.env for word in ("--env", name)]
        code = judged([*words, *flags], lambda argv: _run_arguments.parse(argv, None, taped))
        if code in _NOTHING_RAN:
            return code
        count = recording.write(given.output, target, manifest, taped.tape)
    _output.say(f"{given.output}: {count} exchanges; `--target recording:{given.output}` answers with them")
    return code
