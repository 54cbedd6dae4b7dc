"""The example of a local model: our own tasks, played through litellm's real HTTP path on a provider's bad day."""

import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_tau import grade, load_domain, load_journal, load_tasks, simulate
from pytest_tau.agents.llm import llm_agent
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.schema.simulation import Termination
from pytest_tau.users.llm import llm_user
from tests.plugin.inner import apart, what_counts

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "local_model" / "serve.py"

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("local_model_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def serving(example: ModuleType, *arguments: str) -> Iterator[Any]:
    with example.make_server([str(ROOT / "tasks" / "mock"), "--port", "0", *arguments]) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("suite", ["retail", "airline", "telecom", "safety"])
def test_it_reads_the_folder_of_a_suite_with_all_that_lies_there(example: ModuleType, suite: str) -> None:
    assert len(example.read_tasks([ROOT / "tasks" / suite])) > 20


def test_what_customers_say_later_they_say_at_once(example: ModuleType) -> None:
    later = [{"when": "done", "say": "And the lamp."}]
    instructions = {"reason_for_call": "The kettle.", "known_info": "I am Ann.", "piecemeal": True, "later": later}
    task = example.Task({"user_scenario": {"instructions": instructions}})
    assert (task.opening, task.marks) == ("The kettle. I am Ann. And the lamp.", ["The kettle.", "I am Ann."])


async def no_wait(seconds: float) -> None:
    """Waits of the retries, at once."""


def client(server: Any, model: str) -> LiteLLMClient:
    return LiteLLMClient(f"openai/{model}", {"api_base": server.url, "api_key": "none"}, sleep=no_wait)


def test_a_competent_model_passes_our_tasks_through_429s_and_resets(example: ModuleType) -> None:
    domain = load_domain("mock")
    with serving(example, "--rate-limited", "0.2", "--resets", "0.05", "--seed", "1") as server:
        agent, user = llm_agent(client(server, "agent")), llm_user(client(server, "user"))
        tasks = [task for task in load_tasks("mock") if all(a.requestor == "assistant" for a in task.gold_actions)]
        played = [(task, simulate(task, domain, agent, user)) for task in tasks]
    assert {simulation.termination_reason for _, simulation in played} == {Termination.USER_STOP}
    assert [task.id for task, simulation in played if not grade(task, simulation, domain).passed] == []
    assert server.counts["rate limited"] > 0


# In a conftest.py: nobody waits as long as a provider asks for.
NO_WAITING = """
from pytest_tau.llm.client import LiteLLMClient

async def _at_once(seconds):
    pass

LiteLLMClient.__init__.__kwdefaults__["sleep"] = _at_once
"""
KEY = "sk-test-0123456789abcdef"


@pytest.mark.slow
def test_workers_lose_nothing_on_a_bad_day_and_leave_no_key(
    example: ModuleType, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeconftest(NO_WAITING)
    with serving(example, "--rate-limited", "0.2", "--resets", "0.05", "--seed", "1") as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        models = ["--tau-agent-llm=openai/agent", "--tau-user-llm=openai/user"]
        outputs = ["--tau-html=all.html", "--tau-markdown=all.md", "--tau-export=all.json", "--junitxml=all.xml"]
        arguments = ["--tau-domain=mock", *models, "-n2", "--tau-k=2"]
        result = apart(pytester, *arguments, *outputs, "--tau-cassette=record", "-v", "-l")
    records = load_journal(pytester.path / ".tau")
    assert len(records) == 12
    # A task in which the customer has to act is beyond this server's customer.
    assert {record.outcome.value for record in records} <= {"passed", "missed"}
    assert {record.task_id for record in records if record.outcome == "missed"} <= {"read_and_dismiss"}
    assert server.counts["rate limited"] > 0
    assert server.counts["reset"] > 0
    files = [file for file in pytester.path.rglob("*") if file.is_file()]
    assert {file.name for file in files} >= {"all.html", "all.md", "all.json", "all.xml", "journal.jsonl"}
    assert [file for file in files if KEY.encode() in file.read_bytes()] == []
    assert KEY not in result.stdout.str() + result.stderr.str()
    # The workers have recorded into one folder, and play from it, with the server gone.
    monkeypatch.delenv("OPENAI_API_KEY")
    assert apart(pytester, *arguments, "--tau-cassette=replay").ret == result.ret
    assert what_counts(load_journal(pytester.path / ".tau")) == what_counts(records)


def test_a_model_that_slips_misses(example: ModuleType) -> None:
    domain = load_domain("mock")
    (task,) = (task for task in load_tasks("mock") if task.id == "add_a_task")
    with serving(example, "--slip", "1") as server:
        played = simulate(task, domain, llm_agent(client(server, "agent")), llm_user(client(server, "user")))
    assert not grade(task, played, domain).passed
