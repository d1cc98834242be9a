"""What the redaction takes and leaves: rows of the case list by their id, and each rule by its absence."""

from __future__ import annotations

import base64

import pytest

from evalkit.contracts.agent_context.redaction import RULES, SECRET_RULES, redact, redactor, scrub, scrubber

# Assembled here, so that no scanner takes this file for a leak.
TWENTY = "1234567890" * 2
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SK = "sk-" + TWENTY
GHP = "ghp_" + "a1b2c3" * 6
AKIA = "AKIA" + "IOSFODNN7" + "EXAMPLE"
ASIA = "ASIA" + "IOSFODNN7" + "EXAMPLE"
AWS_SECRET = "wJalrXUtnFEMI/" + "K7MDENG/bPxRfiCY" + "EXAMPLEKEY"
SLACK = "xoxb-" + "1234567890-" + "abcdefghij"
JWT = ".".join(("eyJ" + "hbGciOiJIUzI1NiJ9", "eyJ" + "zdWIiOiIxIn0", "c2lnbmF0" + "dXJl"))
BASIC = base64.b64encode(b"user:" + b"password").decode()
NO_PAIR = base64.b64encode(b"hello you").decode()
WORD = "hunter" + "22"
BODY = "MIIEpAIBAAKCAQEA\nabc="
IP, MAIL, MAC, PHONE, KEY = (f"[REDACTED{kind}]" for kind in (" IP", " EMAIL", " MAC", " PHONE", ""))
PRIVATE_KEY = "[REDACTED PRIVATE KEY]"


def pem(kind: str, body: str = BODY, *, tail: str = "PRIVATE KEY") -> str:
    return f"-----BEGIN {kind}{tail}-----\n{body}\n-----END {kind}{tail}-----"


