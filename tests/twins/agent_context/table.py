"""Every broken twin of the agent-context contract, in the order in which a call meets what is broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.twins.agent_context import (
    acting,
    adapting,
    admission,
    answering,
    asking,
    bounding,
    finding,
    granting,
    guarding,
    messaging,
    normalising,
    reading,
    redacting,
    repeating,
    showing,
    surrounding,
    telling,
)
from tests.twins.twin import Twin

TWINS: Final = (
    *admission.TWINS,
    *asking.TWINS,
    *reading.TWINS,
    *showing.TWINS,
    *redacting.TWINS,
    *answering.TWINS,
    *telling.TWINS,
    *surrounding.TWINS,
    *bounding.TWINS,
    *messaging.TWINS,
    *guarding.TWINS,
    *granting.TWINS,
    *acting.TWINS,
    *finding.TWINS,
    *normalising.TWINS,
    *repeating.TWINS,
    *adapting.TWINS,
)

BY_NAME: Final[Mapping[str, Twin]] = {twin.name: twin for twin in TWINS}
