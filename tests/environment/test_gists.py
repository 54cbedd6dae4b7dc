"""What people call a wish: by the task's tags, from a file that says what is wrong with it."""

from pathlib import Path

import pytest

from pytest_tau import load_domain, load_tasks
from pytest_tau.environment.gists import Gists, gists_of, wish_of
from pytest_tau.errors import DomainError
from tests.builders import task

RETURNS = 'any = ["ask"]\n[wishes]\nreturn = ["send it back"]\nreturn_all = ["send all back"]\n'


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        (["composed", "return_several"], "send it back"),
        (["return_all"], "send all back"),
        (["return_all_but_one", "return"], "send all back"),
        (["returned"], None),
        (["refusal", "return"], None),  # which may be what is refused
        (["composed", "protected_account", "return"], None),
        ([], None),
    ],
)
def test_the_first_tag_is_the_wish(tags: list[str], found: str | None, tmp_path: Path) -> None:
    (tmp_path / "openings.toml").write_text(RETURNS, encoding="utf-8")
    assert gists_of(tmp_path, wish_of(task(tags=tags))) == Gists((found,) if found else (), ("ask",))


def test_a_mark_that_an_editor_writes_before_the_text(tmp_path: Path) -> None:
    (tmp_path / "openings.toml").write_text(RETURNS, encoding="utf-8-sig")
    assert gists_of(tmp_path, "").any == ("ask",)


@pytest.mark.parametrize(
    ("text", "said"),
    [("any = [", "cannot be read"), ("any = 'x'", "'any' should be"), ("wishes = 3", "'wishes' should be"),
     ("wishes = ['a']", "'wishes' should be"),
     ("[wishes]\nany = 3", "'any' should be"), ("[wishes]\nbuy = [1]", "'buy' should be"),
     ("some = ['x']", "'some' should be")],
)  # fmt: skip
def test_what_is_wrong_with_the_file_is_a_sentence(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "openings.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=said):
        gists_of(tmp_path, "")


@pytest.mark.parametrize("suite", ["retail", "retail_desk", "airline", "insurance", "telecom"])
def test_most_of_our_tasks_have_a_gist(suite: str) -> None:
    folder, tasks = load_domain(suite).folder, load_tasks(suite)
    assert sum(bool(gists_of(folder, wish_of(one)).wish) for one in tasks) > 0.9 * len(tasks)
