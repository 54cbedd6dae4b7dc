"""Whether a scenario speaks to its customer ("You are Ana"), who repeats it word for word. English only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...schema.scenario import Instructions, UserScenario

_THEIRS = (
    r"(?:full |first |last |user |phone |e-?mail |zip |card |account |customer |membership )*"
    r"(?:name|id|number|address|e-?mail|zip|zip code|postcode|phone|date of birth|birthday)"
)
# Only as the first words: "You have cancelled my flight", "You need a mark of the account" are said to the agent.
_TOLD_OF = re.compile(rf"\s*(?:you are|you're|you live|your {_THEIRS} (?:is|are))\b", re.IGNORECASE)
_TOLD_TO = re.compile(
    r"\s*(?:you are|you're|you (?:want|wish|would like|need|recently|ordered|bought|booked) )", re.IGNORECASE
)


def second_person(scenario: UserScenario) -> Iterator[str]:
    """A sentence for each text of a scenario that speaks to the customer, who would say it to the agent."""
    instructions = scenario.instructions
    if not isinstance(instructions, Instructions):
        return
    for name, pattern in (("known_info", _TOLD_OF), ("reason_for_call", _TOLD_TO)):
        text = getattr(instructions, name) or ""
        if found := pattern.match(text):
            start = found[0].strip()
            yield (
                f"user_scenario.instructions.{name} begins with '{start}', and the customer says it word for word: "
                "write it in the first person, as in 'I am …'"
            )
