"""What ``--tau-resume`` refuses: to go on with another run than the one that was begun."""

import pytest

from pytest_tau.agents import prompts
from tests.options.models import AGENT, COMPETENT, KEY, ONE, Serve
from tests.options.usage import refused
from tests.plugin.inner import AGENTS, make_shop
from tests.plugin.parts import mock_play, play

RESUME = "--tau-resume"
CANNOT = "ERROR: --tau-resume: the trials in *2* cannot be combined with new ones: "
TODO = "; put it back as it was, or begin a new run without --tau-resume"


def assert_refuses(pytester: pytest.Pytester, *args: str, because: list[str]) -> None:
    refused(pytester, *args, RESUME).fnmatch_lines([f"{CANNOT}{'; '.join(because)}{TODO}"])


@pytest.mark.parametrize(
    ("before", "changes"),
    [
        (
            (),
            {
                "--tau-agent=noop": '--tau-agent was not given and is "noop"',
                "--tau-invalid=drop": '--tau-invalid was "keep" and is "drop"',
                "--tau-max-steps=5": "--tau-max-steps was 200 and is 5",
                "--tau-parity=on": "--tau-parity was not given and is true",
                "--tau-user=agents:Leaves": '--tau-user was not given and is "agents:Leaves"',
                "--tau-shard=1/2": "--tau-shard was not given and is 1/2",
            },
        ),
        (
            ("--tau-agent=noop", "--tau-seed=1", "--tau-k=3", "--tau-shard=1/3"),
            {
                "--tau-agent=oracle": '--tau-agent was "noop" and is "oracle"',
                "--tau-seed=2": "--tau-seed was 1 and is 2",
                "--tau-k=2": "--tau-k was 3 and is 2",
                "--tau-shard=2/3": "--tau-shard was 1/3 and is 2/3",
            },
        ),
    ],
    ids=["given now", "another value"],
)
def test_what_may_not_change(pytester: pytest.Pytester, before: tuple[str, ...], changes: dict[str, str]) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_play(pytester, ONE, *before)
    assert_refuses(pytester, "--tau-domain=mock", ONE, *changes, because=list(changes.values()))


def test_another_policy(pytester: pytest.Pytester) -> None:
    telecom = ("--tau-domain=telecom", "--tau-tasks=1", "--tau-agent=noop")
    play(pytester, *telecom, "--tau-policy=manual")
    assert_refuses(pytester, *telecom, "--tau-policy=workflow", because=['--tau-policy was "manual" and is "workflow"'])


def test_changed_files(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    pytester.makeini("[pytest]\ntau_task_dirs = tasks")
    play(pytester, "tasks")
    play(pytester, "tasks", RESUME).assert_outcomes(deselected=1)
    for name, sentence, gone in (
        ("tasks/shop/sell_one.json", "tasks in tasks/shop/sell_one.json changed", None),
        ("domains/shop/domain.py", "domain.py of shop changed", "list of files of shop changed"),
        ("domains/shop/policy.md", "policy.md of shop changed", "list of files of shop changed"),
        ("domains/shop/db.json", "db.json of shop changed", "list of files of shop changed"),
    ):
        path = pytester.path / name
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        assert_refuses(pytester, ".", because=[sentence])
        path.unlink()
        assert_refuses(pytester, ".", because=[gone or sentence])
        path.write_bytes(before)


def test_another_version_of_ours(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    mock_play(pytester, ONE)
    monkeypatch.setattr("pytest_tau.__version__", "99.0")
    assert_refuses(pytester, "--tau-domain=mock", ONE, because=["version of pytest-tau changed"])


def test_another_model_its_parameters_and_prompts(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(COMPETENT)
    arguments = '--tau-agent-llm-args={"temperature": %s, "api_key": "%s"}'
    mock_play(pytester, ONE, AGENT, arguments % (0, KEY))
    asked = len(server.requests)
    for args, sentence in (
        (
            ("--tau-agent-llm=openai/other", arguments % (0, KEY)),
            '--tau-agent-llm was "openai/agent" and is "openai/other"',
        ),
        (
            (AGENT, arguments % (1, KEY)),
            '--tau-agent-llm-args was {"temperature": 0} and is {"temperature": 1}',
        ),
    ):
        assert_refuses(pytester, "--tau-domain=mock", ONE, *args, because=[sentence])
    # Another key is no other experiment.
    assert mock_play(pytester, ONE, AGENT, arguments % (0, "sk-another-0123456789"), RESUME).ret == pytest.ExitCode.OK
    monkeypatch.setattr(prompts, "PROMPT_VERSION", "ours/99")
    changed = ["prompt version of the agent changed"]
    assert_refuses(pytester, "--tau-domain=mock", ONE, AGENT, arguments % (0, KEY), because=changed)
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    "given",
    [("--tau-agent-llm-args", '{"api_key": "%s"}'), ("-o", 'tau_agent_llm_args={"api_key": "%s"}')],
    ids=["option", "ini"],
)
def test_no_key_is_written_anywhere(pytester: pytest.Pytester, serve: Serve, given: tuple[str, ...]) -> None:
    """Other spellings of the same: tests/plugin/recording/test_resuming.py."""
    serve(COMPETENT)
    word = "a word without the look of a key"
    mock_play(pytester, ONE, AGENT, *(text.replace("%s", word) for text in given)).assert_outcomes(passed=1)
    files = [path for path in (pytester.path / ".tau").rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"journal.jsonl", "manifest.json"}
    for path in files:
        assert word not in path.read_text(encoding="utf-8"), path


def test_no_run_yet(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", RESUME).fnmatch_lines(
        [f"ERROR: --tau-resume: {pytester.path / '.tau'} has no run to continue; *"]
    )


def test_a_run_nobody_knows_the_manner_of(pytester: pytest.Pytester) -> None:
    mock_play(pytester, ONE)
    (pytester.path / ".tau/latest/manifest.json").unlink()
    told = "is missing, so it is unknown how these trials were played; name another run, or begin a new one"
    refused(pytester, "--tau-domain=mock", RESUME).fnmatch_lines([f"ERROR: --tau-resume: *manifest.json: {told}"])


# What is about the whole run.
