"""A policy read as rules: what is one, what it is called, and what marks change."""

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.rules import read_rules, without_marks
from pytest_tau.errors import DomainError

POLICY = """# Shop

Be kind. See e.g. the list of Mr. Moss. Say `BYE. NOW.` at the end.

## Orders

<!-- unguarded: facts -->
- One fact.
- Another
  fact.

1. <!-- rule: whole -->Only as a whole. Items stay. <!-- rule: reason -->Ask why.
2. **Never twice.** No.

| status | what |
|---|---|
| `done` | <!-- rule: done -->nothing |
| `open` | cancel it |

Fees are $5. <!-- rule: whole --> Really as a whole.
"""


def test_sentences_items_and_rows_are_rules() -> None:
    policy = read_rules(POLICY)
    assert [rule.text for rule in policy.rules] == [
        "Be kind.",
        "See e.g. the list of Mr. Moss.",
        "Say `BYE. NOW.` at the end.",
        "One fact.",
        "Another fact.",
        "Only as a whole. Items stay. … Really as a whole.",
        "Ask why.",
        "**Never twice.**",
        "No.",
        "| `done` | nothing |",
        "| `open` | cancel it |",
        "Fees are $5.",
    ]
    assert [rule.number for rule in policy.rules] == list(range(1, 13))
    assert [rule.id for rule in policy.rules if rule.named] == ["whole", "reason", "done"]
    assert [rule.text for rule in policy.rules if rule.unguarded == "facts"] == ["One fact.", "Another fact."]
    assert policy.by_id["done"].section == "Orders"
    assert policy.parts(policy.by_id["whole"]) == ["Only as a whole. Items stay.", "Really as a whole."]


def test_marks_are_not_read_by_agents() -> None:
    text = without_marks(POLICY)
    assert "<!--" not in text
    assert "1. Only as a whole. Items stay. Ask why.\n" in text
    assert "## Orders\n\n- One fact.\n" in text
    assert read_rules(text).text == text


def test_ids_stay_when_other_rules_change() -> None:
    before = read_rules("Be kind. Be quick. Be exact.")
    after = read_rules("Be brief. Be exact. Be kind.")
    assert {rule.id for rule in before.rules} & {rule.id for rule in after.rules} == {
        rule.id for rule in before.rules if rule.text != "Be quick."
    }


def test_the_same_words_twice_are_two_rules() -> None:
    first, second = read_rules("- Ask first.\n- Ask first.\n").rules
    assert second.id == f"{first.id}-2"


def test_a_name_that_is_none() -> None:
    with pytest.raises(DomainError, match="write a name in small letters"):
        read_rules("<!-- rule: Not A Name --> Be kind.")


@pytest.mark.parametrize("name", ["retail", "airline", "telecom", "insurance", "mock"])
def test_rules_of_our_domains_stand_where_they_say(name: str) -> None:
    policy = load_domain(name).rules
    assert len(policy.by_id) == len(policy.rules) >= 5
    for rule in policy.rules:
        assert " ".join(policy.parts(rule)[0].split()) == rule.text.split(" … ")[0]
    assert "<!-- rule" not in load_domain(name).policy
