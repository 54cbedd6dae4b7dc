"""What is refused before any trial is played, of what no module of its own refuses."""

import glob
import os
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from pytest_tau.plugin.refusals import check
from pytest_tau.plugin.run import Run
from tests.options.usage import refused
from tests.plugin.inner import task, write
from tests.plugin.parts import configure
from tests.recordings.test_rescored import tau2_file


@pytest.mark.parametrize("k", ["3", "4", "10"])
def test_the_trials_must_divide_among_the_customers(pytester: pytest.Pytester, k: str) -> None:
    with pytest.raises(pytest.UsageError) as refused:
        check(Run(pytester.parseconfig(f"--tau-k={k}", "--tau-user-seeds=4")))
    assert str(refused.value) == (
        "--tau-user-seeds 4: each customer must meet two trials or more, and as many: run with --tau-k 8 or 12"
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["html=r/x", "markdown=r/../r/x"], "--tau-markdown r/../r/x: --tau-html r/x writes this file too; *"),
        (["export=csv:x", "export=stats:x"], "--tau-export stats:x: --tau-export csv:x writes this file too; *"),
        (["html=run/journal.jsonl"], "--tau-html run/journal.jsonl: a run keeps its results in this file; *"),
        (["export=link/manifest.json"], "--tau-export tau2:link/manifest.json: a run keeps its results in this *"),
        (["html=run"], "--tau-html run: it is a folder; name another"),
        (["export=csv:."], "--tau-export csv:.: it is a folder; name another"),
        (
            ["export=csv:x", "markdown=x.run.json"],
            "--tau-markdown x.run.json: --tau-export csv:x writes this file too; *",
        ),
        (["html=x.run.json", "export=sft:x"], "--tau-html x.run.json: --tau-export sft:x writes this file too; *"),
        (["export=r.json", "export=csv:r.mock.json"], "*csv:r.mock.json: --tau-export tau2:r.json writes this file *"),
        (
            ["agent=a.b=noop", "agent=c=oracle", "export=r.json", "html=r.mock.a.b.json"],
            "--tau-html r.mock.a.b.json: --tau-export tau2:r.json writes this file too; name another",
        ),
        (
            ["agent-llm=m", "prices=p.json", "html=p.json"],
            "*it would take the place of the file of --tau-prices; *",
        ),
        (["policy=p.md", "markdown=p.md"], "*it would take the place of the file of --tau-policy; *"),
        (
            ["agent=few-shot", "agent-llm=m", "few-shot=f", "export=f"],
            "*the place of the file of --tau-few-shot; *",
        ),
        (["baseline=b.run.json", "bless", "agent=noop", "export=csv:b"], "*place of the file of --tau-baseline; *"),
        (["html=agents.py"], "--tau-html agents.py: there is Python in this file; name another"),
        (["domain=own", "html=tasks/own/t.json"], "*t.json: there are tasks in this file; name another"),
        (["markdown=pipe"], "--tau-markdown pipe: it is a device, pipe or socket, and no file; name another"),
    ],
)
def test_what_is_written_takes_the_place_of_nothing_else(
    pytester: pytest.Pytester, options: list[str], sentence: str
) -> None:
    os.mkfifo("pipe")
    Path("run").mkdir()
    Path("run/journal.jsonl").touch()
    Path("link").symlink_to("run")
    Path("agents.py").touch()
    for name, content in (("p.json", {}), ("tasks/own/t.json", [task()]), ("f", {"messages_display": "Hi"})):
        write(Path(), name, content)
    with pytest.raises(pytest.UsageError) as refused:
        check(Run(pytester.parseconfig(*(f"--tau-{option}" for option in options))))
    assert fnmatchcase(str(refused.value), sentence)


def test_what_is_graded_again_is_kept(pytester: pytest.Pytester) -> None:
    file = tau2_file(Path("rec.json"))
    before = file.read_bytes()
    with pytest.raises(pytest.UsageError, match="the file of --tau-rescore; name another"):
        configure(pytester, "--tau-rescore=rec.json", "--tau-markdown=rec.json")
    assert file.read_bytes() == before


