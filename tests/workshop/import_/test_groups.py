"""One task for many calls about the same thing, and none for a call that is a task already."""

from pathlib import Path

import pytest

from pytest_tau.recordings import read_conversations
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.schema.messages import UserMessage
from tau_workshop.import_.groups import group_alike, known_hashes, opening_words, own_keys, without_duplicates
from tests.steps import calls_during
from tests.workshop.import_.logs import cancelling, log, shop

RUG = "Hello, I want to cancel my order of a rug, please."


def read(tmp_path: Path, *openings: str, reward: float = 1.0) -> list[LoggedConversation]:
    made = [cancelling(f"O{number}", opening=one, reward=reward) for number, one in enumerate(openings)]
    return list(read_conversations(log(tmp_path / "log.jsonl", *made)))


def test_customers_who_open_alike_are_one_group(tmp_path: Path) -> None:
    same, other = "Please cancel the order of my rug.", "My lamp arrived broken and nobody answers the telephone."
    found = read(tmp_path, RUG, other, same)
    groups = group_alike(found)
    assert [(group.first.id, group.weight) for group in groups] == [(found[0].id, 2), (found[1].id, 1)]
    assert groups[0].hashes == [found[0].hash, found[2].hash]


@pytest.mark.parametrize(
    "openings",
    [
        ("Хочу отменить заказ, купил по ошибке.", "Когда вернутся мои деньги за чайник?"),
        ("我想取消我的订单", "我的退款什么时候可以到账呢"),
    ],
)
def test_customers_who_open_otherwise_are_two_groups(tmp_path: Path, openings: tuple[str, str]) -> None:
    found = read(tmp_path, *openings, openings[0])
    assert [group.weight for group in group_alike(found)] == [2, 1]


def test_another_end_is_another_group(tmp_path: Path) -> None:
    found = [*read(tmp_path, RUG), *read(tmp_path, RUG, reward=0.0)]
    assert [group.weight for group in group_alike(found)] == [1, 1]


def test_what_is_known_or_stands_twice_is_left_out(tmp_path: Path) -> None:
    first, second = read(tmp_path, RUG, "Where is my lamp? It should be here since yesterday.")
    assert without_duplicates([first, second, first], {second.hash}) == ([first], 2)


def test_the_words_of_an_opening_are_those_of_the_first_long_line(tmp_path: Path) -> None:
    [found] = read(tmp_path, RUG)
    assert opening_words(found) == {"cancel", "order", "rug"}


def test_the_records_of_a_domain_are_its_authors(tmp_path: Path) -> None:
    assert own_keys(shop(tmp_path)) == {"O1", "O2"}


def test_a_folder_that_is_not_there_has_no_tasks(tmp_path: Path) -> None:
    assert known_hashes(tmp_path / "none") == {}


def test_openings_that_share_no_rare_word_are_not_compared_each_with_each() -> None:
    def many(number: int) -> list[LoggedConversation]:
        names = ["".join("abcdefghij"[int(digit)] for digit in f"{one:05}") for one in range(number)]
        said = [UserMessage(content=f"Please cancel {name}x, {name}y and {name}z.") for name in names]
        return [LoggedConversation(name, [opening], {}) for name, opening in zip(names, said, strict=True)]

    few, more = many(50), many(400)
    assert calls_during(lambda: group_alike(more)) < 10 * calls_during(lambda: group_alike(few))
