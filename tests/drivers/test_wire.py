"""Which addresses go over our own wire."""

from __future__ import annotations

import pytest

from evalkit.drivers._wire import is_plain


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://127.0.0.1:5555", True),
        ("http://[::1]:5555/under", True),
        ("http://server.example", True),
        ("https://127.0.0.1", False),
        ("http://127.0.0.1:99999", False),
        ("http://127.0.0.1/a/../b", False),
        ("http://127.0.0.1/a b", False),
    ],
)
def test_only_an_address_that_reads_in_one_way_goes_over_our_own_wire(url: str, plain: bool) -> None:
    assert is_plain(url) is plain
