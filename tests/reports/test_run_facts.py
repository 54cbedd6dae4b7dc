"""How a run's numbers came about, as a list and as lines."""

from pytest_tau.manifest import Manifest
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.markdown import markdown
from pytest_tau.reports.run_facts import fact_lines, no_model, players, run_facts

MANIFEST = Manifest(
    options={
        "agent": "mine:Agent",
        "agent_llm": "openai/gpt-4.1",
        "agent_llm_args": {"temperature": 0},
        "user_llm": "openai/gpt-4.1-mini",
        "judge_llm": "openai/o3",
        "judge_votes": 3,
        "criteria": "DB,COMMUNICATE",
        "mode": "solo",
        "policy": "workflow",
        "seed": 7,
        "invalid": "keep",
        "user_judge": False,
        "max_steps": 200,
        "timeout": 600.0,
    },
    content={"version of pytest-tau": "9.9"},
    about={"domains": "retail (built in, 3f2a)", "commit": "abc+", "command": "pytest --tau-k 4"},
    k=4,
    shard="2/5",
)


def totals() -> Totals:
    made = Totals()
    made.players["retail"] = {"mine:Agent openai/gpt-4.1"}
    made.users.add("llm openai/gpt-4.1-mini")
    return made


def test_everything_that_was_given_is_told_and_nothing_that_was_not() -> None:
    facts = dict(run_facts(MANIFEST, totals()))
    assert facts["agent"] == 'mine:Agent openai/gpt-4.1 (llm args {"temperature": 0})'
    assert facts["user"] == "none"
    assert facts["judge"] == "openai/o3 (votes 3)"
    assert facts["domains"] == "retail (built in, 3f2a)"
    assert (facts["k"], facts["shard"], facts["mode"], facts["seed"]) == ("4", "2/5", "solo", "7")
    assert (facts["criteria"], facts["policy"]) == ("DB,COMMUNICATE", "workflow")
    assert facts["limits"] == "max_steps 200, timeout 600.0"
    assert (facts["pytest-tau"], facts["commit"], facts["command"]) == ("9.9", "abc+", "pytest --tau-k 4")
    assert not {"tasks", "began", "invalid", "user judge"} & set(facts)


def test_a_command_is_told_once_with_the_settings_beside_it() -> None:
    made = Totals()
    made.players["retail"] = {"command:./agent.sh"}
    manifest = Manifest(options={"agent_command": "./agent.sh", "agent_protocol": "acp"})
    assert dict(run_facts(manifest, made))["agent"] == "command:./agent.sh (protocol acp)"


def test_the_data_is_told_by_its_hashes() -> None:
    content = {
        "list of files of retail": "1",
        "policy.md of retail": "2",
        "tasks in a.json": "1",
        "tasks in b.json": "2",
    }

    def data(**changes: str) -> str:
        facts = run_facts(Manifest(content={**content, **changes}), Totals())
        (told,) = [value for label, value in facts if label == "data"]
        return told

    domain, _, tasks = data().partition(", ")
    assert domain.startswith("retail ")
    assert tasks.startswith("tasks ")
    assert data(**{"policy.md of retail": "3"}).partition(", ")[2] == tasks
    assert data(**{"policy.md of retail": "3"}).partition(", ")[0] != domain
    assert data(**{"tasks in a.json": "2"}).partition(", ")[0] == domain
    assert data(**{"tasks in a.json": "2"}).partition(", ")[2] != tasks


def test_a_setting_that_this_module_does_not_know_is_told() -> None:
    assert ("perturb", "typos:0.5") in run_facts(Manifest(options={"perturb": "typos:0.5"}), Totals())


def test_what_was_switched_on_is_told() -> None:
    switched = {"stop": True, "user_judge": True, "parity": False, "user_llm": "x"}
    made = totals()
    facts = dict(run_facts(Manifest(options=switched), made))
    assert facts["stop"] == "when every gate is decided"
    assert facts["customers"] == "checked by the judge"
    assert (facts["parity"], facts["user"]) == ("off", "llm openai/gpt-4.1-mini")
    told = dict(run_facts(Manifest(options={"stop": False, "user_judge": False}), made))
    assert not {"stop", "customers", "parity"} & told.keys()
    assert dict(run_facts(Manifest(about={"parity": "on"}), made))["parity"] == "on"


def test_how_recordings_were_played_is_told_as_far_as_they_say() -> None:
    about = {"graded again from": "results.json", "recorded with": "seed 300, commit abc"}
    assert dict(run_facts(Manifest(about=about), Totals()))["recorded with"] == "seed 300, commit abc"


def test_recordings_claim_no_settings_of_the_run_that_graded_them() -> None:
    made = Totals()
    for _ in range(4):
        made.add(TrialFacts("retail", "t", "passed"))
    options = {"mode": "default", "seed": 300, "max_steps": 200, "criteria": "DB"}
    facts = dict(run_facts(Manifest(options=options, about={"graded again from": "results.json"}), made))
    assert (facts["agent"], facts["user"]) == ("not recorded", "not recorded")
    assert (facts["k"], facts["criteria"]) == ("4", "DB")
    assert not {"mode", "seed", "limits"} & facts.keys()
    assert players(made, list(facts.items())) == ("not recorded", "not recorded")


def test_who_was_to_play_is_told_where_nobody_came_to_it() -> None:
    facts = dict(run_facts(Manifest(options={"agent": "mine:Agent", "user_llm": "gpt"}), Totals()))
    assert (facts["agent"], facts["user"]) == ("mine:Agent", "gpt")
    facts = dict(run_facts(Manifest(options={"agent": ["a=noop", "b=mine:Agent"], "mode": "solo"}), Totals()))
    assert (facts["agent"], facts["user"]) == ("a=noop, b=mine:Agent", "none")
    facts = dict(run_facts(Manifest(about={"agent": "oracle", "user": "scripted"}), Totals()))
    assert (facts["agent"], facts["user"]) == ("oracle", "scripted")
    facts = dict(run_facts(Manifest(), Totals()))
    assert (facts["agent"], facts["user"]) == ("not known", "not known")


def test_alone_with_a_ticket_an_agent_has_no_customer() -> None:
    facts = run_facts(Manifest(options={"mode": "solo"}), totals())
    assert dict(facts)["user"] == "none"
    assert players(totals(), facts) == ("mine:Agent openai/gpt-4.1", "none")


def test_a_report_on_a_run_without_a_model_says_so_at_its_top() -> None:
    facts = run_facts(Manifest(about={"evaluated": "no model: they know the answers"}), totals())
    assert no_model(facts) == "No model was evaluated: they know the answers."
    assert no_model([]) == ""
    assert "No model was evaluated: they know the answers." in markdown(totals(), facts=facts).splitlines()
    assert not [line for line in fact_lines(facts) if "no model" in line]  # the terminal's last line says it


def test_several_agents_are_told_by_their_labels() -> None:
    facts = dict(run_facts(Manifest(about={"agents": "a: noop, b: mine:Agent"}), totals()))
    assert facts["agent"] == "a: noop, b: mine:Agent"


def test_lines_hold_several_facts_and_the_command_has_its_own() -> None:
    lines = fact_lines(run_facts(MANIFEST, totals()))
    assert lines[0].startswith("agent: mine:Agent openai/gpt-4.1 (")
    assert any(line.startswith("domains: retail (built in, 3f2a)   k 4") for line in lines)
    assert lines[-1] == "command: pytest --tau-k 4"
    assert all(len(line) <= 120 for line in lines)
    assert len(lines) < len(run_facts(MANIFEST, totals()))
