"""Names of agents and their options."""

from pathlib import Path

import pytest

from pytest_tau.agents.faulty import KINDS
from pytest_tau.agents.names import named_agent
from pytest_tau.agents.noop import Noop
from pytest_tau.agents.oracle import Oracle
from pytest_tau.errors import SettingsError
from tests.builders import agent_context, mock, task


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("oracle", Oracle),
        ("noop", Noop),
        ("faulty", Oracle),
        ("faulty:rate=0", Oracle),
        ("faulty: rate = 0.5 , kind = wrong_tool,", Oracle),
        (f"{__name__}:Noop", Noop),
    ],
)
def test_a_fresh_agent_for_every_trial(name: str, cls: type) -> None:
    factory = named_agent(name)(task(), mock())
    one, two = factory(agent_context()), factory(agent_context())
    assert type(one) is type(two) is cls
    assert one is not two


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "orcale",
            "there is no agent 'orcale': use llm, .*, oracle, noop, faulty, or module:factory or http://… for your own "
            r"\(did you mean 'oracle'\?\)",
        ),
        ("localhost:8765", "'localhost:8765' is not an agent: write an address with http:// before it"),
        ("127.0.0.1:8765/agent", "'127.0.0.1:8765/agent' is not an agent: write an address with http:// before it"),
        ("oracle:x=1", "agent 'oracle' has no option 'x'; it takes careful, where tools may fail"),
        ("oracle:careful,team", "agent 'oracle': careful and team are two ways to play; name one of them"),
        ("noop:x=1", "agent 'noop' has no option 'x'; it takes no options"),
        ("faulty:speed=1", rf"agent 'faulty' has no option 'speed'; it takes rate=0…1 and kind={KINDS[0]}"),
        ("faulty:rate", "agent 'faulty:rate': options are key=value, separated by commas, not 'rate'"),
        ("faulty:rate=x", "rate must be a number from 0 to 1, not 'x'"),
        ("faulty:rate=1.5", "rate must be a number from 0 to 1, not '1.5'"),
        ("faulty:rate=nan", "rate must be a number from 0 to 1, not 'nan'"),
        ("faulty:kind=odd", "there is no kind 'odd'; use wrong_argument"),
        ("no_such_module:make", "the agent 'no_such_module:make' cannot be imported"),
    ],
)
def test_what_is_no_agent(name: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=sentence):
        named_agent(name)
