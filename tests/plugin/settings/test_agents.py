"""Who is evaluated: each agent on each model, and what they are called."""

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.plugin.settings.agents import ChosenAgent, chosen_agents, public_name


def labels(names: list[str], models: list[str] | None = None) -> list[tuple[str, str, str | None]]:
    return [(agent.label, agent.name, agent.model) for agent in chosen_agents(tuple(names), tuple(models or []))]


@pytest.mark.parametrize(
    ("names", "models", "found"),
    [
        (["oracle"], [], [("", "oracle", None)]),
        (["mine=noop"], [], [("", "noop", None)]),
        (["llm"], ["openai/a"], [("", "llm", "openai/a")]),
        (["llm"], ["openai/a", "x/b"], [("a", "llm", "openai/a"), ("b", "llm", "x/b")]),
        (["llm"], ["openai/a", "x/a"], [("llm-openai-a", "llm", "openai/a"), ("llm-x-a", "llm", "x/a")]),
        (["llm", "react"], ["m"], [("llm", "llm", "m"), ("react", "react", "m")]),
        (
            ["llm", "react"],
            ["a", "b"],
            [("llm-a", "llm", "a"), ("llm-b", "llm", "b"), ("react-a", "react", "a"), ("react-b", "react", "b")],
        ),
        (["gpt=llm", "base=my:Agent"], ["m"], [("gpt", "llm", "m"), ("base", "my:Agent", "m")]),
        (["oracle", "llm"], ["a", "b"], [("oracle", "oracle", None), ("llm-a", "llm", "a"), ("llm-b", "llm", "b")]),
        (["x=llm"], ["openai/a", "x/a"], [("x-openai-a", "llm", "openai/a"), ("x-x-a", "llm", "x/a")]),
        (["faulty:rate=0.3", "noop"], [], [("faulty", "faulty:rate=0.3", None), ("noop", "noop", None)]),
        (
            ["http://h:1/a?x=1", "js=command:node a.js"],
            [],
            [("h-1-a", "http://h:1/a?x=1", None), ("js", "command:node a.js", None)],
        ),
    ],
)
def test_each_agent_on_each_model_it_has_to_do_with(
    names: list[str], models: list[str], found: list[tuple[str, str, str | None]]
) -> None:
    assert labels(names, models) == found


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"two agents are called 'noop': name them apart, as in .* NAME=AGENT"):
        labels(["noop", "noop"])


@pytest.mark.parametrize("other", ["noop", "faulty"])
def test_two_that_were_given_one_name_are_refused_by_it(other: str) -> None:
    with pytest.raises(SettingsError, match="two agents are called 'x'"):
        labels(["x=noop", f"x={other}"])


@pytest.mark.parametrize("name", ["弱い", "my agent", ""])
def test_a_name_that_no_node_id_can_have_is_refused(name: str) -> None:
    with pytest.raises(
        SettingsError, match=rf"^--tau-agent {name}=faulty:rate=0\.5: a name has letters .* mine=faulty"
    ):
        labels([f"{name}=faulty:rate=0.5", "noop"])


def test_records_and_reports_leave_out_what_may_be_a_key() -> None:
    assert public_name("http://h/a?token=secret") == "http://h/a"
    assert ChosenAgent("http://h/a?token=secret", "m").shown_name == "http://h/a"
    assert ChosenAgent("llm", "openai/a", "a").shown_name == "llm openai/a"
