"""Secrets that are known by their own shape: vendors' keys, credentials, signed tokens, private keys."""

from __future__ import annotations

import binascii
import re

from .shadow import Claim, found

_KEY = "[REDACTED]"
_PRIVATE_KEY = "[REDACTED PRIVATE KEY]"


def private_keys(text: str) -> list[Claim]:
    """Spec A.10 rule 6, and ENCRYPTED, PGP and SSH2 blocks; one that never ends takes all the rest."""
    claims: list[Claim] = []
    end = 0 if "PRIVATE KEY" in text else len(text)
    while begin := _PEM_BEGIN.search(text, end):
        last = _PEM_END.search(text, begin.end())
        end = last.end() if last else len(text)
        claims.append(Claim(begin.start(), end, _PRIVATE_KEY))
    return claims


def openai_keys(text: str) -> list[Claim]:
    """Spec A.10 rule 1."""
    return found(_OPENAI, text, _KEY) if "sk-" in text else []


def short_openai_keys(text: str) -> list[Claim]:
    """Numbers behind any `sk-`, which the phone rule would take and leave the `sk-` in front of."""
    return found(_OPENAI_SHORT, text, _KEY) if "sk-" in text.lower() else []


def github_tokens(text: str) -> list[Claim]:
    """Spec A.10 rule 2."""
    return found(_GITHUB, text, _KEY) if "_" in text else []


def aws_key_ids(text: str) -> list[Claim]:
    """Spec A.10 rule 3, and the ids of temporary keys."""
    return found(_AWS_ID, text, _KEY) if "AKIA" in text or "ASIA" in text else []


def aws_secrets(text: str) -> list[Claim]:
    """Forty base64 characters that look random: a path or a hash has too few capitals or small letters."""
    return [claim for claim in found(_AWS_SECRET, text, _KEY) if _is_random(text[claim.start : claim.end])]


def slack_tokens(text: str) -> list[Claim]:
    """Spec A.10 rule 4, and app-level, refresh and legacy tokens."""
    return found(_SLACK, text, _KEY) if "xox" in text or "xapp-" in text else []


def vendor_keys(text: str) -> list[Claim]:
    """Keys with a prefix that their maker published so that they can be found."""
    return found(_VENDOR, text, _KEY) if any(prefix in text for prefix in _VENDOR_PREFIXES) else []


def webhooks(text: str) -> list[Claim]:
    """Addresses of which the path is the password; the host stays."""
    return found(_WEBHOOK, text, _KEY, "path") if any(host in text.lower() for host in _WEBHOOK_HOSTS) else []


def signed_tokens(text: str) -> list[Claim]:
    """JSON web tokens, with or without `Bearer` in front."""
    claims = found(_JWT, text, _KEY) if "eyJ" in text else []
    return [
        claim for claim in claims if claim.end - claim.start >= 20 and "." in text[claim.start : claim.end]
    ]


def bearer_credentials(text: str) -> list[Claim]:
    """Spec A.10 rule 5, in any case and with all that RFC 6750 allows in a token; the word itself stays."""
    return found(_BEARER, text, _KEY, "token") if "bearer" in text.lower() else []


def basic_credentials(text: str) -> list[Claim]:
    """`Basic` and what decodes to `name:password`; the word itself stays."""
    if "basic" not in text.lower():
        return []
    return [claim for claim in found(_BASIC, text, _KEY, "token") if _is_pair(text[claim.start : claim.end])]


def _is_random(word: str) -> bool:
    capitals = sum(map(str.isupper, word))
    small = sum(map(str.islower, word))
    return capitals >= 6 and small >= 6 and any(map(str.isdigit, word))


def _is_pair(token: str) -> bool:
    plain = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        decoded = binascii.a2b_base64(plain + "=" * (-len(plain) % 4)).decode("utf-8")
    except ValueError:
        return False
    return ":" in decoded and decoded.isprintable()


_PEM_KIND = r"(?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?"
_PEM_BEGIN = re.compile(rf"-{{4}}(?:-| )BEGIN {_PEM_KIND} ?-{{4,5}}")
_PEM_END = re.compile(rf"-{{4}}(?:-| )END {_PEM_KIND} ?-{{4,5}}")
_OPENAI = re.compile(r"\bsk-[A-Za-z0-9_-]{19,}[A-Za-z0-9_]", re.ASCII)
_OPENAI_SHORT = re.compile(
    r"(?<![a-z0-9])[a-z_]?sk-(?:[a-z0-9]{1,16}-){0,3}?[0-9](?:-?[0-9]){8,}(?:[\w-]*\w)?",
    re.ASCII | re.IGNORECASE,
)
_GITHUB = re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})", re.ASCII)
_AWS_ID = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", re.ASCII)
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_SLACK = re.compile(r"\b(?:xox[a-z](?:\.xox[a-z])?-|xapp-[0-9]-)[A-Za-z0-9-]{9,}[A-Za-z0-9]", re.ASCII)
_VENDOR_PREFIXES = {
    "AIza": r"AIza[\w-]{30,}",
    "glpat-": r"glpat-[\w-]{20,}",
    "npm_": r"npm_[A-Za-z0-9]{30,}",
    "pypi-": r"pypi-[\w-]{40,}",
    "hf_": r"hf_[A-Za-z0-9]{20,}",
    "gsk_": r"gsk_[A-Za-z0-9]{20,}",
    "xai-": r"xai-[A-Za-z0-9]{20,}",
    "r8_": r"r8_[A-Za-z0-9]{20,}",
    "k_live_": r"[srp]k_live_[A-Za-z0-9]{16,}",
    "k_test_": r"[srp]k_test_[A-Za-z0-9]{16,}",
    "whsec_": r"whsec_[A-Za-z0-9+/=]{16,}",
    "shp": r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
    "dop_v1_": r"dop_v1_[a-f0-9]{40,}",
    "SG.": r"SG\.[\w-]{16,32}\.[\w-]{16,64}",
    "ya29.": r"ya29\.[\w-]{20,}",
    "tskey-": r"tskey-[\w-]{16,}",
    "AGE-SECRET-KEY-1": r"AGE-SECRET-KEY-1[0-9A-Z]{50,}",
}
_VENDOR = re.compile(rf"\b(?:{'|'.join(_VENDOR_PREFIXES.values())})", re.ASCII)
_WEBHOOK_HOSTS = ("hooks.slack.com/", "discord.com/", "discordapp.com/", "api.telegram.org/")
_WEBHOOK = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/webhooks/"
    r"|api\.telegram\.org/bot)(?P<path>[\w/:-]+)",
    re.ASCII | re.IGNORECASE,
)
_JWT = re.compile(r"eyJ[\w-]*+(?:\.[\w-]+){0,4}", re.ASCII)
_BEARER = re.compile(r"\bbearer\s+(?P<token>[A-Za-z0-9._~+/-]{19,}\w=*)", re.ASCII | re.IGNORECASE)
_BASIC = re.compile(r"\bbasic\s+(?P<token>[A-Za-z0-9+/_-]{6,}={0,2})", re.ASCII | re.IGNORECASE)
