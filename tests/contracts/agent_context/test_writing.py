"""Tests for `writing`: the text of a result is what JavaScript would write."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.contracts.agent_context.javascript import stringify
from evalkit.contracts.agent_context.writing import write
from evalkit.model import Json

_SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
_RESULTS = st.dictionaries(st.text(), st.recursive(_SCALARS, st.lists, max_leaves=5))


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"b": [1, None, True], "a": {}}, '{"b":[1,null,true],"a":{}}'),
        ({"t": 'é😀/\u2028\x7f"\\\n\x01'}, '{"t":"é😀/\u2028\x7f\\"\\\\\\n\\u0001"}'),
        ({"t": "half \ud83d"}, '{"t":"half \\ud83d"}'),
    ],
)
def test_a_result_is_written_without_spaces_and_with_every_character(output: Json, text: str) -> None:
    assert write(output) == text


@settings(derandomize=True, deadline=None)
@given(_RESULTS)
def test_both_writers_agree(output: Json) -> None:
    assert write(output) == stringify(output)
