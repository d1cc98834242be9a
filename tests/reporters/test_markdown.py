"""The report as a job summary."""

from __future__ import annotations

import html
import re

from evalkit.reporters.markdown import render
from tests.reporters.reports import case, finding, gate, mistake, report, several, usage_error

LIMIT = 900_000


def test_a_run_that_passed_says_so_with_its_counts() -> None:
    assert render(report([case(), case(severity="low")])) == (
        "## evalkit: passed\n"
        "\n"
        "agent-context 1 \\(memory\\)\n"
        "\n"
        "**exit 0 passed: the run is complete, and every gate line holds**\n"
        "\n"
        "| |pass|fail|error|skip|\n"
        "|---|--:|--:|--:|--:|\n"
        "|critical|1|0|0|0|\n"
        "|low|1|0|0|0|\n"
        "|all|2|0|0|0|\n"
    )


def test_each_failing_case_unfolds_to_its_blocks() -> None:
    text = render(report([case(id="fine"), case("fail", id="bad"), case("error", id="late", severity="low")]))
    titles = re.findall(r"<details><summary>(.*)</summary>", text)
    assert titles == [
        "fail critical <code>agent-context::bad</code> A summary shows no path of the user's",
        "error low <code>agent-context::late</code> A summary shows no path of the user's",
    ]
    assert '52 |       excludes: ["/Users/alice"]\n' in text
    assert "error[timeout]: no answer within 10 s\n" in text


def test_no_text_leaves_its_place() -> None:
    nasty = "a|b `c` <img src=x>\n</pre></details> *d* @all ~e~ $f$"
    document = report(
        [case("fail", id=nasty, title=nasty, findings=[finding(message=nasty)]), case("skip", reason=nasty)],
        target=nasty,
    )
    text = render(document)
    assert (
        text.count("<details>")
        == text.count("</details>")
        == text.count("<pre>")
        == text.count("</pre>")
        == 1
    )
    assert "<img" not in text
    shown = r"a\|b \`c\` &lt;img src=x&gt;\\u000a&lt;/pre&gt;&lt;/details&gt; \*d\* @all \~e\~ \$f\$"
    assert f"agent-context 1 \\({shown}\\)\n" in text
    assert f"- 1 × declared: {shown}\n" in text
    assert (
        f"error[text-found]: {html.escape(nasty.replace(chr(10), chr(92) + 'u000a'), quote=False)}\n" in text
    )


def test_what_is_missing_or_broken_stands_at_the_top() -> None:
    document = report(
        [case()],
        complete=False,
        stopReason="worker-lost",
        exit={"code": 4, "name": "incomplete"},
        plan={"cases": 5, "selected": 4, "digest": "sha256:" + "0" * 64},
        gate=[gate("failures", 0), gate("skips", 2, 1)],
    )
    text = render(document)
    assert text.startswith("## evalkit: not passed\n")
    assert (
        "- incomplete: 3 of 4 selected cases not run: workers were lost\n- broken: skips: 2, limit 1\n"
        in text
    )


def test_a_summary_that_would_be_too_large_counts_the_rest() -> None:
    large = [case("fail", id=f"c{number}", findings=[finding(message="é" * 40_000)]) for number in range(30)]
    text = render(report(large))
    shown = text.count("<details>")
    assert len(text.encode()) <= LIMIT + 100
    assert shown == 11, "each message takes 80,000 bytes of the 900,000"
    assert text.endswith("\n… and 19 more, which the JSON report has.\n")


def test_long_lists_are_counted_too() -> None:
    text = render(report([case("skip", id=str(number), reason=f"reason {number}") for number in range(25)]))
    assert text.count("× declared") == 20
    assert text.endswith("- … and 5 more\n")
    many = render(several([case(suite=f"s{number}") for number in range(25)]))
    assert "s19 1 \\(memory\\), …\n" in many


def test_mistakes_of_a_suite_unfold_too() -> None:
    text = render(usage_error(mistake()))
    assert text.startswith("## evalkit: not passed\n\nthe suites do not load\n\n**exit 2 usage: ")
    assert "   = help: did you mean `expect`?\n" in text.replace("  = help", "   = help")
