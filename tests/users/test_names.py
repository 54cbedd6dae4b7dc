"""Names of simulated customers and their options."""

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.users.attacker import Attacker
from pytest_tau.users.llm import LLMUser
from pytest_tau.users.names import MODEL_USERS, UserModel, named_user, plays_a_model
from pytest_tau.users.prompts import STYLES, Guidelines
from pytest_tau.users.react import ReactUser
from pytest_tau.users.reflection import ReflectionUser
from pytest_tau.users.scripted import Scripted
from pytest_tau.users.verify import VerifyUser
from tests.builders import says, task, user_context
from tests.fake_model import FakeModel, ask

PLAYED = {"llm": LLMUser, "react": ReactUser, "verify": VerifyUser, "reflection": ReflectionUser, "attacker": Attacker}


class Own:
    """A customer of a project's own."""

    def __init__(self, context: object) -> None:
        pass


def test_every_one_that_a_model_plays_is_tried_here() -> None:
    assert PLAYED.keys() == MODEL_USERS.keys()


@pytest.mark.parametrize(("name", "cls"), [*PLAYED.items(), ("attacker:turns=6", Attacker)])
def test_a_model_plays_a_fresh_one_for_each_trial(name: str, cls: type) -> None:
    assert plays_a_model(name)
    factory = named_user(name, UserModel(FakeModel("Hello", "true")))
    one, two = (factory(user_context(task())) for _ in range(2))
    assert type(one) is type(two) is cls
    assert one is not two


@pytest.mark.parametrize("name", sorted(PLAYED))
def test_who_is_played_by_a_model_needs_one(name: str) -> None:
    with pytest.raises(SettingsError, match=f"the user '{name}' is played by a model: name it with --tau-user-llm"):
        named_user(name)


@pytest.mark.parametrize("name", sorted(PLAYED.keys() - {"attacker"}))
def test_guidelines_and_style_reach_the_model(name: str) -> None:
    client = FakeModel("Hello", "true")
    model = UserModel(client, Guidelines("Be odd.\n", "With tools.\n"), "talkative")
    ask(named_user(name, model)(user_context(task())), [says("Hi!")])
    prompt = str(client.chats[0][0]["content"])
    assert prompt.startswith("Be odd.\n")
    assert STYLES["talkative"] in prompt


def test_those_that_no_model_plays() -> None:
    assert named_user("scripted") is Scripted
    assert named_user(f"{__name__}:Own") is Own
    assert not plays_a_model("scripted")
    assert not plays_a_model(f"{__name__}:Own")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "scriptd",
            "there is no user 'scriptd': use llm, react, verify, reflection, attacker, scripted, scripted:people, or",
        ),
        ("", "there is no user ''"),
        ("no_such_module:User", "the user 'no_such_module:User' cannot be imported"),
        ("attacker:turns=0", "turns"),
        ("attacker:speed=1", "speed"),
        ("llm:x=1", "the user 'llm:x=1' cannot be imported"),
    ],
)
def test_what_is_no_user(name: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        named_user(name, UserModel(FakeModel("Hello")))
