"""The page of one trial: everything said on it, nothing on it that runs."""

import base64
import hashlib
import html
import re

import pytest

from pytest_tau.reports.conversation import conversation_html
from pytest_tau.reports.evidence import visible_text
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.record import TrialRecord
from tests.builders import a_call, asks, result_of, says, task
from tests.reports.runs import hostile_run, hostile_tasks, record, simulation
from tests.reports.test_html import Elements

OURS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "bdi", "details", "summary", "pre", "code"}
OURS |= {"ol", "ul", "li", "small"}


def of(*messages: AnyMessage) -> TrialRecord:
    return record("t", 2, simulation=simulation(messages=list(messages)))


def test_shows_turns_calls_results_and_the_grade() -> None:
    call = a_call("update_task_status", task_id="task_1")
    messages: list[AnyMessage] = [
        asks("Please."),
        says("At once.", call),
        result_of(call, "Error: none", error=True),
        says("Sorry."),
    ]
    page = conversation_html(of(*messages), task(id="t"))
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
    for part in ("Please.", "At once.", 'update_task_status(task_id="task_1")', "Error: none", "Sorry.", "DB: met"):
        assert part in text


@pytest.mark.parametrize("trial", list(hostile_run()))
def test_hostile_text_stays_text(trial: TrialRecord) -> None:
    page = conversation_html(trial, hostile_tasks()[trial.domain, trial.task_id])
    elements = Elements(page)
    assert {tag for tag, _ in elements.found} <= OURS
    attributes = {name for _, attributes in elements.found for name in attributes}
    assert attributes <= {"lang", "charset", "http-equiv", "content", "name", "class", "value"}
    assert visible_text(trial.task_id)[:100] in html.unescape(page)


def test_its_policy_lets_nothing_run_and_only_its_own_style_apply() -> None:
    page = conversation_html(of(says("Hello.")), task(id="t"))
    (style,) = Elements(page).of("style")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri" in html.unescape(page)
