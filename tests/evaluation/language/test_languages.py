"""Languages beside English: answers, whose sentences were written before the data, lines of agents, what tells them."""

import tomllib
from pathlib import Path

import pytest

from pytest_tau.evaluation.criteria.said import reason
from pytest_tau.evaluation.language.languages import language_of, languages
from pytest_tau.schema.checks import Reason
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.users.scripted import CONFIRM_CUE
from tests.builders import asks, says

CODES = ("de", "es", "fr")
KEPT_BACK = Path(__file__).with_name("kept_back")
each = pytest.mark.parametrize("code", CODES)


def kept_back(code: str) -> dict[str, list[str]]:
    return tomllib.loads((KEPT_BACK / f"{code}.toml").read_text(encoding="utf-8"))


def test_these_languages_are_there_and_say_the_same() -> None:
    assert tuple(languages()) == CODES
    first, *others = languages().values()
    assert all(other.lines.keys() == first.lines.keys() for other in others)
    assert all(other.agent.keys() == first.agent.keys() for other in others)


@each
def test_two_hundred_sentences_and_more_are_known_and_none_with_two_meanings(code: str) -> None:
    assert len(languages()[code].answers) + len(languages()[code].begun) >= 200
    for words, meant in languages()[code].answers.items():
        if meant != "beside":
            assert languages()[code].meaning(" ".join(words)) == meant, words


@each
def test_of_the_sentences_kept_back_none_is_read_as_what_it_is_not(code: str) -> None:
    for kind, sentences in kept_back(code).items():
        for sentence in sentences:
            meant = languages()[code].meaning(sentence)
            assert meant in ("", "" if kind == "other" else kind), (sentence, meant)


@each
def test_most_of_the_sentences_kept_back_decide(code: str) -> None:
    for kind in ("yes", "no", "wait", "condition"):
        sentences = kept_back(code)[kind]
        read = [languages()[code].meaning(one) == kind for one in sentences]
        assert sum(read) >= 0.9 * len(sentences), kind


@each
def test_a_word_more_that_is_unknown_decides_nothing(code: str) -> None:
    for kind in ("yes", "no"):
        for sentence in kept_back(code)[kind]:
            assert languages()[code].meaning(f"{sentence} #W6587265") in ("", "condition")
            assert languages()[code].meaning(f"{sentence.rstrip('.')}?") == ""


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["Ich möchte die Bestellung stornieren, bitte.", "Ja."], "de"),
        (["Je voudrais annuler la commande, s'il vous plaît."], "fr"),
        (["Quiero cancelar el pedido, por favor.", "No."], "es"),
        (["I'd like to cancel my order, please.", "My name is Ana de la Cruz."], None),
        (["Ana de la Cruz"], None),
        (["Vorrei annullare l'ordine #W1."], None),
        (["#W6587265"], None),
        ([], None),
    ],
)
def test_which_language_texts_are_in(texts: list[str], code: str | None) -> None:
    found = language_of(texts)
    assert (found and found.code) == code


@pytest.mark.parametrize(
    ("code", "text", "leave"),
    [
        ("de", "Soll ich die Bestellung #W1 stornieren?", True),
        ("de", "Ich storniere #W1, 20,00 $ gehen zurück. Sind Sie damit einverstanden?", True),
        ("de", "Kann ich sonst noch etwas für Sie tun?", False),
        ("de", "Können Sie mir bitte Ihre E-Mail-Adresse bestätigen?", False),
        ("de", "Die Bestellung ist storniert.", False),
        ("fr", "Voulez-vous que j'annule la commande #W1 ?", True),
        ("fr", "Je vais annuler #W1. Est-ce que cela vous convient ?", True),
        ("fr", "Puis-je vous aider pour autre chose ?", False),
        ("fr", "Pouvez-vous confirmer votre code postal ?", False),
        ("es", "¿Desea que cancele el pedido #W1?", True),
        ("es", "Voy a cancelar #W1. ¿Le parece bien?", True),
        ("es", "¿Puedo ayudarle en algo más?", False),
        ("es", "¿Me confirma su correo electrónico?", False),
    ],
)
def test_whether_an_agent_asks_for_leave(code: str, text: str, leave: bool) -> None:
    assert languages()[code].asks_leave(text) is leave


@each
def test_what_the_script_says_is_read_as_what_it_means(code: str) -> None:
    language = languages()[code]
    assert language.meaning(language.say("Yes, please go ahead.")) == "yes"
    assert language.say("Thank you, that is all. ###STOP###").endswith("###STOP###")
    assert language.say("My own words.") == "My own words."
    assert not any(CONFIRM_CUE in line for line in language.lines.values())


def test_a_reason_in_another_language_is_unclear_and_none_in_english_is_a_miss() -> None:
    due = Reason(check="reason", any_of=["already been delivered"])
    refused = "Je suis désolé, cette commande a déjà été livrée, je ne peux pas l'annuler."
    told: list[AnyMessage] = [asks("Bonjour"), says(refused)]
    found = reason(due, told)
    assert (found.met, found.unclear) == (True, 1)
    assert not reason(due, [asks("Hi"), says("I cancelled something. Is there more that I can do for you?")]).met
