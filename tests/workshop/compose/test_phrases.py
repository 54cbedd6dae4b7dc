"""Words that stand in TOML: tables, tuples and texts, what is filled and left, and what is wrong with a file."""

from pathlib import Path

import pytest

from pytest_tau.errors import DomainError
from tau_workshop.compose import Atom, look_up, phrases_of
from tau_workshop.compose.phrases import Phrases

WORDS = """
[renew]
about = "the renewal of {book}"
says = ["Please renew {book} until {day}.", "{day} for {book}{{!}}"]

[renew.revision]
then = ["Rather {other}."]

[renew.because]
any_of = ["no", ["not", "{day}"]]
"""


@pytest.fixture
def say(tmp_path: Path) -> Phrases:
    (tmp_path / "phrases.toml").write_text(WORDS, encoding="utf-8")
    return phrases_of(str(tmp_path / "atoms.py"))


def test_a_table_is_the_words_of_an_atom(say: Phrases) -> None:
    atom = Atom("renew", **say("renew", day="Monday"), steps=(look_up("renew"),), touches=frozenset())
    assert atom.about == "the renewal of {book}"
    assert atom.says == ("Please renew {book} until Monday.", "Monday for {book}{{!}}")


def test_tables_in_it_and_values_have_dotted_names(say: Phrases) -> None:
    assert say("renew.revision", other="Friday") == {"then": ("Rather Friday.",)}
    assert say("renew.about", book="Emma") == say.text("renew.about", book="Emma") == "the renewal of Emma"
    assert say("renew.because.any_of", day="Monday") == ("no", ["not", "Monday"])


def test_the_same_words_are_filled_anew(say: Phrases) -> None:
    assert say("renew.revision.then", other="Friday") == ("Rather Friday.",)
    assert say("renew.revision.then", other="{day}") == ("Rather {day}.",)
    assert say("renew.revision.then") == ("Rather {other}.",)
    say("renew")["says"] = ()  # what it gives belongs to who asks
    assert say("renew")["says"]


def test_a_file_is_read_once_for_all_modules_beside_it(say: Phrases, tmp_path: Path) -> None:
    (tmp_path / "phrases.toml").unlink()
    assert phrases_of(str(tmp_path / "records.py")) is say


def test_a_name_that_is_not_there(say: Phrases) -> None:
    with pytest.raises(DomainError, match=r"phrases\.toml: there are no phrases 'renews' \(did you mean 'renew'\?\)$"):
        say("renews")


def test_a_mark_that_an_editor_writes_before_the_text(tmp_path: Path) -> None:
    (tmp_path / "marked.toml").write_text('a = "b"', encoding="utf-8-sig")
    assert phrases_of(str(tmp_path / "atoms.py"), "marked.toml")("a") == "b"


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[a", encoding="utf-8")
    with pytest.raises(DomainError, match=r"bad\.toml: the words cannot be read: "):
        phrases_of(str(tmp_path / "atoms.py"), "bad.toml")
