"""The suites with pictures: whoever sees passes, whoever is told passes, and nobody else does."""

import io
import json

import pytest

from pytest_tau import Domain, Task, grade, load_domain, simulate
from pytest_tau.environment.folders import builtin_folder
from tests.builders import whole

DOMAINS = ("retail", "airline", "telecom")


def suite(name: str, every: int = 1) -> tuple[Domain, list[Task]]:
    return load_domain(name), whole(f"{name}_images")[::every]


# All of them are played beside the linters; a part of them everywhere.
ALL = [pytest.param(name, 1, marks=pytest.mark.slow) for name in DOMAINS]
SOME = [pytest.param(name, 5) for name in DOMAINS]


@pytest.mark.parametrize(("name", "every"), [*ALL, *SOME])
def test_seeing_and_being_told_pass_and_guessing_does_not(name: str, every: int) -> None:
    domain, tasks = suite(name, every)
    assert len(tasks) >= 20 // every
    passed = {
        how: [task.id for task in tasks if grade(task, simulate(task, domain, images=how), domain).passed]
        for how in ("send", "alt", "drop")
    }
    everybody = [task.id for task in tasks]
    assert passed == {"send": everybody, "alt": everybody, "drop": []}


@pytest.mark.parametrize("name", DOMAINS)
def test_pictures_are_small_and_their_facts_stand_in_no_words_of_the_customer(name: str) -> None:
    _, tasks = suite(name)
    for task in tasks:
        for one in task.user_scenario.attachments or []:
            assert len(one.content) <= 80_000
            assert one.alt
            assert one.decides
            told = task.user_scenario.render()
            decided = {str(action.arguments.get(name)) for action in task.gold_actions for name in one.decides}
            assert [value for value in decided if len(value) > 3 and value in told] == [], task.id


def test_every_suite_refuses_too_and_holds_instructions_that_are_not_to_be_followed() -> None:
    for name in DOMAINS:
        tags = [task.tags for _, tasks in [suite(name)] for task in tasks]
        assert sum("refusal" in each for each in tags) >= 5
        assert sum("injection" in each for each in tags) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_the_script_draws_them_from_the_data(name: str) -> None:
    """The same pixels, not the same bytes: how they are packed depends on the zlib that Pillow was built with."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: pytest-tau[dev]")
    from tau_workshop.drawing.__main__ import SUITES
    from tau_workshop.drawing.suite import task_of

    folder = builtin_folder("tasks", f"{name}_images")
    drafts = SUITES[name]()
    assert {f"{draft.id}.json" for draft in drafts} == {file.name for file in folder.glob("*.json")}
    for number, draft in enumerate(drafts):
        made, kept = task_of(draft, name, {}), json.loads((folder / f"{draft.id}.json").read_text(encoding="utf-8"))
        for one in kept["user_scenario"]["attachments"]:
            del one["sha256"]
        assert made == kept
        for photo, one in zip(
            draft.photos if number % 7 == 0 else (), made["user_scenario"]["attachments"], strict=False
        ):
            files = (io.BytesIO(photo.draw()), folder / one["path"])
            drawn, committed = (image.open(file).convert("RGB") for file in files)
            assert drawn.tobytes() == committed.tobytes(), one["path"]
