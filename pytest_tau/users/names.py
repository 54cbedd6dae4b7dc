"""Turns what a user names, a simulator's name or ``module:factory``, into a factory of simulated customers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..conversation.factories import import_factory
from ..errors import SettingsError

if TYPE_CHECKING:
    from ..conversation.protocols import User, UserContext, UserFactory
    from ..llm.protocol import ModelClient
    from .prompts import Guidelines

ATTACKER, SCRIPTED, PEOPLE = "attacker", "scripted", "scripted:people"


def _our_guidelines() -> Guidelines:
    from .prompts import Guidelines

    return Guidelines()


@dataclass(frozen=True)
class UserModel:
    """The model behind customers that need one, how they are to be played, and in which style.

    ``guard``: whether it is asked again where it falls out of the customer's role.
    """

    client: ModelClient
    guidelines: Guidelines = field(default_factory=_our_guidelines)
    style: str | None = None
    guard: bool = False


def named_user(name: str, model: UserModel | None = None) -> UserFactory:
    """The factory that ``name`` stands for; raises SettingsError with the names there are."""
    base, _, options = name.partition(":")
    if plays_a_model(name):
        if model is None:
            raise SettingsError(f"the user '{name}' is played by a model: name it with --tau-user-llm")
        return _attacker(model, options) if base == ATTACKER else MODEL_USERS[name](model)
    if name == SCRIPTED:
        from .scripted import Scripted

        return Scripted
    if name == PEOPLE:
        return _scripted_person
    if ":" not in name or base == SCRIPTED:
        known = ", ".join([*MODEL_USERS, SCRIPTED, PEOPLE])
        raise SettingsError(f"there is no user '{name}': use {known}, or module:factory for your own")
    return import_factory(name, "user")


def _scripted_person(context: UserContext) -> User:
    from .scripted import Scripted

    return Scripted(replace(context, scenario=context.scenario.model_copy(update={"manner": "people"})))


def plays_a_model(name: str) -> bool:
    """Whether a customer of this name is played by a model; the attacker has an option: ``attacker:turns=6``."""
    return name in MODEL_USERS or is_attacker(name)


def is_attacker(name: str) -> bool:
    """Whether a customer of this name tries to get what the policy forbids, by instructions of its own.

    Records have the model behind the name: ``attacker:turns=6 openai/model``.
    """
    return name.partition(" ")[0].partition(":")[0] == ATTACKER


def _attacker(model: UserModel, options: str = "") -> UserFactory:
    from .attacker import attacker, turns_of

    return attacker(model.client, turns_of(options))


def _llm(model: UserModel) -> UserFactory:
    from .llm import llm_user

    return llm_user(model.client, model.guidelines, model.style, guard=model.guard)


def _react(model: UserModel) -> UserFactory:
    from .react import react_user

    return react_user(model.client, model.guidelines, model.style, guard=model.guard)


def _verify(model: UserModel) -> UserFactory:
    from .verify import verify_user

    return verify_user(model.client, model.guidelines, model.style, guard=model.guard)


def _reflection(model: UserModel) -> UserFactory:
    from .reflection import reflection_user

    return reflection_user(model.client, model.guidelines, model.style, guard=model.guard)


MODEL_USERS: dict[str, Callable[[UserModel], UserFactory]] = {
    "llm": _llm,
    "react": _react,
    "verify": _verify,
    "reflection": _reflection,
    ATTACKER: _attacker,
}
