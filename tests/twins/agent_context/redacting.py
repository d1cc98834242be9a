"""Twins that redact too little, too much, or cut at the wrong place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evalkit.contracts.agent_context import redaction
from evalkit.contracts.agent_context.javascript import cut
from evalkit.contracts.agent_context.redaction import RedactionRule, redact, redactor
from evalkit.contracts.agent_context.shadow import PLAIN, Claim, found
from evalkit.contracts.agent_context.vocabulary import MAX_SUMMARY_CHARS, MAX_TITLE_CHARS, Json, Redact
from tests.twins.agent_context.showing import unredacted
from tests.twins.twin import altered, twin

_PROMISED_BY: Mapping[str, tuple[str, ...]] = {
    "private-key": ("pem-multiline", "pem-encrypted", "pem-pgp-block", "pem-unterminated", "pem-long"),
    "quoted-value": ("kv-quoted", "kv-5-6[six]", "kv-apostrophe", "kv-escaped"),
    "signed-token": ("jwt-bare",),
    "openai-key": ("sk[ant]", "sk[proj]", "straddle-secret"),
    "short-openai-key": ("sk-short",),
    "github-token": ("gh",),
    "aws-key-id": ("aws-akia", "aws-asia-secret[temporary]"),
    "slack-token": ("slack", "vendors[slack-app]"),
    "vendor-key": tuple(f"vendors[{one}]" for one in ("google", "gitlab", "npm", "hugging-face", "stripe")),
    "webhook": ("vendors-webhook",),
    "bearer": ("bearer", "bearer-lower"),
    "basic": ("basic",),
    "connection-password": ("dsn[local-host]",),
    "query-value": ("url-token[signature]",),
    "bare-value": ("kv-bare",),
    "aws-secret": ("aws-asia-secret[alone]",),
    "email": ("em-plain", "em-plus-sub", "em-upper", "em-two-and-ip", "red-title", "ws-name-redacted"),
    "tailscale-host": ("ts-host",),
    "mac": ("mac[dashes]",),
    "ipv6": ("ip6-full", "ip6-compressed", "ip6-partial", "ip6-mapped"),
    "ipv4": ("ip4", "em-two-and-ip", "nav-section-private"),
    "home": (
        "home-mac",
        "home-linux",
        "home-windows",
        "home-wsl",
        "home-root-var[var]",
        "home-space",
        "home-colon-list",
    ),
    "root-home": ("home-root-var[root]",),
    "degrees": ("coord-degrees",),
    "quoted-coordinate": ("coord-json",),
    "latitude": ("coord-kv",),
    "longitude": ("coord-kv",),
    "coordinate-pair": ("coord-pair",),
    "phone": ("ph-us", "ph-e164", "ph-ext", "ph-unicode-hyphen", "ph-slash", "ph-cards"),
}

MISSING_RULE = "redaction rule missing: "
"""How the name of a twin begins that lacks one redaction rule."""


def _lacking(*names: str) -> Redact:
    return redactor([rule for rule in redaction.RULES if rule.name not in names])


def _but(name: str, instead: Sequence[RedactionRule]) -> Redact:
    """All redaction rules but one, in whose place others stand."""
    rules: list[RedactionRule] = []
    for rule in redaction.RULES:
        rules += instead if rule.name == name else [rule]
    return redactor(rules)


def _finds(pattern: str, marker: str, group: int | str = 0) -> RedactionRule:
    compiled = re.compile(pattern, re.ASCII)

    def find(text: str) -> list[Claim]:
        return found(compiled, text, marker, group)

    return RedactionRule("of a twin", find)


def _more(pattern: str, marker: str = "[REDACTED]", group: int | str = 0) -> Redact:
    """All redaction rules, and one too many before them."""
    return redactor((_finds(pattern, marker, group), *redaction.RULES))


def _home_after_all(value: Json, limit: int) -> str:
    """The home rule sees what the others wrote, as in PortOS."""
    return re.sub(r"/(?:Users|home)/[^/\s]+", "~", _lacking("home")(value, limit))


def _marked_again(value: Json, limit: int) -> str:
    text = redact(value, limit)
    return f"{text}!" if "[REDACTED" in text or "~" in text else text


def _capped(limit: int, instead: int) -> Redact:
    """Redaction with another cap where there should be this one."""
    return lambda value, asked: redact(value, instead if asked == limit else asked)


def _whole(value: Json, limit: int) -> str:
    return redact(value, limit) if redact(value, 10**6) == unredacted(value, 10**6) else "[REDACTED]"


def _split(text: str, limit: int) -> str:
    return text.encode("utf-16-le", "surrogatepass")[: 2 * limit].decode("utf-16-le", "surrogatepass")


RULE_TWINS = (
    *(
        twin(MISSING_RULE + rule.name, *_PROMISED_BY[rule.name], redact=_lacking(rule.name))
        for rule in redaction.RULES
    ),
    # What one rule misses, another one finds: here both are missing.
    twin("no rule for hardware addresses", "mac", redact=_lacking("mac", "ipv6")),
    twin("no rule for keys of digits", "sk[plain]", redact=_lacking("openai-key", "short-openai-key")),
    twin(
        "no rule for secret cloud keys", "aws-asia-secret[named]", redact=_lacking("bare-value", "aws-secret")
    ),
    twin("no rule for connection strings", "dsn", redact=_lacking("connection-password", "email")),
    twin("no rule for parameters", "url-token", redact=_lacking("query-value", "bare-value")),
)

# What PortOS has in the place of a rule, and the cases that ask for more or for less (spec A.10).
_PORTOS: Mapping[str, tuple[RedactionRule, tuple[str, ...]]] = {
    "aws-key-id": (_finds(r"\bAKIA[0-9A-Z]{16}\b", "[REDACTED]"), ("aws-asia-secret[temporary]",)),
    "slack-token": (_finds(r"\bxox[baprs]-[A-Za-z0-9-]{10,}\b", "[REDACTED]"), ("vendors[slack-app]",)),
    "bearer": (_finds(r"\bBearer\s+([A-Za-z0-9._-]{20,})\b", "[REDACTED]", 1), ("bearer-lower",)),
    "private-key": (
        _finds(
            r"(?s)-----BEGIN (?:RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY-----.*?"
            r"-----END (?:RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY-----",
            "[REDACTED PRIVATE KEY]",
        ),
        ("pem-encrypted", "pem-pgp-block", "pem-unterminated"),
    ),
    "quoted-value": (
        _finds(
            r"(?i)(?:password|passwd|secret|api[_-]?key|token)[\"']?\s*[:=]\s*([\"'])(?P<value>[^\"'\n]{6,})\1",
            "[REDACTED]",
            "value",
        ),
        ("kv-apostrophe", "kv-escaped"),
    ),
    "email": (
        _finds(r"(?i)\b[A-Z0-9._%+-]+@[A-Z0-9.-]+\.[A-Z]{2,}\b", "[REDACTED EMAIL]"),
        ("em-unicode-local", "em-idn", "em-quoted-local", "em-percent"),
    ),
    "ipv6": (
        _finds(r"(?i)\b(?:[A-F0-9]{1,4}:){2,7}[A-F0-9]{0,4}\b", "[REDACTED IP]"),
        ("ip6-compressed", "ip6-partial", "ip6-not-time"),
    ),
    "home": (_finds(r"/(?:Users|home)/[^/\s]+", "~"), ("home-windows[backslashes]", "home-space")),
    "phone": (_finds(r"\+?\b\d[\d ().-]{8,}\d\b", "[REDACTED PHONE]"), ("ph-slash", "ph-not-date")),
}

PORTOS_TWINS = tuple(
    twin(f"the redaction rule {name} as PortOS has it", *cases, redact=_but(name, [rule]))
    for name, (rule, cases) in _PORTOS.items()
)

TOO_MUCH_TWINS = (
    twin(
        "a whole text goes for one secret", "em-plain", "ip4", "ts-host", "bearer", "kv-quoted", redact=_whole
    ),
    twin("any @ makes a mail address", "em-not", redact=_more(r"[\w.]+ ?@ ?[\w.]+", "[REDACTED EMAIL]")),
    twin(
        "the digits of a version make an address",
        "ip4-not-version",
        redact=_more(r"\d+\.\d+\.\d+\.\d+", "[REDACTED IP]"),
    ),
    twin(
        "any word with lat in it makes a coordinate",
        "coord-not",
        redact=_more(r"lat\w*\s*[:=]\s*\d+", "latitude=[REDACTED]"),
    ),
    twin("19 characters make a token", "gh-19", redact=_more(r"gh[pousr]_\w{19,}")),
    twin(
        "four decimals make a coordinate",
        "coord-long",
        redact=_more(r"lat=\d+\.\d{4}", "latitude=[REDACTED]"),
    ),
    twin("five characters make a secret value", "kv-5-6[five]", redact=_more(r"token='([^']{5,})'", group=1)),
    twin("a sentence makes a secret value", "kv-prose", redact=_more(r"secret: (\w+)", group=1)),
    twin(
        "the port goes with the address", "ip4[port]", redact=_more(r"(?:\d+\.){3}\d+:\d+", "[REDACTED IP]")
    ),
)

CUT_TWINS = (
    twin(
        "no redaction",
        "em-plain",
        "ip4",
        "ts-host",
        "sk",
        "gh",
        "home-mac",
        "pem-multiline",
        "ph-cards",
        redact=unredacted,
    ),
    twin(
        "one marker for all",
        "em-plain",
        "ip4",
        "ts-host",
        "ph-unicode-hyphen",
        redact=lambda value, limit: re.sub(r"\[REDACTED [A-Z ]+\]", "[REDACTED]", redact(value, limit)),
    ),
    twin(
        "redaction sees no further than ASCII",
        "em-zero-width",
        "em-fullwidth",
        "ph-unicode-hyphen",
        redact=altered(redactor, _once=lambda rules, text: redaction._pass(rules, text, PLAIN))(),
    ),
    twin("a marker redacted like any text", "home-email-mix", redact=_home_after_all),
    twin("a marker marked again", "idempotent-redaction", redact=_marked_again),
    twin(
        "redaction in the opposite order",
        "ip6-mapped",
        "sk[plain]",
        "coord-pair[geo]",
        redact=redactor(redaction.RULES[::-1]),
    ),
    twin(
        "redacted after the cut",
        "straddle-secret",
        "pem-long",
        redact=lambda value, limit: redact(unredacted(value, limit), limit),
    ),
    twin("a marker cut", "marker-cut", redact=altered(redactor, _shortened=cut)()),
    twin(
        "a character cut",
        "emoji-cut",
        redact=altered(redactor, _shortened=altered(redaction._shortened, cut=_split))(),
    ),
    twin(
        "whitespace not folded",
        "red-whitespace",
        redact=altered(redactor, fold_whitespace=lambda text: text)(),
    ),
    twin(
        "whitespace folded as Python does",
        "red-whitespace",
        redact=altered(redactor, fold_whitespace=lambda text: " ".join(text.split()))(),
    ),
    twin("title uncapped", "title-160", "title-160-each", redact=_capped(MAX_TITLE_CHARS, 10**6)),
    twin("summary uncapped", "title-160", redact=_capped(MAX_SUMMARY_CHARS, 10**6)),
    twin(
        "title cap off by one",
        "title-160",
        "title-160-each",
        redact=_capped(MAX_TITLE_CHARS, MAX_TITLE_CHARS - 1),
    ),
    twin("summary cap off by one", "title-160", redact=_capped(MAX_SUMMARY_CHARS, MAX_SUMMARY_CHARS - 1)),
    twin(
        "cap off by one", "title-160", "title-160-each", redact=lambda value, limit: redact(value, limit + 1)
    ),
)

TWINS = (*RULE_TWINS, *PORTOS_TWINS, *TOO_MUCH_TWINS, *CUT_TWINS)
