"""What is submitted to the leaderboard: only runs whose numbers mean what its numbers mean; what differs is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import __version__, load_domain
from pytest_tau.errors import RecordingError
from pytest_tau.manifest import GRADED_AGAIN
from pytest_tau.reports.leaderboard import write_leaderboard
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.builders import task
from tests.reports.runs import record, simulation
from tests.shared import shared

AGENT = "llm openai/gpt-4.1"


def run(agent: str = AGENT, *parameters: dict[str, Any]) -> list[TrialRecord]:
    found = []
    for number, given in enumerate(parameters or ({},), 1):
        more: dict[str, Any] = {"domain": "retail", "agent": agent, "agent_parameters": given}
        played = simulation("t", number, end_time="2025-01-01T00:00:00", **more)
        found.append(record("t", number, Outcome.PASSED, domain="retail", simulation=played))
    return found


def submission(
    tmp_path: Path,
    agent: str = AGENT,
    parity: bool = True,
    played: list[TrialRecord] | None = None,
    facts: dict[str, str] | None = None,
    **settings: Any,
) -> Any:
    write_leaderboard(
        run(agent) if played is None else played,
        tmp_path / "s.json",
        domains={"retail": load_domain("retail", parity=parity)},
        tasks={("retail", "t"): task(id="t")},
        expected={"retail": ["t"]},
        settings=settings,
        facts=facts or {"seed": "7", "command": "pytest"},
    )
    return json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))


def test_each_trial_has_a_seed_of_its_own_and_the_parameters_of_all(tmp_path: Path) -> None:
    same = run(AGENT, {"temperature": 0.0, "seed": 11}, {"temperature": 0.0, "seed": 12})
    assert submission(tmp_path, played=same)["model_name"] == "openai/gpt-4.1"
    with pytest.raises(RecordingError, match=r"and this run has llm openai/gpt-4\.1 with several$"):
        submission(tmp_path, played=run(AGENT, {"temperature": 0.0}, {"temperature": 1.0}))


def test_a_domain_of_which_nothing_was_played_as_it_is_is_named(tmp_path: Path) -> None:
    domains = {name: load_domain(name, parity=True) for name in ("retail", "airline")}
    with pytest.raises(RecordingError, match="no task of airline was played as it is; run it again without that"):
        write_leaderboard(run(), tmp_path / "s.json", domains=domains, tasks={}, expected={})


def test_a_task_that_several_tests_have_played_is_refused(tmp_path: Path) -> None:
    again = [one.model_copy(update={"nodeid": "test_it.py::test_it[t-trial1]"}) for one in run()]
    with pytest.raises(RecordingError, match="several tests or agents have played the same task; run it again with"):
        submission(tmp_path, played=[*run(), *again])


def test_a_plain_run_is_told_as_one(tmp_path: Path) -> None:
    found = submission(tmp_path, mode="default", max_steps=200)
    assert found["methodology"]["verification"]["details"] == "All tasks of the base split, equally often."
    assert found["methodology"]["notes"].endswith(" seed: 7.")
    assert found["model_name"] == "openai/gpt-4.1"
    trajectories = json.loads((tmp_path / "trajectories/retail_results.json").read_text(encoding="utf-8"))
    assert trajectories["info"]["pytest_tau"]["command"] == "pytest"


def test_of_a_recording_nothing_is_said_that_only_its_maker_knows(tmp_path: Path) -> None:
    found = submission(tmp_path, facts={GRADED_AGAIN: "theirs.json"})["methodology"]
    assert found["notes"].endswith(f"{__version__}. {GRADED_AGAIN}: theirs.json.")
    assert found["verification"]["modified_prompts"] is False
    assert submission(tmp_path)["methodology"]["verification"]["modified_prompts"] is True


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"criteria": "DB,COMMUNICATE"}, "graded by DB,COMMUNICATE alone"),
        ({"mode": "oracle-plan"}, "told the plan"),
        ({"parity": False}, "did not follow the reference"),
        ({"agent": "oracle"}, "its agent oracle knows the answers"),
        ({"agent": "faulty:rate=0.1"}, "knows the answers"),
    ],
)
def test_what_the_leaderboard_does_not_allow_is_refused(tmp_path: Path, settings: dict[str, Any], why: str) -> None:
    with pytest.raises(RecordingError, match=why):
        submission(tmp_path, **settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"policy": "workflow"}, "policy workflow"), ({"mode": "solo"}, "mode solo"), ({"max_steps": 30}, "max_steps 30")],
)
def test_what_differs_is_said(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    assert submission(tmp_path, **settings)["methodology"]["verification"]["details"] == said


def test_a_run_on_documents_names_its_retrieval_setting(tmp_path: Path) -> None:
    played = simulation("t", 1, domain="banking_knowledge", agent=AGENT, end_time="2025-01-01T00:00:00")
    domain = load_domain("banking_knowledge", data=shared("tau2"), knowledge="golden,top_k=3")
    write_leaderboard(
        [record("t", 1, Outcome.PASSED, domain="banking_knowledge", simulation=played)],
        tmp_path / "s.json",
        domains={"banking_knowledge": domain},
        tasks={("banking_knowledge", "t"): task(id="t")},
        expected={"banking_knowledge": ["t"]},
        settings={},
        facts={},
    )
    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert found["results"]["banking_knowledge"]["retrieval_config"] == "golden_retrieval"
    assert found["model_release"] == {}
    trajectories = json.loads((tmp_path / "trajectories/banking_knowledge_results.json").read_text(encoding="utf-8"))
    assert trajectories["info"]["retrieval_config"] == "golden_retrieval"
    assert trajectories["info"]["retrieval_config_kwargs"] == {"top_k": 3}
    assert trajectories["simulations"][0]["policy"].rstrip().endswith("</required_documents>")