ROWS = [
    ("em-plain", "mail alice@example.com now", f"mail {MAIL} now"),
    ("em-plus-sub", "alice.b+tag%x@sub.example.co.uk.", f"{MAIL}."),
    ("em-upper", "ALICE@EXAMPLE.COM", MAIL),
    ("em-two-and-ip", "a@b.io c@d.io 10.0.0.1", f"{MAIL} {MAIL} {IP}"),
    ("em-unicode-local", "josé@example.com", MAIL),
    ("em-unicode-local", "jose\u0301@example.com", MAIL),
    ("em-idn", "bob@пример.рф", MAIL),
    ("em-idn", "bob@exämple.com", MAIL),
    ("em-quoted-local", '"a b"@example.com', MAIL),
    ("em-zero-width", "alice\u200b@example.com", MAIL),
    ("em-fullwidth", "ａｌｉｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍ", MAIL),
    ("em-percent", "alice%40example.com", MAIL),
    ("em-not", "root@localhost", "root@localhost"),
    ("em-not", "a@b.c", "a@b.c"),
    ("em-not", "me @ home", "me @ home"),
    ("ts-host", "ssh box.tail1234.ts.net", "ssh [REDACTED HOST]"),
    ("ip4", "at 192.0.2.10.", f"at {IP}."),
    ("ip4", "10.0.0.1:8080", f"{IP}:8080"),
    ("ip4", "10.0.0.0/8", f"{IP}/8"),
    ("ip4-not-version", "v1.2.3.4", "v1.2.3.4"),
    ("ip6-full", "2001:0db8:85a3:0000:0000:8a2e:0370:7334", IP),
    ("ip6-compressed", "2001:db8::1", IP),
    ("ip6-compressed", "fe80::1", IP),
    ("ip6-compressed", "::1", IP),
    ("ip6-compressed", "fe80::1%eth0", IP),
    ("ip6-partial", "fd7a:115c:a1e0::1", IP),
    ("ip6-partial", "2001:DB8:AC10:FE01::", IP),
    ("ip6-mapped", "::ffff:192.0.2.10", IP),
    ("ip6-not-time", "12:34:56", "12:34:56"),
    ("ip6-not-time", "1:2:3", "1:2:3"),
    ("ip6-not-time", "dead:beef:cafe", "dead:beef:cafe"),
    ("mac", "aa:bb:cc:dd:ee:ff", MAC),
    ("mac", "aa-bb-cc-dd-ee-ff", MAC),
    ("home-mac", "/Users/alice/example", "~/example"),
    ("home-linux", "/home/bob/x.txt", "~/x.txt"),
    ("home-linux", "file:///home/bob/x", "file://~/x"),
    ("home-windows", "C:\\Users\\bob\\x", "C:~\\x"),
    ("home-windows", "C:/Users/bob/x", "C:~/x"),
    ("home-wsl", "/mnt/c/Users/bob/x", "/mnt/c~/x"),
    ("home-root-var", "/root/.ssh/id", "~/.ssh/id"),
    ("home-root-var", "/var/home/bob/x", "/var~/x"),
    ("home-space", "/Users/John Smith/x", "~/x"),
    ("home-colon-list", "/home/bob:/home/eve", "~~"),
    ("home-email-mix", "/Users/alice@example.com/x", "~/x"),
    ("ph-us", "555-123-4567", PHONE),
    ("ph-us", "555.123.4567", PHONE),
    ("ph-us", "(555) 123-4567", PHONE),
    ("ph-e164", "+14155552671", PHONE),
    ("ph-e164", "+44 20 7946 0958", PHONE),
    ("ph-ext", "555-123-4567 x89", f"{PHONE} x89"),
    ("ph-unicode-hyphen", "555\u2011123\u20114567", PHONE),
    ("ph-unicode-hyphen", "555\u2013123\u20134567", PHONE),
    ("ph-unicode-hyphen", "٠١٢٣٤٥٦٧٨٩", PHONE),
    ("ph-slash", "555/123/4567", PHONE),
    ("ph-not-date", "2026-11-30", "2026-11-30"),
    ("ph-not-date", "1764514249000", "1764514249000"),
    ("ph-not-date", "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
    ("coord-kv", "lat: 37.7749, lon: -122.4194", f"latitude={KEY}, longitude={KEY}"),
    ("coord-long", "lat=37.77492950 lng: -122.41941550", f"latitude={KEY} longitude={KEY}"),
    ("coord-json", '{"lat": 37.7749, "lng": -122.4194}', f'{{"lat": {KEY}, "lng": {KEY}}}'),
    ("coord-pair", "37.7749,-122.4194", f"latitude={KEY},longitude={KEY}"),
    ("coord-pair", "geo:37.786971,-122.399677", f"geo:latitude={KEY},longitude={KEY}"),
    ("coord-not", "flat: 5", "flat: 5"),
    ("coord-not", "platform=3", "platform=3"),
    ("sk", SK, KEY),
    ("sk", "sk-ant-" + "api03-" + LETTERS, KEY),
    ("sk", "sk-proj-" + LETTERS, KEY),
    ("sk-short", SK[:-1], KEY),
    ("gh", GHP, KEY),
    ("gh", "gho_" + LETTERS[:20], KEY),
    ("gh", "github_pat_" + "11ABCDEFG0_" + LETTERS, KEY),
    ("gh-19", "ghs_" + LETTERS[:19], "ghs_" + LETTERS[:19]),
    ("aws-akia", AKIA, KEY),
    ("aws-asia-secret", ASIA, KEY),
    ("aws-asia-secret", f"aws_secret_access_key={AWS_SECRET}", f"aws_secret_access_key={KEY}"),
    ("aws-asia-secret", AWS_SECRET, KEY),
    ("vendors", "AIza" + "SyA" + "1234567890" + LETTERS[:22], KEY),
    ("vendors", "glpat-" + LETTERS[:20], KEY),
    ("vendors", "npm_" + LETTERS + "0123456789", KEY),
    ("vendors", "hf_" + LETTERS + "abcd", KEY),
    ("vendors", "sk_live_" + LETTERS[:24], KEY),
    ("vendors", "xapp-" + "1-A111-222-abc", KEY),
    (
        "vendors",
        "https://hooks.slack.com/services/" + "T000/B000/XXXX",
        f"https://hooks.slack.com/services/{KEY}",
    ),
    ("slack", SLACK, KEY),
    ("bearer", f"Authorization: Bearer {LETTERS}", f"Authorization: Bearer {KEY}"),
    ("bearer-lower", f"bearer {LETTERS}", f"bearer {KEY}"),
    ("basic", f"Basic {BASIC}", f"Basic {KEY}"),
    ("jwt-bare", JWT, KEY),
    ("pem-multiline", pem("RSA "), PRIVATE_KEY),
    ("pem-multiline", pem("EC "), PRIVATE_KEY),
    ("pem-multiline", pem("OPENSSH "), PRIVATE_KEY),
    ("pem-multiline", pem(""), PRIVATE_KEY),
    ("pem-encrypted", pem("ENCRYPTED "), PRIVATE_KEY),
    ("pem-pgp-block", pem("PGP ", tail="PRIVATE KEY BLOCK"), PRIVATE_KEY),
    ("pem-unterminated", pem("RSA ").partition("\n-----END")[0], PRIVATE_KEY),
    ("pem-long", pem("RSA ", "MIIEpAIB" * 375), PRIVATE_KEY),
    ("kv-quoted", f'"password": "{WORD}"', f'"password": "{KEY}"'),
    ("kv-quoted", "api_key='" + "abcdef" + "123'", f"api_key='{KEY}'"),
    ("kv-quoted", 'client_secret="' + 'abcdef"', f'client_secret="{KEY}"'),
    ("kv-5-6", "token='" + "12345'", "token='" + "12345'"),
    ("kv-5-6", "token='" + "123456'", f"token='{KEY}'"),
    ("kv-apostrophe", "password: \"it's" + ' fine"', f'password: "{KEY}"'),
    ("kv-escaped", '{\\"password\\":\\"' + WORD + '\\"}', '{\\"password\\":\\"' + KEY + '\\"}'),
    ("kv-prose", "my secret: I never learned to swim", "my secret: I never learned to swim"),
    ("dsn", "postgres://user:pa55" + "word@db.example.com/x", f"postgres://user:{MAIL}/x"),
    ("url-token", "https://x.io/?access_token=" + "abcdef123456", f"https://x.io/?access_token={KEY}"),
    ("ws-name-redacted", "alice@example.com box", f"{MAIL} box"),
    ("search-raw-secret-probe", f"key {SK}", f"key {KEY}"),
]

BEYOND = [
    ("a second address right behind the first", "a@b.com@c.com", MAIL),
    ("an address behind a redacted one", f"{MAIL}@c.com", MAIL),
    ("an @ as an entity", "alice&#64;example.com", MAIL),
    ("an @ without a name before it", '{"k": "@example.com"}', '{"k": "@example.com"}'),
    ("an address among ideographs", "写信给bob@example.com谢谢", f"{MAIL}谢谢"),
    ("a host named as the suffix", ".ts.net.ts.net", ".[REDACTED HOST]"),
    ("a host under a host", "a.ts.net.ts.net", "[REDACTED HOST]"),
    ("an address with its zone and port", "[fe80::1%eth0]:80", f"[{IP}]:80"),
    ("an address behind a name and a colon", "inet6:fe80::1", f"inet6:{IP}"),
    ("a mapped address that is long", "0:0:0:0:0:ffff:192.0.2.10", IP),
    ("a time with its fraction", "at 12:34:56.123456789", "at 12:34:56.123456789"),
    ("names in code", "std::cout << abc::def", "std::cout << abc::def"),
    ("a MAC address with dots", "00aa.11bb.22cc", MAC),
    ("a fingerprint of sixteen pairs", ":".join(["a1"] * 16), IP),
    ("a version of four parts", "version 1.2.3.4", f"version {IP}"),
    ("a Windows home of two words", "c:\\users\\bob smith\\x", "c:~\\x"),
    ("a home of two words at the end", "/Users/John Smith", "~"),
    ("a home, then prose", "in /home/bob Then we", "in ~ Then we"),
    ("a home below a home", "/home/home/bob/x", "/home~/x"),
    ("a home in escaped slashes", "%2Fhome%2Fbob%2Fx", "~%2Fx"),
    ("a folder called root elsewhere", "/srv/root/x and /rootfs", "/srv/root/x and /rootfs"),
    ("the plus and bracket of a number", "call +1 (555) 123-4567, ok", f"call {PHONE}, ok"),
    ("a bracket round a number", "(555-123-4567)", f"({PHONE})"),
    ("a date, then a number", "2026-11-30 555-123-4567", f"2026-11-30 {PHONE}"),
    ("dates in a row", "2026-11-30 2026-12-01", "2026-11-30 2026-12-01"),
    ("dates in a range", "2026-11-30-2026-12-01", "2026-11-30-2026-12-01"),
    ("two stamps", "1764514249000 1764514250000", "1764514249000 1764514250000"),
    ("a social security number", "123-45-6789", PHONE),
    ("a card number", "4111 1111 1111 1111", PHONE),
    ("a short number", "555-1234", PHONE),
    ("nine digits", "123456789", PHONE),
    ("few digits", "1 2 3 4 5 6", "1 2 3 4 5 6"),
    ("a plus before a latitude", "lat: +37.7", f"latitude={KEY}"),
    ("a decimal comma", "lat:37,77", f"latitude={KEY}"),
    ("a word called long", "how long: 30 min", "how long: 30 min"),
    ("a pair in the order of GeoJSON", "[-122.4194, 37.7749]", f"[longitude={KEY}, latitude={KEY}]"),
    ("a pair of prices", "12.50, 13.75", "12.50, 13.75"),
    ("degrees and minutes", "37°46'29\"N 122°25'09\"W", f"latitude={KEY} longitude={KEY}"),
    ("a temperature", "20°C", "20°C"),
    ("a task with a date", "task-2026-11-30", "task-2026-11-30"),
    ("a word that ends in sk", "risk-adjusted-return-on-capital", "risk-adjusted-return-on-capital"),
    ("a password without quotes", f"password: {WORD}, then", f"password: {KEY}, then"),
    ("a name as the value of a name", f"password: token: {WORD}", f"password: token: {KEY}"),
    ("a value that ends in equals signs", "api_key: " + "abcdef123456==", f"api_key: {KEY}"),
    ("a value in square brackets", f'config["password"] = "{WORD}"', f'config["password"] = "{KEY}"'),
    ("a value that nobody closed", f'password: "{WORD} and more', f'password: "{KEY} and more'),
    ("code in Markdown", "set `API_KEY=` and `OTHER`", "set `API_KEY=` and `OTHER`"),
    (
        "a connection string without a domain",
        "redis://:s3cret" + "pw@cache:6379/0",
        f"redis://:{KEY}@cache:6379/0",
    ),
    ("a port is no password", "https://host:80/a@b", "https://host:80/a@b"),
    ("prose behind Basic", "Basic understanding of it", "Basic understanding of it"),
    ("base64 of no pair behind Basic", "Basic " + NO_PAIR, "Basic " + NO_PAIR),
    ("a hash", "0123456789abcdef" * 2 + "01234567", "0123456789abcdef" * 2 + "01234567"),
    (
        "a path of forty characters",
        "Projects/2026/Reports/Quarterly/Summary1",
        "Projects/2026/Reports/Quarterly/Summary1",
    ),
    ("an escaped quote in a value", '"password": "' + 'ab\\"cdefgh"', f'"password": "{KEY}"'),
    ("a signed pair", "37.77,-122.41", f"latitude={KEY},longitude={KEY}"),
    ("a bearer with slashes", "Bearer " + "abcdefghij/klmnop+qrstuvwxyz=", f"Bearer {KEY}"),
    ("a word glued by its fold", "\ufb01555-123-4567", f"\ufb01{PHONE}"),
    ("letters that only look alike", "LATITUDE: 5 \u212aey", f"latitude={KEY} \u212aey"),
    ("a mark before an address", "\u202ealice@example.com", f"\u202e{MAIL}"),
    ("whitespace of every kind", "  a \t\n b\u00a0c\u2003d\ufeffe  ", "a b c d e"),
]

NEEDS = {
    "private-key": pem("RSA "),
    "quoted-value": f'"password": "{WORD}"',
    "signed-token": JWT,
    "openai-key": "sk-proj-" + LETTERS,
    "short-openai-key": SK[:-1],
    "github-token": GHP,
    "aws-key-id": AKIA,
    "slack-token": SLACK,
    "vendor-key": "npm_" + LETTERS + "0123456789",
    "webhook": "https://hooks.slack.com/services/" + "T000/B000/XXXX",
    "bearer": f"Bearer {LETTERS}",
    "basic": f"Basic {BASIC}",
    "connection-password": "redis://:s3cret" + "pw@cache:6379/0",
    "query-value": "?access_token=" + "abcdefgh",
    "bare-value": f"password: {WORD}",
    "aws-secret": AWS_SECRET,
    "email": "alice@example.com",
    "tailscale-host": "box.tail1234.ts.net",
    "mac": "aa-bb-cc-dd-ee-ff",
    "ipv6": "2001:db8::1",
    "ipv4": "10.0.0.1",
    "home": "/home/bob/x",
    "root-home": "/root/x",
    "degrees": "37°46'29\"N",
    "quoted-coordinate": '{"lat": 37.7749}',
    "latitude": "lat: 37.7749",
    "longitude": "lon: -122.4194",
    "coordinate-pair": "37.7749,-122.4194",
    "phone": "555-123-4567",
}


@pytest.mark.parametrize(("row", "text", "summary"), ROWS, ids=[row for row, _, _ in ROWS])
def test_a_row_of_the_case_list_is_kept(row: str, text: str, summary: str) -> None:
    assert redact(text) == summary, row


@pytest.mark.parametrize(("promise", "text", "summary"), BEYOND, ids=[promise for promise, _, _ in BEYOND])
def test_what_the_case_list_does_not_say_is_kept_too(promise: str, text: str, summary: str) -> None:
    assert redact(text) == summary, promise


@pytest.mark.parametrize(("row", "text", "summary"), ROWS + BEYOND, ids=[row for row, _, _ in ROWS + BEYOND])
def test_idempotent_redaction(row: str, text: str, summary: str) -> None:
    assert redact(summary) == summary, row
    assert scrub(scrub(text)) == scrub(text), row


@pytest.mark.parametrize("name", [rule.name for rule in RULES])
def test_without_a_rule_what_only_it_takes_comes_back(name: str) -> None:
    twin = redactor(tuple(rule for rule in RULES if rule.name != name))
    assert redact(NEEDS[name]) != NEEDS[name]
    assert twin(NEEDS[name]) != redact(NEEDS[name])


@pytest.mark.parametrize("name", [rule.name for rule in SECRET_RULES])
def test_without_a_secret_rule_scrub_lets_its_secret_pass(name: str) -> None:
    twin = scrubber(tuple(rule for rule in SECRET_RULES if rule.name != name))
    assert scrub(NEEDS[name]) != NEEDS[name]
    assert twin(NEEDS[name]) != scrub(NEEDS[name])


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert {rule.name for rule in RULES} == set(NEEDS)


def test_without_rules_text_is_folded_and_cut_only() -> None:
    assert redactor(())(f" a  {SK}@example.com ", 8) == "a sk-123"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (..., ""), (42, "42"), (False, "false"), ({}, "[object Object]"), ([1, None, 2.0], "1,,2")],
)
def test_a_value_that_is_no_text_is_redacted_as_its_text(value: object, text: str) -> None:
    assert redact(value) == text


