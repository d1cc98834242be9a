"""Every code of a suite that does not load: at its exact place with its remedy, beside what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit.commands._suites import find
from evalkit.errors import SuiteError
from evalkit.loader.mistakes import LOAD_MISTAKES, MOST
from tests.playing import MARK, loaded, marked, refused, suite_file

BASE: Final = """\
name: voices
version: 1
contract: echo
defaults: {fixture: full}
fixtures:
  full: {voices: {loud: "{}!"}}
cases:
  - id: one
    title: It says what was said
    operation: tool
    tool: echo
    args: {text: hi}
    expect: {isError: false}
"""
CASE: Final = BASE[BASE.index("  - id: one") :]
CALL: Final = "    operation: tool\n    tool: echo\n    args: {text: hi}\n    expect: {isError: false}\n"
STEPS: Final = """\
    steps:
      - {id: first, operation: tool, tool: echo, args: {text: hi},
         capture: {it: output.said}, expect: {type: {output: object}}}
      - {id: second, operation: tool, tool: echo, args: {text: "${{ steps.first.it }}"},
         expect: {isError: false}}
"""


@dataclass(frozen=True)
class Slip:
    """In BASE `old` became `wrong`, with the mark where the mistake is; `right` is the nearest that loads."""

    code: str
    old: str
    wrong: str
    remedy: str
    right: str = ""
    message: str = ""


SLIPS: Final = [
    # the vocabulary is closed, at every level
    Slip("unknown-key", "version: 1", "version: 1\n▲verson: 2", "did you mean `version`?"),
    Slip("unknown-key", "{fixture: full}", "{fixture: full, ▲sverity: low}", "did you mean `severity`?"),
    Slip("unknown-key", "    tool: echo", "    tool: echo\n    ▲arg: {}", "did you mean `args`?"),
    Slip("unknown-key", CALL, CALL + "    skip: {reason: later, ▲untill: 2026}\n", "did you mean `until`?"),
    Slip(
        "unknown-key",
        CALL,
        CALL + "    expectedFailure: {reason: r, ▲finding: [], findings: [tool-failed]}\n",
        "did you mean `findings`?",
    ),
    Slip("unknown-key", "cases:", "gate: {▲maxFailure: 1}\ncases:", "did you mean `maxFailures`?"),
    Slip("unknown-key", "cases:", "gate: {severity: {▲critcal: 0}}\ncases:", "did you mean `critical`?"),
    Slip(
        "unknown-key",
        CALL,
        STEPS.replace("{id: first,", "{id: first, ▲tols: 1,"),
        "did you mean `tool`?",
        STEPS,
    ),
    Slip(
        "unknown-key",
        "args: {text: hi}",
        "args: {text: hi}\n    client: {▲root: []}",
        "did you mean `roots`?",
        "args: {text: hi}\n    client: {roots: []}",
    ),
    Slip(
        "unknown-key",
        "    args: {text: hi}",
        "    ▲path: /x\n    args: {text: hi}",
        "keys of `tool` are args, client, headers, meta, tool",
        message="`path` is no key of the operation `tool`",
    ),
    Slip(
        "unknown-key",
        CALL,
        STEPS + "    ▲expect: {isError: false}\n",
        "write it in a step",
        message="`expect` stands beside `steps`",
    ),
    # expectations and operations
    Slip("unknown-expectation", "{isError: false}", "{▲isErrror: false}", "did you mean `isError`?"),
    Slip("unknown-expectation", "{isError: false}", "{▲equal: {output: 1}}", "did you mean `equals`?"),
    Slip(
        "unknown-expectation",
        "{fixture: full}",
        "{fixture: full, expect: {▲exclude: [x]}}",
        "did you mean `excludes`?",
        "{fixture: full, expect: {excludes: [x]}}",
    ),
    Slip(
        "unknown-expectation",
        CALL,
        STEPS.replace("isError", "▲isEror"),
        "did you mean `isError`?",
        STEPS,
    ),
    Slip("unknown-operation", "operation: tool", "operation: ▲tol", "did you mean `tool`?"),
    Slip("missing-key", "version: 1\n", "", "write `version:` at the top", message="lacks its `version`"),
    Slip("missing-key", "name: voices\n", "", "write `name:` at the top", message="lacks its `name`"),
    Slip("missing-key", "    title: It says what was said\n", "", "add it", message="title"),
    Slip("missing-key", "    tool: echo\n", "", "add it", message="tool"),
    Slip("wrong-type", "version: 1", 'version: ▲"1"', "write it without quotes"),
    Slip("wrong-type", "name: voices", "name: ▲5", 'quote it: "5"'),
    Slip("wrong-type", "title: It says what was said", "title: ▲true", 'quote it: "true"'),
    Slip(
        "wrong-type",
        CALL,
        CALL + "    tags: ▲smoke\n",
        "write a value of type array",
        CALL + "    tags: [smoke]\n",
    ),
    Slip(
        "wrong-type",
        CALL,
        CALL + "    timeout: ▲true\n",
        "write a value of type number",
        CALL + "    timeout: 0.5\n",
    ),
    Slip("wrong-type", "{fixture: full}", "▲[full]", "write a value of type object"),
    Slip(
        "wrong-type", "    args: {text: hi}", "    headers: {a: ▲1}", 'quote it: "1"', '    headers: {a: "1"}'
    ),
    Slip("wrong-value", "version: 1", "version: ▲0", "write a value that the key takes"),
    Slip(
        "wrong-value",
        CALL,
        CALL + "    severity: ▲hgih\n",
        "did you mean `high`?",
        CALL + "    severity: high\n",
    ),
    Slip("wrong-value", CALL, CALL + "    over: ▲htp\n", "did you mean `http`?", CALL + "    over: http\n"),
    Slip(
        "wrong-value",
        CALL,
        CALL + "    over: [direct, ▲mpc]\n",
        "did you mean `mcp`?",
        CALL + "    over: [direct, mcp]\n",
    ),
    Slip("wrong-value", CALL, CALL + "    over: ▲[]\n", "write"),
    Slip("wrong-value", CALL, CALL + "    timeout: ▲0\n", "write a value that the key takes"),
    Slip(
        "wrong-value",
        CALL,
        CALL + '    skip: {reason: r, until: ▲"2026-02-30"}\n',
        "write a value that the key takes",
        CALL + '    skip: {reason: r, until: "2026-02-28"}\n',
    ),
    Slip(
        "wrong-value",
        CALL,
        STEPS.replace("id: second,", "id: second, over: ▲[direct, mcp],"),
        "write one of cli, direct, http, mcp",
        STEPS.replace("id: second,", "id: second, over: mcp,"),
    ),
    Slip(
        "wanted-shape",
        "{isError: false}",
        '{isError: ▲"false"}',
        "`evalkit explain isError` shows what it takes",
    ),
    Slip(
        "wanted-shape",
        "{isError: false}",
        "{count: {output: ▲-1}}",
        "`evalkit explain count`",
        "{count: {output: 1}}",
    ),
    Slip(
        "wanted-shape",
        "{isError: false}",
        "{equals: ▲{}}",
        "`evalkit explain equals`",
        "{equals: {output: {}}}",
    ),
    Slip(
        "wrong-type",
        CALL,
        CALL + "    fixture: {use: ▲5}\n",
        'quote it: "5"',
    ),
    # contract and fixtures
    Slip(
        "unknown-contract",
        "contract: echo",
        "contract: ▲ecko",
        "`evalkit list contracts`",
        message="did you mean 'echo'?",
    ),
    Slip("unknown-contract", "contract: echo", "contract: ▲python:tests", "python:package.module:name"),
    Slip(
        "unknown-contract",
        "contract: echo",
        "contract: ▲python:tests.no_such_module:open",
        "python:package.module:name",
        "contract: python:tests.playing:open_nothing",
        message="tests.no_such_module",
    ),
    Slip(
        "contract-missing",
        "name: voices\nversion: 1\ncontract: echo\n",
        "▲name: voices\nversion: 1\n",
        "--contract NAME",
    ),
    Slip(
        "target-missing",
        "contract: echo",
        "target: {unix: {socket: /s}, ▲provides: [fixtures]}",
        "--contract NAME",
        message="no fixtures over a Unix socket",
    ),
    Slip("wrong-value", "contract: echo", "target: ▲'stdio:'", "stdio:program --flag"),
    Slip("wrong-value", "contract: echo", "target: {stdio: {command: ▲npx}}", "command: [program, --flag]"),
    Slip("wrong-value", "contract: echo", "target: ▲localhost:5555", "http://127.0.0.1:5555/mcp"),
    Slip("wrong-value", "contract: echo", "target: ▲http://10.0.0.1:${{ env.PORT }}/", "--target URL"),
    Slip("wrong-value", "contract: echo", "target: {http: {url: ▲'http://h/?a=b'}}", "without `?`"),
    Slip(
        "wrong-value",
        "contract: echo",
        "target: ▲{http: {url: 'http://h/'}, fixtureVia: {http: /w}}",
        "as 127.0.0.1",
        "target: {http: {url: 'http://127.0.0.1/'}, fixtureVia: {http: /w}}",
    ),
    Slip("wrong-value", "contract: echo", "target: {http: {url: 'http://h/'}, provides: [▲'a b']}", "value"),
    Slip("unknown-key", "contract: echo", "target: {▲htp: {url: 'http://h/'}}", "did you mean `http`?"),
    Slip(
        "unknown-key", "contract: echo", "target: {http: {url: 'http://h/', ▲uri: x}}", "did you mean `url`?"
    ),
    Slip("missing-key", "contract: echo", "target: {http: ▲{headers: {a: b}}}", "add it"),
    Slip(
        "wrong-type", "contract: echo", "target: ▲5555", "type string or object", "target: http://127.0.0.1/"
    ),
    Slip("unknown-fixture", "{fixture: full}", "{fixture: ▲ful}", "did you mean `full`?"),
    Slip(
        "unknown-fixture",
        CALL,
        CALL + "    fixture: ▲fulll\n",
        "did you mean `full`?",
        CALL + "    fixture: full\n",
    ),
    Slip(
        "unknown-fixture",
        "cases:",
        "  more: {use: ▲fll}\ncases:",
        "did you mean `full`?",
        "  more: {use: full}\ncases:",
    ),
    Slip(
        "unknown-fixture",
        CALL,
        CALL + "    fixture: {use: ▲fll}\n",
        "did you mean `full`?",
        CALL + "    fixture: {use: full}\n",
    ),
    Slip(
        "fixture-missing",
        "defaults: {fixture: full}\n",
        "",
        "write `fixture: NAME`, or `fixture: {}`",
        "defaults: {fixture: {}}\n",
        message="the case `one` names no fixture",
    ),
    Slip(
        "fixture-cycle",
        "cases:",
        "  a: {use: ▲a}\ncases:",
        "let one of them stand alone",
        "  a: {use: full}\ncases:",
        message="a -> a",
    ),
    Slip(
        "fixture-invalid",
        "cases:",
        "  odd:\n    voices: {soft: ▲5}\ncases:",
        "the contract's fixture schema",
        "  odd:\n    voices: {soft: x}\ncases:",
        message="voices.soft",
    ),
    Slip(
        "fixture-invalid",
        CALL,
        CALL + "    fixture: {use: full, voices: {loud: ▲null}}\n",
        "the contract's fixture schema",
    ),
    Slip(
        "fixture-invalid",
        CALL,
        "    steps: [{operation: world, patch: ▲{voicse: {}}}, "
        "{operation: manifest, expect: {present: [manifest]}}]\n",
        "the contract's fixture schema",
        "    steps: [{operation: world, patch: {voices: {loud: 5}}}, "
        "{operation: manifest, expect: {present: [manifest]}}]\n",
        message="voicse",
    ),
    Slip(
        "duplicate-id",
        CASE,
        CASE + CASE.replace("id: one", "id: ▲one"),
        "rename one",
        CASE + CASE.replace("one", "two"),
    ),
    Slip(
        "duplicate-id",
        CALL,
        STEPS.replace("id: second", "id: ▲first"),
        "rename one",
        STEPS,
        message="two steps of this case are called `first`",
    ),
    # what checks nothing
    Slip(
        "nothing-expected",
        CASE,
        CASE.replace("- id", "- ▲id").replace("    expect: {isError: false}\n", ""),
        "write what must hold under `expect`",
        CASE.replace("    expect: {isError: false}\n", "    skip: it is not known yet\n"),
    ),
    Slip(
        "nothing-expected",
        CASE,
        CASE.replace("- id", "- ▲id").replace("{isError: false}", "{isError: null}"),
        "write what must hold under `expect`",
    ),
    Slip(
        "nothing-expected",
        CALL,
        '    skip: {reason: later, until: "2026-01-01"}\n' + CALL[: CALL.index("    expect")],
        "write what must hold under `expect`",
        '    skip: {reason: later, until: "2026-01-01"}\n' + CALL,
        message="expects nothing",
    ),
    Slip(
        "nothing-expected",
        CALL,
        "    steps: [{operation: world, advance: 1}]\n",
        "write what must hold under `expect`",
        "    steps: [{operation: world, advance: 1}, {operation: manifest, expect: {present: [manifest]}}]\n",
        message="only `world` steps",
    ),
    Slip(
        "nothing-expected",
        CALL,
        "    operation: world\n    advance: 1\n",
        "write what must hold",
        message="only `world` steps",
    ),
    Slip(
        "not-askable",
        CALL,
        "    operation: manifest\n    expect: {▲isError: false}\n",
        "delete it, or ask another operation",
        "    operation: manifest\n    expect: {present: [manifest.tools]}\n",
    ),
    Slip(
        "not-askable",
        CALL,
        "    steps:\n      - {operation: world, advance: 1, expect: {▲absent: [output]}}\n",
        "delete it, or ask another operation",
    ),
    Slip(
        "contradiction",
        "expect: {isError: false}",
        "expect: ▲{isError: true, contentParity: true}",
        "write `contentParity: null` where a default says it",
        "expect: {isError: true, contentParity: null}",
    ),
    # paths
    Slip(
        "path-unreadable",
        "{isError: false}",
        '{present: [▲"output..said"]}',
        "write names with single dots",
        "{present: [output.said]}",
    ),
    Slip(
        "path-unreadable",
        "{isError: false}",
        '{equals: {"$.output[": ▲1}}',
        "write names",
        '{equals: {"$.output.said": hi}}',
    ),
    Slip(
        "path-unreadable",
        CALL,
        CALL + "    capture: {it: ▲$.output.said}\n",
        "a dotted path",
        CALL + "    capture: {it: output.said}\n",
    ),
    Slip(
        "path-root",
        "{isError: false}",
        "{equals: {outptu.said: ▲hi}}",
        "did you mean `output`?",
        "{equals: {output.said: hi}}",
        message="begins with `outptu`, which is no root",
    ),
    Slip(
        "path-root",
        CALL,
        "    operation: manifest\n    expect: {equals: {output.said: ▲hi}}\n",
        "a `manifest` step fills manifest",
        "    operation: manifest\n    expect: {equals: {manifest.kind: echo}}\n",
    ),
    Slip("path-root", CALL, CALL + "    capture: {it: ▲outptu.said}\n", "did you mean `output`?"),
    Slip(
        "path-root",
        CALL,
        STEPS.replace("{isError: false}", "{absent: [▲steps.frist.output.said]}"),
        "did you mean `first`?",
        STEPS,
        message="no earlier step is called `frist`",
    ),
    Slip(
        "path-root",
        "{fixture: full}",
        "{fixture: full, expect: {absent: [▲outputs]}}",
        "did you mean `output`?",
        "{fixture: full, expect: {absent: [output.nothing]}}",
    ),
    Slip(
        "path-root",
        "{isError: false}",
        "{equals: [{path: output, value: 1}, {path: ▲outputs, value: 1}]}",
        "did you mean `output`?",
        "{equals: [{path: output, value: 1}]}",
    ),
    Slip(
        "unknown-key",
        CASE,
        CASE.replace("hi", '"$${{ x }}"') + CASE.replace("one", "two").replace("    args", "    ▲argz"),
        "did you mean `args`?",
    ),
    Slip(
        "wrong-type",
        BASE[BASE.index('"{}!"') :],
        "{$join: [a]}}}\ncases: ▲5\n",
        "write a value of type array",
    ),
    Slip(
        "wanted-unusable",
        "{isError: false}",
        '{matches: {output.said: ▲"(["}}',
        "see `evalkit explain matches`",
        '{matches: {output.said: "^h"}}',
    ),
    Slip(
        "wanted-unusable",
        "{isError: false}",
        "{schema: {output: {propertys: ▲{}}}}",
        "see `evalkit explain schema`",
        "{schema: {output: {properties: {}}}}",
        message="did you mean properties?",
    ),
    Slip(
        "operation-missing",
        "  - id: one\n    title: It says what was said\n" + CALL,
        "  - ▲id: one\n    title: t\n",
        "write one operation",
    ),
    Slip(
        "operation-missing",
        CASE,
        CASE.replace("- id", "- ▲id") + STEPS,
        "put each into `steps`",
        message="both",
    ),
    # `${{ }}` and literals
    Slip(
        "undefined-name",
        "{text: hi}",
        '{text: ▲"${{ matrix.voice }}"}',
        "write a name that is defined, or `$${{`",
        '{text: "$${{ matrix.voice }}"}',
    ),
    Slip(
        "undefined-name",
        CALL,
        "    matrix: {voice: [loud]}\n" + CALL.replace("hi", '▲"${{ matrix.voise }}"'),
        "write a name that is defined",
        "    matrix: {voice: [loud]}\n" + CALL.replace("hi", '"${{ matrix.voice }}"'),
        message="did you mean `matrix.voice`?",
    ),
    Slip("undefined-name", "{text: hi}", '{text: ▲"${{ env.WHO }}"}', "write a name", message="--env WHO"),
    Slip(
        "undefined-name",
        CALL,
        STEPS.replace('{text: "${{ steps.first.it }}"}', '{text: ▲"${{ steps.first.at }}"}'),
        "write a name that is defined",
        STEPS,
        message="did you mean `steps.first.it`?",
    ),
    Slip(
        "undefined-name",
        CALL,
        STEPS.replace('"${{ steps.first.it }}"', '▲"${{ steps.first.it }} ${{ matrix.x }}"'),
        "write a name that is defined",
        STEPS,
    ),
    Slip(
        "undefined-name",
        "{fixture: full}",
        '{fixture: full, tags: [▲"${{ matrix.x }}"]}',
        "write a name that is defined",
    ),
    Slip(
        "undefined-name",
        "cases:",
        '  odd: {voices: {soft: ▲"${{ env.X }}"}}\ncases:',
        "write a name",
        message="--env X",
    ),
    Slip("literal-shape", "{text: hi}", '{text: {$int: ▲"1.5"}}', "write {$int:", '{text: {$int: "15"}}'),
    Slip(
        "sample-impossible",
        "{text: hi}",
        "{text: {$sample: ▲{schema: {not: {}}}}}",
        "write the arguments out",
        "{text: {$sample: {schema: {type: string}}}}",
    ),
    Slip(
        "literal-shape",
        CALL,
        STEPS.replace('"${{ steps.first.it }}"', '"${{ steps.first.it }}", num: {$int: ▲"x"}'),
        "write {$int:",
        STEPS.replace('"${{ steps.first.it }}"', '"${{ steps.first.it }}", num: {$int: "1"}'),
    ),
    Slip(
        "repeat-too-large",
        "{text: hi}",
        "{text: {$repeat: ▲{value: [1], times: 200000}}}",
        "repeat less",
        "{text: {$repeat: {value: 1, times: 200000}}}",
    ),
    Slip(
        "secret-too-short",
        "{text: hi}",
        "{text: {$secret: ▲abc}}",
        "make the fixture's secret longer",
        "{text: {$secret: abcd}}",
    ),
    # matrix
    Slip(
        "matrix-shape",
        CALL,
        "    matrix: {voice: ▲loud}\n" + CALL,
        "write voice: [first, second]",
        "    matrix: {voice: [loud]}\n" + CALL,
    ),
    Slip("matrix-shape", CALL, "    matrix: {voice: ▲[]}\n" + CALL, "write voice: [first, second]"),
    Slip("matrix-shape", CALL, '    matrix: {"a b": ▲[1]}\n' + CALL, "use letters, digits"),
    Slip(
        "matrix-shape",
        CALL,
        "    matrix: {include: ▲{a: 1}}\n" + CALL,
        "write include:",
        "    matrix: {include: [{a: 1}]}\n" + CALL,
    ),
    Slip(
        "matrix-shape",
        CALL,
        "    matrix: {a: [1], max: ▲0}\n" + CALL,
        "write max: 20000",
        "    matrix: {a: [1], max: 1}\n" + CALL,
    ),
    Slip(
        "matrix-shape",
        CALL,
        "    matrix: {include: [{a: 1, id: ▲5}]}\n" + CALL,
        "id",
        '    matrix: {include: [{a: 1, id: "5"}]}\n' + CALL,
    ),
    Slip("matrix-shape", CALL, "    matrix: {id: ▲[a]}\n" + CALL, "in `include`"),
    Slip("matrix-empty", CALL, "    matrix: ▲{}\n" + CALL, "add a row"),
    Slip("matrix-empty", CALL, "    matrix: ▲{a: [1], exclude: [{a: 1}]}\n" + CALL, "add a row"),
    Slip(
        "matrix-too-large",
        CALL,
        f"    matrix: ▲{{a: [{','.join(map(str, range(101)))}], b: [{','.join(map(str, range(100)))}]}}\n"
        + CALL,
        "`max`",
        message="10,100 rows, more than 10,000",
    ),
    Slip(
        "exclude-removes-nothing",
        CALL,
        "    matrix: {a: [1, 2], exclude: [{a: 1}, ▲{a: 3}]}\n" + CALL,
        "write the values of an existing row",
        "    matrix: {a: [1, 2], exclude: [{a: 1}]}\n" + CALL,
    ),
    # names of secrets and codes
    Slip(
        "unknown-secret",
        CALL,
        CALL.replace("hi", "{$secret: hello}") + "    mayReveal: [▲arg.text]\n",
        "did you mean `args.text`?",
        CALL.replace("hi", "{$secret: hello}") + "    mayReveal: [args.text]\n",
    ),
    Slip(
        "unknown-code",
        CALL,
        CALL + "    expectedFailure: {reason: r, findings: [▲value-difers]}\n",
        "did you mean `value-differs`?",
        CALL + "    expectedFailure: {reason: r, findings: [value-differs]}\n",
    ),
    Slip(
        "unknown-code",
        CALL,
        CALL + "    expectedFailure: {reason: r, findings: [▲secret-leaked]}\n",
        "",
        message="`secret-leaked` is no code that an expectation gives",
    ),
    Slip("no-cases", BASE[BASE.index("cases:") :], "", "write at least one under `cases`"),
    Slip(
        "file-unreadable",
        "{isError: false}",
        "{schema: {output: ▲{file: none.json}}}",
        "name a JSON or YAML file",
        message="none.json",
    ),
]


def of(slip: Slip) -> str:
    assert slip.old in BASE, slip.old
    return BASE.replace(slip.old, slip.wrong)


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.code}-{SLIPS.index(slip)}")
def test_a_slip_is_found_at_its_place_with_its_remedy(slip: Slip, tmp_path: Path) -> None:
    text = of(slip)
    first, *more = refused(suite_file(tmp_path, text))
    assert (first.code, [other.code for other in more]) == (slip.code, [])
    assert slip.message in first.message
    assert slip.remedy in first.remedy
    assert first.file == "suite.yaml"
    assert (first.line, first.column) == (marked(text) if MARK in text else place_of_the_whole(slip, text))
    assert first.excerpt == starred(text.replace(MARK, "").splitlines()[first.line - 1][:200])


def starred(line: str) -> str:
    return line.replace("abc", "***").replace("hello", "*****") if "$secret" in line else line


def place_of_the_whole(slip: Slip, text: str) -> tuple[int, int]:
    """What is missing has no place of its own: the case's where it lacks something, else the file's."""
    in_case = slip.code != "contract-missing" and BASE.index(slip.old) > BASE.index("  - id")
    return (
        marked(text.replace("- id: one", "- ▲id: one"))
        if in_case or slip.code == "fixture-missing"
        else (1, 1)
    )


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.code}-{SLIPS.index(slip)}")
def test_what_was_meant_loads(slip: Slip, tmp_path: Path) -> None:
    assert loaded(suite_file(tmp_path, BASE.replace(slip.old, slip.right or slip.old))).cases


def test_places_count_from_one(tmp_path: Path) -> None:
    (mistake,) = refused(suite_file(tmp_path, BASE.replace("text: hi", "text: {$int: five}")))
    assert (mistake.line, mistake.column) == (12, 25)
    assert mistake.excerpt == "    args: {text: {$int: five}}"


def test_a_json_suite_has_places_too(tmp_path: Path) -> None:
    text = '{"name": "n", "version": 1, "contract": "echo",\n "cases": [{"id": "a", "title": "t", "tol": 1}]}'
    (mistake,) = refused(suite_file(tmp_path, text, "suite.json"))
    assert (mistake.code, mistake.line, mistake.column) == ("unknown-key", 2, 38)


def other_ways(folder: Path) -> dict[str, Any]:
    """The codes that need more than one file."""
    (folder / "none").mkdir()
    with pytest.raises(SuiteError) as nothing_in_it:
        find([f"{folder}/none/"])
    parts = folder / "parts"
    parts.mkdir()
    suite_file(parts, BASE)
    suite_file(parts, f"gate: {{}}\ncases:\n{CASE.replace('one', 'two')}", "more.yaml")
    return {
        "folder-without-suite": nothing_in_it.value.mistakes[0],
        "part-key": refused(parts)[0],
    }


def test_a_folder_without_a_suite_and_a_part_that_says_too_much_are_told(tmp_path: Path) -> None:
    found = other_ways(tmp_path)
    none, part = found["folder-without-suite"], found["part-key"]
    assert (none.line, none.column, none.remedy) == (
        0,
        0,
        "name a suite file, or add suite.yaml to the folder",
    )
    assert (part.file, part.line, part.column) == ("more.yaml", 1, 1)
    assert part.remedy == "move it to suite.yaml"


def test_every_code_is_shown_by_a_test_here(tmp_path: Path) -> None:
    assert {slip.code for slip in SLIPS} | other_ways(tmp_path).keys() == LOAD_MISTAKES.keys()


def test_every_mistake_is_told_in_one_go_in_the_order_of_the_text(tmp_path: Path) -> None:
    text = BASE.replace("version: 1", "version: 0").replace("isError", "isErrror").replace("args", "argz")
    assert [one.code for one in refused(suite_file(tmp_path, text))] == [
        "wrong-value",
        "unknown-key",
        "unknown-expectation",
    ]


def test_a_suite_of_mistakes_ends_after_a_hundred(tmp_path: Path) -> None:
    text = BASE + "".join(
        CASE.replace("one", f"c{n}").replace("tool: echo", "tool: echo\n    x: 1") for n in range(150)
    )
    assert len(refused(suite_file(tmp_path, text))) == MOST
