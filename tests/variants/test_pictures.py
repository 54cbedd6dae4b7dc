"""Pictures that are changed, and the text twin: gold stays, and who knows what to do still passes."""

import io
import sys
from itertools import pairwise
from typing import Any

import pytest

from pytest_tau import Task, grade, load_domain, load_tasks, simulate
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.errors import SettingsError
from pytest_tau.schema.messages import attachments_of
from pytest_tau.schema.pictures import LARGEST
from pytest_tau.variants import applies, apply_doses, builtin_kinds, perturb, read_doses
from pytest_tau.variants import pictures as module
from tests.builders import Lines, mock, task

FILTERS = ("rotate", "blur", "crop", "low_light")
DOMAIN = load_domain("retail")
(TASK,) = load_tasks(builtin_folder("tasks", "retail_images") / "damaged_parcel_1.json")


def picture(of: Task) -> Any:
    (one,) = of.user_scenario.attachments or []
    return one


def pixels(of: Task) -> Any:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: pytest-tau[images]")
    return image.open(io.BytesIO(picture(of).content)).convert("L")


def light(of: Task) -> float:
    counts = pixels(of).histogram()
    return float(sum(level * count for level, count in enumerate(counts)) / sum(counts))


def edges(of: Task) -> int:
    """How much neighbours differ, from left to right."""
    image = pixels(of)
    data = image.tobytes()
    return sum(abs(one - other) for one, other in pairwise(data))


@pytest.mark.parametrize("kind", FILTERS)
def test_a_picture_is_changed_and_all_else_stays(kind: str) -> None:
    changed = perturb(TASK, DOMAIN, kind, seed=3)
    before, after = picture(TASK), picture(changed)
    assert after.content != before.content
    assert len(after.content) < LARGEST
    assert (after.id, after.alt, after.decides) == (before.id, before.alt, before.decides)
    assert changed.evaluation_criteria == TASK.evaluation_criteria
    assert changed.user_scenario.instructions == TASK.user_scenario.instructions
    assert picture(perturb(TASK, DOMAIN, kind, seed=3)).content == after.content
    assert picture(perturb(TASK, DOMAIN, f"{kind}:0")).content == before.content
    assert grade(changed, simulate(changed, DOMAIN), DOMAIN).passed
    # As the task itself holds it, it can be written into a file and read again.
    assert Task.model_validate_json(changed.model_dump_json()).user_scenario.attachments[0].data  # type: ignore[index]


def test_they_do_what_they_are_called_by() -> None:
    assert edges(perturb(TASK, DOMAIN, "blur:1")) < edges(perturb(TASK, DOMAIN, "blur:0.3")) < edges(TASK)
    assert light(perturb(TASK, DOMAIN, "low_light:1")) < light(perturb(TASK, DOMAIN, "low_light:0.3")) < light(TASK)
    assert picture(perturb(TASK, DOMAIN, "crop:1")).size == (480, 360)
    assert picture(perturb(TASK, DOMAIN, "rotate")).size != picture(TASK).size


def test_without_pillow_they_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    module._filter_picture.cache_clear()
    with pytest.raises(
        SettingsError, match=r"--tau-perturb blur: .* needs Pillow; .* pip install 'pytest-tau\[images\]'"
    ):
        perturb(TASK, DOMAIN, "blur")


def test_the_twin_is_told_what_the_others_are_shown() -> None:
    (dose,) = read_doses("told", builtin_kinds())
    twin = apply_doses(TASK, DOMAIN, [dose])
    assert twin is not None
    assert twin.view is not None
    played = simulate(twin.task, DOMAIN, view=twin.view)
    assert grade(TASK, played, DOMAIN).passed
    # The record says what the customer sent; the agent has read it in words.
    assert [one.id for message in played.messages for one in attachments_of(message)] == ["parcel_label"]
    agent = Lines(["Could you send me a photo?"])
    simulate(twin.task, DOMAIN, lambda context: agent, view=twin.view)
    assert not any(attachments_of(message) for seen in agent.seen for message in seen)
    assert f"[photo: {picture(TASK).alt}]" in "\n".join(message.content or "" for message in agent.seen[-1])


def test_they_apply_where_there_are_pictures() -> None:
    doses = [[dose] for dose in read_doses("told,rotate,blur,crop,low_light", builtin_kinds())]
    assert all(applies(TASK, DOMAIN, dose, builtin_kinds()) for dose in doses)
    assert not any(applies(task(), mock(), dose, builtin_kinds()) for dose in doses)
