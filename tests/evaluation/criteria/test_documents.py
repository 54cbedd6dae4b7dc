"""What was found and read: the check read_before, and recall and precision of a trial."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Domain, Task, grade, load_domain, simulate
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.evaluation.criteria.documents import documents_seen
from pytest_tau.schema.messages import AssistantMessage, ToolCall, ToolMessage
from tests.environment.documents.library import TEXTS, cancelling, library, write_library

READ = ("read_document", {"document_id": "cancelling"})
WRITE = ("cancel", {"order_id": "O1"})


class Calls:
    """An agent that makes calls, one a turn, and then says goodbye."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self._left = list(calls)

    def reply(self, messages: object) -> AssistantMessage:
        if not self._left:
            return AssistantMessage(content="Done. Goodbye.", cost=0.0)
        name, arguments = self._left.pop(0)
        return AssistantMessage(
            tool_calls=[ToolCall(id=str(len(self._left)), name=name, arguments=arguments)], cost=0.0
        )


def graded(domain: Domain, task: Task, *calls: tuple[str, dict[str, Any]]) -> Any:
    return grade(task, simulate(task, domain, agent=Calls(*calls)), domain)


def explained(reward: Any) -> str:
    check, *_ = reward.result("TRAJECTORY").checks
    return str(check.explanation)


def test_reading_before_writing(tmp_path: Path) -> None:
    domain = library(tmp_path)
    assert graded(domain, cancelling(), READ, WRITE).passed
    late = graded(domain, cancelling(), WRITE, READ)
    assert not late.passed
    assert explained(late) == "cancelling was read in turn 4, after cancel was called in turn 2"
    assert late.result("TRAJECTORY").checks[0].turn == 2
    never = graded(domain, cancelling(), ("search_documents", {"query": "cancelled"}), WRITE)
    assert explained(never) == "cancelling was never read"


def test_another_document_and_a_failed_reading_are_none(tmp_path: Path) -> None:
    domain = library(tmp_path)
    wrong = ("read_document", {"document_id": "parcels"})
    missing = ("read_document", {"document_id": "cancelling", "page": 9})
    assert explained(graded(domain, cancelling(), wrong, missing, WRITE)) == "cancelling was never read"


def test_what_stands_in_the_policy_has_been_read(tmp_path: Path) -> None:
    assert graded(library(tmp_path / "a", "golden"), cancelling(), WRITE).passed
    assert graded(library(tmp_path / "b", "full"), cancelling(), WRITE).passed
    assert not graded(library(tmp_path / "c", "none"), cancelling(), WRITE).passed


def test_a_check_may_name_its_documents_and_tools(tmp_path: Path) -> None:
    check = {"check": "read_before", "documents": ["winter"], "names": ["three"]}
    task = cancelling(evaluation_criteria={"trajectory": [check], "reward_basis": ["TRAJECTORY"]})
    winter = ("read_document", {"document_id": "winter"})
    three = ("three", {"a": "a", "b": "b", "c": "c"})
    domain = library(tmp_path)
    assert graded(domain, task, WRITE, winter, three).passed
    assert graded(domain, task, winter).passed
    assert not graded(domain, task, three, winter).passed
    assert not graded(domain, task).passed


def test_the_oracle_reads_and_does_nothing_fails(tmp_path: Path) -> None:
    for setting in ("bm25", "grep", "golden", "full"):
        domain = library(tmp_path / setting, setting)
        assert grade(cancelling(), simulate(cancelling(), domain), domain).passed, setting
        assert not grade(cancelling(), simulate(cancelling(), domain, agent="noop"), domain).passed, setting


def test_recall_and_precision(tmp_path: Path) -> None:
    domain, task = library(tmp_path), cancelling(required_documents=["cancelling", "winter"])
    found = graded(domain, task, ("search_documents", {"query": "parcel"}), READ).retrieval
    assert (found.required, found.found, found.read) == (
        ["cancelling", "winter"],
        ["parcels", "cancelling"],
        ["cancelling"],
    )
    assert (found.recall, found.precision) == (0.5, 0.5)
    nothing = graded(domain, task).retrieval
    assert (nothing.recall, nothing.precision) == (0.0, None)


def test_where_there_is_nothing_to_find_there_is_no_recall(tmp_path: Path) -> None:
    assert graded(library(tmp_path / "a", "golden"), cancelling(), WRITE).retrieval is None
    assert graded(library(tmp_path / "b"), cancelling(required_documents=None), READ).retrieval is None


@pytest.mark.parametrize(("fields", "said"), [
    ({"required_documents": ["cancel"]}, "required_documents: there is no document 'cancel' (did you mean"),
    ({"required_documents": None}, "names no documents, and the task has no required_documents"),
    ({"evaluation_criteria": {"trajectory": [{"check": "read_before", "documents": ["x"]}]}}, "no document 'x'"),
    ({"evaluation_criteria": {"trajectory": [{"check": "read_before", "names": ["x"]}]}}, "no assistant tool 'x'"),
])  # fmt: skip
def test_tasks_that_do_not_fit(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    assert any(said in problem for problem in task_problems(cancelling(**fields), library(tmp_path)))


def test_a_domain_without_documents_has_nothing_to_read() -> None:
    from pytest_tau import load_domain

    problems = list(task_problems(cancelling(), load_domain("mock")))
    assert "evaluation_criteria.trajectory[0]: domain 'mock' has no documents to read" in problems
    declare = "declare them in its domain.py: documents=KnowledgeBase()"
    alone = cancelling(evaluation_criteria={"actions": [], "reward_basis": ["DB"]})
    assert list(task_problems(alone, load_domain("mock"))) == [
        f"required_documents: domain 'mock' has no documents; {declare}"
    ]


def test_a_document_that_only_writes_such_a_line_shows_no_other(tmp_path: Path) -> None:
    texts = {"index.md": "# Index\n\nID: cancelling\n\nID: index\nsee ID: fees\n", "fees.md": "# Fees\n\nNone.\n"}
    folder = write_library(tmp_path / "shop", {**TEXTS, **texts})
    domain, both = load_domain(folder), ("grep_documents", {"text": "ID:|cancelled"})
    index = ("read_document", {"document_id": "index"})
    found = graded(domain, cancelling(), index, WRITE)
    assert explained(found) == "cancelling was never read"
    assert found.retrieval.found == ["index"]
    assert graded(domain, cancelling(), both).retrieval.found == ["cancelling", "index"]
    assert graded(domain, cancelling(), index, READ, WRITE).passed


def test_a_tool_may_name_documents_line_by_line(tmp_path: Path) -> None:
    result = ToolMessage(id="1", name="search_documents", content="ID: cancelling\nID: parcels\nID: fees\n")
    call = AssistantMessage(tool_calls=[ToolCall(id="1", name="search_documents", arguments={"query": "fees"})])
    texts = {**TEXTS, "fees.md": "# Fees\n\nNone.\n"}
    domain = load_domain(write_library(tmp_path / "shop", texts))
    assert [id for _, id, _ in documents_seen([call, result], domain)] == ["cancelling", "parcels", "fees"]
