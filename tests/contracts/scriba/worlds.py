"""The fixtures that section 12.1 of the specification names, at 12:00 on 2026-07-13; tests import them."""

from __future__ import annotations

from evalkit.contracts.scriba.nouns import Json

NOW = "2026-07-13T12:00:00Z"


def five_hours(observed_at: str, used: float) -> Json:
    """One observation of the window that ends at 14:00."""
    window = {
        "label": "5h limit",
        "usedPercent": used,
        "resetAt": "2026-07-13T14:00:00Z",
        "periodDurationMs": 18_000_000,
    }
    return {"observedAt": observed_at, "windows": [window]}


CFG2: Json = {
    "defaultProfileId": "personal",
    "profiles": [{"id": "personal"}, {"id": "work"}, {"id": "old", "enabled": False}],
}

PROFILES: Json = [
    {"id": "personal", "default": True, "accounts": ["acctP"]},
    {"id": "work", "accounts": ["acctW"]},
    {"id": "old", "enabled": False},
]

S_EMPTY: Json = {
    "profiles": [
        {"id": "personal", "default": True},
        {"id": "work"},
        {"id": "old", "enabled": False},
    ]
}

S_2P: Json = {
    "profiles": PROFILES,
    "accounts": {
        "acctP": {
            "observations": [
                five_hours("2026-07-13T10:56:00Z", 25),
                five_hours("2026-07-13T11:16:00Z", 30),
                five_hours("2026-07-13T11:36:00Z", 35),
                five_hours("2026-07-13T11:56:00Z", 40),
            ]
        },
        "acctW": {
            "observations": [
                {
                    "observedAt": "2026-07-13T11:58:00Z",
                    "windows": [
                        {
                            "label": "Weekly limit",
                            "usedPercent": 91,
                            "resetAt": "2026-07-17T00:00:00Z",
                            "periodDurationMs": 604_800_000,
                        }
                    ],
                }
            ]
        },
    },
}

P1: Json = {"id": "p1", "account": "acctP", "detectedAt": "2026-07-13T11:50:00Z"}
P2: Json = {"id": "p2", "account": "acctP", "detectedAt": "2026-07-13T11:51:00Z"}
W3: Json = {"id": "w3", "account": "acctW", "detectedAt": "2026-07-13T11:52:00Z"}
P4: Json = {"id": "p4", "account": "acctP", "detectedAt": "2026-07-13T11:53:00Z"}

E4: Json = {**S_2P, "events": [P1, P2, W3, P4]}
"""The ledger has 1, 2 and 4 of acctP and 3 of acctW."""

C_CLAUDE: Json = {
    "status": {
        "generatedAt": "2026-07-13T11:55:00Z",
        "providers": [
            {
                "providerId": "claude",
                "lines": [
                    {
                        "type": "progress",
                        "label": "Weekly limit",
                        "used": 20,
                        "resetsAt": "2026-07-17T00:00:00Z",
                    }
                ],
            }
        ],
    }
}
