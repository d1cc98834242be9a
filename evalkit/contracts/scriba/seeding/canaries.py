"""What stands in every private column of a seeded database, so that whoever shows one is caught (spec 10)."""

from __future__ import annotations

from typing import Final

from ..nouns import Json

MARK: Final = "CANARY_"
"""Every canary begins with it, and nothing that may be shown holds it."""


def canary(name: str) -> str:
    """A private-looking value; `name` says where it stood."""
    return MARK + name


def account_ref(name: str) -> str:
    """What the databases call the account that a fixture calls `name`."""
    return canary(f"ACCOUNT_REF_{name}")


SNAPSHOT: Final[Json] = {
    "accountRef": canary("SNAPSHOT_ACCOUNT"),
    "email": canary("SNAPSHOT_EMAIL"),
    "raw": {"token": canary("SNAPSHOT_TOKEN")},
}
"""What a provider answered, as it is kept with an observation."""

CREDIT: Final[Json] = {
    "id": canary("CREDIT_ID"),
    "resetType": canary("CREDIT_TYPE"),
    "title": canary("CREDIT_TITLE"),
    "grantedAt": canary("CREDIT_GRANTED"),
}

PAYLOAD: Final[Json] = {
    "account_label": canary("PAYLOAD_LABEL"),
    "account_email": canary("PAYLOAD_EMAIL"),
    "account_plan": canary("PAYLOAD_PLAN"),
    "snapshot": {"raw": canary("PAYLOAD_SNAPSHOT")},
    "previous_snapshot": {"raw": canary("PAYLOAD_PREVIOUS_SNAPSHOT")},
    "current_snapshot": {"raw": canary("PAYLOAD_CURRENT_SNAPSHOT")},
    "secondary_trigger_labels": [canary("PAYLOAD_SECONDARY_LABEL")],
    "joke_id": canary("PAYLOAD_JOKE"),
    "credit_id": canary("PAYLOAD_CREDIT_ID"),
    "credit_title": canary("PAYLOAD_CREDIT_TITLE"),
    "reset_type": canary("PAYLOAD_RESET_TYPE"),
    "granted_at": canary("PAYLOAD_GRANTED"),
    "detected_at": canary("PAYLOAD_DETECTED"),
}
"""What an event's payload holds besides, all of which is dropped (spec 4.1)."""

OUTBOX: Final[Json] = {
    "target": canary("TARGET"),
    "chat_id": canary("CHAT_ID"),
    "text": canary("OUTBOX_TEXT"),
}

CACHE_PROVIDER: Final[Json] = {"displayName": canary("DISPLAY_NAME"), "plan": canary("CACHE_PLAN")}
"""What the status snapshot says of a provider besides."""
