"""Which edits of policies ``--tau-policy-mutants`` asks for, and which tasks they change."""

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.plugin.collecting.policy_edits import policy_edits
from pytest_tau.variants.policy import PolicyEdit
from tests.plugin.conftest import MakeRun


def test_rules_and_operations_are_named(make_run: MakeRun) -> None:
    run = make_run(policy_mutants="kind=delete, invert; brief; kind=delete")
    assert policy_edits(run) == [
        PolicyEdit("kind", "delete"),
        PolicyEdit("kind", "invert"),
        PolicyEdit("brief", "delete"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing is named"),
        (";", "nothing is named"),
        ("kind=melt", "'kind=melt' names no edit"),
        ("=delete", "'=delete' names no edit"),
        ("all", "the tasks are not known yet; name rules"),
        ("3", "the tasks are not known yet; name rules"),
    ],
)
def test_what_cannot_be_is_a_sentence(text: str, said: str, make_run: MakeRun) -> None:
    with pytest.raises(SettingsError, match=said):
        policy_edits(make_run(policy_mutants=text))
