"""A rule of a policy deleted, turned round or rescaled: the text that is left, and what an agent gets to read."""

import pytest

from pytest_tau import load_domain, simulate
from pytest_tau.environment.rules import read_rules
from pytest_tau.errors import SettingsError
from pytest_tau.variants.policy import (
    PolicyEdit,
    PolicyView,
    edit_policy,
    edits_of,
    invert,
    numbers_in,
    rescale,
    stands,
)
from tests.builders import core, mock

POLICY = read_rules("""# Shop

<!-- rule: kind --> Be kind. <!-- rule: fee --> A bag costs $50, and up to three are carried.

- <!-- rule: whole --> Only as a whole. Parts cannot be cancelled.
- Keep this.

| a | b |
|---|---|
| done | <!-- rule: done --> nothing |
| open | much |

<!-- rule: kind --> Kind to everybody.
""")


def test_a_deleted_rule_leaves_no_trace() -> None:
    assert "whole" not in edit_policy(POLICY, PolicyEdit("whole", "delete")).text
    assert "\n\n- Keep this.\n" in edit_policy(POLICY, PolicyEdit("whole", "delete")).text
    assert "|---|---|\n| open |" in edit_policy(POLICY, PolicyEdit("done", "delete")).text
    assert "kind" not in edit_policy(POLICY, PolicyEdit("kind", "delete")).text.casefold()


@pytest.mark.parametrize("edit", list(edits_of(POLICY)), ids=str)
def test_the_other_rules_stay_where_they_are_said_to_be(edit: PolicyEdit) -> None:
    after = edit_policy(POLICY, edit)
    assert after.text != POLICY.text
    for rule in after.rules:
        if rule.id != edit.rule:
            assert after.parts(rule) == POLICY.parts(POLICY.by_id[rule.id])
    if edit.operation == "delete":
        assert edit.rule not in after.by_id
    else:
        assert after.parts(after.by_id[edit.rule]) != POLICY.parts(POLICY.by_id[edit.rule])


@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("Parts cannot be cancelled.", "Parts can be cancelled."),
        ("Only as a whole.", "Not only as a whole."),
        ("You may add at most 2 GB.", "You may add at least 2 GB."),
        (
            "**Ask before you change anything.** Then wait.",
            "**Do not ask before you change anything.** Do not then wait.",
        ),
        ("| `processed` | nothing |", "| `processed` | anything |"),
        ("| `delivered` | return them |", "| `delivered` | not: return them |"),
        ("Say `no`. It is so.", "Do not say `no`. It is not so."),
        ("Customers pay by card.", "It is not so that customers pay by card."),
    ],
)
def test_a_rule_turned_round(rule: str, other: str) -> None:
    assert invert(rule) == other


def test_numbers() -> None:
    assert numbers_in("On 14 May 2024, `5` bags at $50 within 24 hours, three at most") == [50, 24, 3]
    assert rescale("$50 within 24 hours, three at most, 0 free", 0.5) == "$25 within 12 hours, 2 at most, 1 free"


@pytest.mark.parametrize("name", ["retail", "airline", "telecom", "insurance", "mock"])
def test_every_rule_of_ours_can_be_turned_round(name: str) -> None:
    policy = load_domain(name).rules
    for rule in policy.rules:
        words = "\n".join(policy.parts(rule))
        assert stands(words, words)
        after = edit_policy(policy, PolicyEdit(rule.id, "invert"))
        assert not stands("\n".join(after.parts(after.by_id[rule.id])), words), rule.text


def test_what_cannot_be_edited() -> None:
    with pytest.raises(SettingsError, match="no rule 'nobody'"):
        edit_policy(POLICY, PolicyEdit("nobody", "delete"))
    with pytest.raises(SettingsError, match="no number in the rule 'whole'"):
        edit_policy(POLICY, PolicyEdit("whole", "rescale"))


def test_the_policy_of_a_role_without_the_rule_stays_as_it_is() -> None:
    for edit in (PolicyEdit("whole", "delete"), PolicyEdit("fee", "rescale")):
        assert PolicyView(edit, POLICY).policy("Be kind. Wait.") == "Be kind. Wait."
    assert PolicyView(PolicyEdit("kind", "delete"), POLICY).policy("Be kind. Wait.") == "Wait."
    with pytest.raises(SettingsError, match="no rule 'nobody'"):
        PolicyView(PolicyEdit("nobody", "delete"), POLICY).policy("Be kind. Wait.")


def test_an_agent_reads_the_edited_policy_and_nothing_else_changes() -> None:
    seen: list[str] = []

    class Reader:
        def __init__(self, context: object) -> None:
            seen.append(context.policy)  # type: ignore[attr-defined]

        def reply(self, messages: object) -> str:
            return "Is there anything else?"

    task, domain = core("mock")[0], mock()
    simulate(task, domain, agent=Reader)
    simulate(task, domain, agent=Reader, view=PolicyView(PolicyEdit("never-deleted", "delete"), domain.rules))
    assert "Tasks are never deleted" in seen[0]
    assert "Tasks are never deleted" not in seen[-1]
    assert len(seen[0]) - len(seen[-1]) < 200
