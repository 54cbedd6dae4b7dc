"""The customer's words in other languages: what must stand in them, and that each language plays to the same gold."""

import re

import pytest

from pytest_tau import Task, grade, load_domain, simulate
from pytest_tau.evaluation.language.languages import language_of, languages
from pytest_tau.schema.messages import UserMessage
from pytest_tau.users.scripted import Scripted
from pytest_tau.variants import apply_doses, joined_doses
from pytest_tau.variants.texts import words_of
from tests.builders import core, says, user_context

each = pytest.mark.parametrize("code", sorted(languages()))
# Ids, addresses, numbers but for measures, which have a comma elsewhere, and names of places and payment.
_KEPT = re.compile(r"#W\d+|\S+@\S+\w|\b\d{2,}\b|\b[A-Z]{2} \d{5}|PayPal|Visa|Mastercard|XLR|XL")


def told(task: Task, kind: str) -> Task:
    found = apply_doses(task, load_domain("retail"), joined_doses(kind), 1)
    assert found is not None
    return found.task


@each
def test_all_of_retails_core_is_written_and_says_what_the_original_says(code: str) -> None:
    for task in core("retail"):
        before, after = " ".join(words_of(task)), " ".join(words_of(told(task, f"language:{code}")))
        assert set(_KEPT.findall(before)) == set(_KEPT.findall(after)), task.id
        found = language_of([after])
        assert found is not None, task.id
        assert found.code == code, task.id
        words = task.wordings(code)[0]
        assert [words.later is None] == [not task.user_scenario.later], task.id


@each
def test_who_knows_the_task_passes_in_each_language_and_who_does_nothing_does_not(code: str) -> None:
    domain = load_domain("retail")
    for seed, task in enumerate(core("retail")):
        played = told(task, f"language:{code}")
        first, again = (simulate(played, domain, agent="oracle", seed=seed) for _ in range(2))
        assert [one.content for one in first.messages] == [one.content for one in again.messages]
        reward = grade(played, first, domain)
        assert reward.passed, task.id
        assert reward.under_policy_range == (True, True), task.id
        assert not grade(played, simulate(played, domain, agent="noop", seed=seed), domain).passed, task.id
        spoken = [one.content or "" for one in first.messages if isinstance(one, UserMessage)]
        assert not any(line in text for line in languages()[code].lines for text in spoken), task.id


def scripted(code: str) -> Scripted:
    user = Scripted(user_context(told(core("retail")[0], f"language:{code}")))
    user.reply([says("Hi!")])
    return user


@pytest.mark.parametrize(
    ("code", "text", "answer"),
    [
        ("de", "Darf ich die Adresse von #W6587265 so ändern?", "Ja, bitte machen Sie das."),
        ("de", "Einen Moment bitte, ich schaue nach.", "Gut."),
        ("de", "Bitte nennen Sie mir Ihre E-Mail-Adresse.", "Meine E-Mail-Adresse ist nadir.dragan1060@example.com."),
        ("de", "Ich verbinde Sie mit einem Kollegen.", "In Ordnung, bitte."),
        ("de", "Alles erledigt. Kann ich sonst noch etwas für Sie tun?", "Vielen Dank, das war alles. ###STOP###"),
        ("de", "Shall I change it? (yes/no)", "Ja, bitte machen Sie das."),
        ("fr", "Souhaitez-vous que je modifie la commande #W6587265 ?", "Oui, allez-y, s'il vous plaît."),
        ("fr", "Un instant, je vérifie.", "D'accord."),
        ("fr", "Je vous transfère à un conseiller.", "Très bien, faites donc."),
        ("fr", "C'est fait. Puis-je vous aider pour autre chose ?", "Merci, ce sera tout. ###STOP###"),
        ("es", "¿Quiere que cambie el pedido #W6587265?", "Sí, adelante, por favor."),
        ("es", "Un momento, voy a comprobarlo.", "Vale."),
        ("es", "Le transfiero a un agente.", "Muy bien, hágalo, por favor."),
        ("es", "Ya está hecho. ¿Puedo ayudarle en algo más?", "Gracias, eso es todo. ###STOP###"),
    ],
)
def test_the_script_answers_agents_that_write_its_language(code: str, text: str, answer: str) -> None:
    assert (scripted(code).reply([says(text)]).content or "").startswith(answer)


def test_without_words_in_it_a_language_is_a_note_for_a_model() -> None:
    task = core("retail")[0]
    italian = told(task, "language:it")
    assert words_of(italian) == words_of(task)
    assert italian.user_scenario.language is None
    assert "in Italian" in (italian.user_scenario.persona or "")


def test_any_language_is_one_that_is_written() -> None:
    assert {told(task, "language").user_scenario.language for task in core("retail")} == set(languages())


@pytest.mark.parametrize("kind", ["people", "spoken"])
def test_what_is_about_english_does_not_apply(kind: str) -> None:
    task, domain = core("retail")[0], load_domain("retail")
    assert apply_doses(task, domain, joined_doses(f"language:de+{kind}"), 1) is None
