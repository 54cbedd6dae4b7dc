"""``--tau-knowledge``: how the agent gets at a domain's documents."""

import json

import pytest

from tests.environment.documents.library import cancelling, write_library
from tests.llm.server import fails, vectors
from tests.options.models import Serve
from tests.options.usage import refused
from tests.plugin.inner import journal
from tests.plugin.parts import play
from tests.shared import shared


@pytest.fixture
def shop(pytester: pytest.Pytester) -> pytest.Pytester:
    write_library(pytester.path / "domains" / "shop")
    tasks = pytester.path / "tasks" / "shop"
    tasks.mkdir(parents=True)
    (tasks / "cancel.json").write_text(cancelling().model_dump_json(), encoding="utf-8")
    return pytester


def test_the_agent_searches_and_the_table_says_how_well(shop: pytest.Pytester) -> None:
    result = shop.runpytest("--tau-domain=shop", "--tau-knowledge=bm25")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([
        "tau: *; knowledge bm25; *",
        "retrieval: 100.0 % of the required documents found (recall), 100.0 % *required (precision); mean of 1 trial.",
    ])  # fmt: skip
    (record,) = journal(shop.path)
    assert record.reward is not None
    assert record.reward.retrieval is not None
    assert record.reward.retrieval.read == ["cancelling"]
    assert record.simulation is not None
    assert record.simulation.knowledge == "bm25"
    (line,) = (shop.path / ".tau" / "latest" / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["reward"]["retrieval"]["recall"] == 1.0


def test_ini_twin_and_a_setting_that_shows_all(shop: pytest.Pytester) -> None:
    shop.makeini("[pytest]\ntau_knowledge = none")
    play(shop, "--tau-domain=shop").assert_outcomes(failed=1)
    result = play(shop, "--tau-domain=shop", "--tau-knowledge=full")
    result.assert_outcomes(passed=1)
    assert "retrieval" not in result.stdout.str()


def test_a_recording_is_graded_with_what_its_agent_had(shop: pytest.Pytester) -> None:
    play(shop, "--tau-domain=shop", "--tau-knowledge=golden").assert_outcomes(passed=1)
    play(shop, "--tau-rescore=.tau").assert_outcomes(passed=1)


@pytest.mark.parametrize(("setting", "said"), [
    ("nope", "*unknown knowledge setting 'nope'; use none, full, golden, grep, bm25 or embeddings:MODEL*"),
])  # fmt: skip
def test_a_bad_value_says_what_there_is(shop: pytest.Pytester, setting: str, said: str) -> None:
    refused(shop, "--tau-domain=shop", f"--tau-knowledge={setting}").fnmatch_lines([said])


def test_a_domain_without_documents_says_so(pytester: pytest.Pytester) -> None:
    said = refused(pytester, "--tau-domain=mock", "--tau-knowledge=bm25")
    said.fnmatch_lines(["*domain 'mock' has no documents*"])


def test_of_several_domains_it_holds_for_those_with_documents(shop: pytest.Pytester) -> None:
    result = play(shop, "--tau-domain=shop,mock", "--tau-knowledge=golden", "--tau-tasks=1")
    result.assert_outcomes(passed=2)


def test_public_tasks_and_what_needs_a_shell(pytester: pytest.Pytester) -> None:
    public = ("--tau-domain=banking_knowledge", f"--tau-data={shared('tau2')}", "--tau-tasks=task_001,task_048")
    result = play(pytester, *public, "--tau-knowledge=golden_retrieval", "--tau-export=tau2:run.json")
    result.assert_outcomes(passed=2)
    written = json.loads((pytester.path / "run.json").read_text(encoding="utf-8"))
    assert written["info"]["retrieval_config"] == "golden_retrieval"
    assert written["info"]["environment_info"]["policy"].startswith("(Policy is task-specific")
    assert all("<required_documents>" in run["policy"] for run in written["simulations"])
    play(pytester, "--tau-rescore=run.json", public[1]).assert_outcomes(passed=2)
    said = refused(pytester, *public, "--tau-knowledge=terminal_use")
    said.fnmatch_lines(["*--tau-knowledge terminal_use: this knowledge setting gives the agent a shell*"])


SEARCHER = """
    from pytest_tau.schema.messages import AssistantMessage, ToolCall

    class Searcher:
        def __init__(self, context):
            self.left = [
                ("search_documents", {"query": "parcel"}),
                ("read_document", {"document_id": "cancelling"}),
                ("cancel", {"order_id": "O1"}),
            ]

        def reply(self, messages):
            if not self.left:
                return AssistantMessage(content="Done. Goodbye.", cost=0.0)
            name, arguments = self.left.pop(0)
            return AssistantMessage(tool_calls=[ToolCall(id=name, name=name, arguments=arguments)], cost=0.0)
"""


def test_search_by_meaning_is_paid_for_and_recorded(
    shop: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.makepyfile(searcher=SEARCHER)
    (shop.path / "prices.json").write_text(json.dumps({"tiny": {"input": 10.0, "output": 0.0}}))
    monkeypatch.setenv("XDG_CACHE_HOME", str(shop.path / "cache"))
    options = ("--tau-domain=shop", "--tau-knowledge=embeddings:openai/tiny", "--tau-agent=searcher:Searcher")
    server = serve(lambda request: vectors(request, "parcel", "Open"))
    play(shop, *options, "--tau-cassette=record", "--tau-budget=1", "--tau-prices=prices.json")
    (record,) = journal(shop.path)
    assert record.outcome == "passed"
    assert record.simulation is not None
    assert record.simulation.agent_cost == pytest.approx(6 * 7 * 10 / 1e6)
    assert [len(request.body["input"]) for request in server.requests] == [5, 1]
    play(shop, *options, "--tau-cassette=replay").assert_outcomes(passed=1)
    assert len(server.requests) == 2
    serve(fails(401, "no"))
    play(shop, *options)
    (failed,) = journal(shop.path)
    assert failed.outcome == "infra_error"
