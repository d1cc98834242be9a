"""Finds the password in a Basic Authorization header (spec B.2)."""

from __future__ import annotations

import binascii


def basic_password(header: str) -> str | None:
    """The text after the first colon, or all of it where there is none; whatever name stands before it.

    None where the header holds no credential: another scheme, or what is not base64 of UTF-8 text.
    """
    scheme, _, encoded = header.strip().partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        text = binascii.a2b_base64(encoded.strip(), strict_mode=True).decode("utf-8")
    except ValueError:
        return None
    name, colon, password = text.partition(":")
    return (password if colon else name) or None