def test_a_number_is_redacted_as_its_text() -> None:
    assert redact(5551234567) == PHONE


@pytest.mark.parametrize("value", [None, 42, True, {}, ["a"], ""])
def test_scrub_gives_back_what_is_no_text(value: object) -> None:
    assert scrub(value) == value


def test_scrub_takes_secrets_only_and_leaves_the_shape_of_the_text() -> None:
    text = f"  alice@example.com\n\t{SK}  at 10.0.0.1\n{pem('EC ')}\n" + "x" * 400
    assert scrub(text) == f"  alice@example.com\n\t{KEY}  at 10.0.0.1\n{PRIVATE_KEY}\n" + "x" * 400


def test_scrub_ends_a_quoted_value_at_its_line() -> None:
    assert scrub(f'password: "{WORD}\nnext "line"') == f'password: "{KEY}\nnext "line"'


def test_emoji_cut() -> None:
    assert redact("x" * 319 + "\U0001f600") == "x" * 319
    assert redact("x" * 318 + "\U0001f600") == "x" * 318 + "\U0001f600"
    assert redact("x" * 159 + "\U0001f600", 160) == "x" * 159


def test_marker_cut() -> None:
    assert redact("x" * 310 + " alice@example.com") == "x" * 310
    assert redact("x" * 303 + " alice@example.com") == "x" * 303 + f" {MAIL}"
    assert redact("x" * 304 + " alice@example.com") == "x" * 304


def test_straddle_secret() -> None:
    assert redact("x " * 150 + SK) == "x " * 150 + KEY
    assert redact("x " * 159 + SK) == ("x " * 159).rstrip()


def test_a_cut_does_not_uncover_what_the_whole_text_hid() -> None:
    # Seventeen characters behind AKIA are no key id, but sixteen are.
    assert redact("x" * 299 + f" {AKIA}X") == "x" * 299 + f" {KEY}"


def test_a_cut_leaves_no_space_at_the_end() -> None:
    assert redact("x" * 319 + " y") == "x" * 319


def test_a_limit_smaller_than_a_marker_leaves_nothing_of_it() -> None:
    assert redact("alice@example.com", 10) == ""
    assert redact("alice@example.com", 0) == ""
    assert redact("alice@example.com", -1) == ""