def test_files_that_differ_in_the_folder_of_a_run_are_not_refused(pytester: pytest.Pytester) -> None:
    Path("run").mkdir()
    Path("run/journal.jsonl").touch()
    check(Run(pytester.parseconfig("--tau-html=run/r.html", "--tau-markdown=run/r.md", "--tau-export=manifest.json")))


def test_a_folder_of_tasks_that_is_not_there_is_no_empty_one(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_task_dirs = evals")
    with pytest.raises(pytest.UsageError) as refused:
        configure(pytester)  # also where nothing else is asked for
    assert fnmatchcase(str(refused.value), "ini value tau_task_dirs: there is no folder */evals; create it, or *")
    Path("evals").mkdir()
    check(Run(pytester.parseconfig()))


def test_a_run_that_can_be_is_not_refused(pytester: pytest.Pytester) -> None:
    check(Run(pytester.parseconfig("--tau-k=8", "--tau-user-seeds=4")))


@pytest.mark.parametrize(
    ("arg", "sentence"),
    [
        ("tau", "tau: a suite's name is missing: built in are airline, *mock, *"),
        ("tau/", "tau/: a suite's name is missing: built in are airline, *mock, *"),
        ("tau/moc", "tau/moc: there is no suite of tasks 'moc' (did you mean 'mock'[?]): *"),
        ("tau/../domains", "tau/../domains: there is no suite of tasks '..': *"),
        (
            "tau/mock/add_task.json::test_task[trial1]",
            "tau/mock/add_task.json::test_task[[]trial1[]]: the built-in suite 'mock' has no file 'add_task.json' "
            "(did you mean 'add_a_task.json'[?]): pytest --tau-domain mock --collect-only -q lists its tests",
        ),
        ("tau2", "tau2: name a domain of the public data, such as tau2/retail"),
    ],
)
def test_what_no_built_in_suite_is_called_says_what_there_is(
    pytester: pytest.Pytester, arg: str, sentence: str
) -> None:
    run = Run(pytester.parseconfig(arg))
    assert run.is_asked
    with pytest.raises(pytest.UsageError) as refused:
        check(run)
    assert fnmatchcase(str(refused.value), sentence)


def test_a_folder_with_the_name_of_a_built_in_suite_is_not_refused(pytester: pytest.Pytester) -> None:
    pytester.mkdir("tau")
    check(Run(pytester.parseconfig("tau", "tau/nosuch.json")))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["domain=mock", "agent=oracle:team"], "the domain 'mock' declares no roles for oracle:team; use one *"),
        (["domain=retail", "mode=solo"], "the domain 'retail' has no solo mode; leave --tau-mode out"),
        (["domain=mock,retail", "policy=nope"], "domain 'mock' has no policy 'nope'; it has only one"),
        (["domain=retail_long", "knowledge=bm25"], "domain 'retail' has no documents, so there is no knowledge *"),
        (["domain=insurance", "knowledge=nope"], "*unknown knowledge setting 'nope'; use none, full, *"),
    ],
)
def test_what_a_domain_has_not_got_is_said_once_and_not_for_each_of_its_tasks(
    pytester: pytest.Pytester, options: list[str], sentence: str
) -> None:
    with pytest.raises(pytest.UsageError) as refused:
        check(Run(pytester.parseconfig(*(f"--tau-{option}" for option in options))))
    assert fnmatchcase(str(refused.value), sentence)


def test_what_a_domain_has_is_not_refused(pytester: pytest.Pytester) -> None:
    check(Run(pytester.parseconfig("--tau-domain=telecom", "--tau-mode=solo", "--tau-policy=workflow")))
    check(Run(pytester.parseconfig("--tau-domain=insurance,mock", "--tau-knowledge=bm25")))


def test_a_trial_that_the_run_has_not_says_which_k_has_it(pytester: pytest.Pytester) -> None:
    nodeid = "tau/mock/add_a_task.json::test_task[trial3]"
    said = f"ERROR: {glob.escape(nodeid)}: needs --tau-k 3, and this run has k 2"
    refused(pytester, nodeid, "--tau-k=2").fnmatch_lines([said])
    configure(pytester, nodeid, "--tau-k=3")
