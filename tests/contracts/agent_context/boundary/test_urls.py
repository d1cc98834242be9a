"""Tests for `urls`: hosts as the WHATWG URL standard finds them."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.boundary.urls import host_of


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://localhost", "localhost"),
        ("HTTP://LocalHost:5555/a?b#c", "localhost"),
        ("  http://a.example \n", "a.example"),
        ("ht\ntp://a.exa\tmple", "a.example"),
        ("http:a.example", "a.example"),
        ("http:\\\\a.example\\b", "a.example"),
        ("http:////a.example", "a.example"),
        ("http://user:pass@a.example:80", "a.example"),
        ("http://user@localhost@evil.com", "evil.com"),
        ("http://localhost\\@evil.com", "localhost"),
        ("http://localhost#@evil.com", "localhost"),
        ("http://a.example:", "a.example"),
        ("http://a.example:065535", "a.example"),
        ("http://loc%61lhost", "localhost"),
        ("http://пример.рф", "пример.рф"),
        ("http://localhost.", "localhost."),
        ("ws://a", "a"),
        ("app://LocalHost:1", "LocalHost"),
        ("app://127.1", "127.1"),
        ("chrome-extension://localhost", "localhost"),
        ("file://localhost/x", ""),
        ("file://a.example/x", "a.example"),
        ("file:///x", ""),
        ("file://", ""),
        ("file:x", ""),
        ("file://C:/x", ""),
        ("mailto:a@b.example", ""),
        ("data:text/plain,x", ""),
        ("app:///x", ""),
    ],
)
def test_the_host_of_a_url(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://2130706433", "127.0.0.1"),
        ("http://0x7f.1", "127.0.0.1"),
        ("http://0x7F000001", "127.0.0.1"),
        ("http://0177.0.0.01", "127.0.0.1"),
        ("http://127.1", "127.0.0.1"),
        ("http://127.0.257", "127.0.1.1"),
        ("http://127.0.0.1.", "127.0.0.1"),
        ("http://0", "0.0.0.0"),
        ("http://0x", "0.0.0.0"),
        ("http://4294967295", "255.255.255.255"),
        ("http://1.2.3.4a", "1.2.3.4a"),
    ],
)
def test_an_ipv4_address_has_one_spelling(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://[::1]:9", "[::1]"),
        ("http://[0:0:0:0:0:0:0:1]", "[::1]"),
        ("http://[0000::0001]", "[::1]"),
        ("http://[::0.0.0.1]", "[::1]"),
        ("app://[::1]", "[::1]"),
        ("file://[::1]/x", "[::1]"),
        ("http://[::]", "[0:0:0:0:0:0:0:0]"),
        ("http://[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]"),
        ("http://[2001:DB8::A]", "[2001:db8:0:0:0:0:0:a]"),
        ("http://[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"),
    ],
)
def test_an_ipv6_address_has_one_spelling(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    "url",
    [
        *("", "null", "notaurl", "//localhost", "localhost:x y".replace(":", ""), "1http://a", "*"),
        *("http://", "http://:80", "http://user@", "http:///", "app://user@", "app://:80"),
        *("http://a:65536", "http://a:x", "http://a:-1", "http://a:1:2", "http://[::1]x", "http://[::1"),
        *("http://a b", "http://a<b", "http://a^b", "http://a%", "http://a%2", "http://a%00b", "http://%ff"),
        *("http://localhost, http://localhost", "app://a b", "app://a|b"),
        *("http://256.1.1.1", "http://1.2.3.4.5", "http://1.2.3.256", "http://4294967296", "http://1..2"),
        *("http://127.0.0.08", "http://0x7g.1.1.1.0", "http://" + "1" * 5000),
        *("http://[]", "http://[:::]", "http://[1]", "http://[1:2:3:4:5:6:7:8:9]", "http://[::1::2]"),
        *("http://[1:2:3:4:5:6:7:8::]", "http://[12345::]", "http://[g::]", "http://[::1%25lo]"),
        *("http://[1.2.3.4]", "http://[::1.2.3]", "http://[::1.2.3.256]", "http://[::01.2.3.4]"),
        *("http://[1.2.3.4::]", "http://[1:2:3:4:5:6:7:1.2.3.4]", "file://[::1", "file://a:80"),
    ],
)
def test_what_is_no_url_has_no_host(url: str) -> None:
    assert host_of(url) is None
