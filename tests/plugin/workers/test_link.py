"""The one message each way between the controlling process and a worker."""

import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.plugin.run import Run
from pytest_tau.plugin.worker_messages import ToWorker
from pytest_tau.plugin.workers.link import answer, answer_of, receive_message, tell


def worker(spec: str = "popen", name: str = "gw1") -> Any:
    """What xdist gives the controlling process of a worker."""
    return SimpleNamespace(gateway=SimpleNamespace(spec=spec), workerinput={"workerid": name, "workercount": 3})


def heard(node: Any) -> ToWorker:
    """What the worker gets to know."""
    config: Any = SimpleNamespace(workerinput=node.workerinput)
    return receive_message(config)


def test_a_worker_here_is_told_where_the_run_is(pytester: pytest.Pytester) -> None:
    run, node = Run(pytester.parseconfig("--tau-domain=mock")), worker()
    run.done = frozenset({"b", "a"})
    run.recorded = Path("/recorded.json")
    tell(run, node)
    told = heard(node)
    assert told == ToWorker(
        run=str(run.folder),
        done=("a", "b"),
        recorded="/recorded.json",
        worker="gw1",
        workers=3,
        domains=("mock",),
        names_suites=True,
        parents=(os.getpid(),),
    )
    assert (told.host_folder, told.run_folder, told.shared_folder) == (None, run.folder, None)


def test_limits_are_shared_where_there_are_any(pytester: pytest.Pytester) -> None:
    run, node = Run(pytester.parseconfig("--tau-rpm=5")), worker()
    tell(run, node)
    assert heard(node).shared_folder == run.shared_folder
    run.config._ensure_unconfigure()
    assert not run.shared_folder.exists()


def test_workers_of_another_machine_have_a_folder_there(pytester: pytest.Pytester) -> None:
    specs = ("ssh=one//id=a", "ssh=one//id=b", "ssh=two")
    run = Run(pytester.parseconfig("--dist=load", *(f"--tx={spec}" for spec in specs)))
    nodes = [worker(spec) for spec in specs]
    for node in nodes:
        tell(run, node)
    one, same, two = map(heard, nodes)
    assert (one.hosts, one.host) == (2, same.host)
    assert one.host != two.host
    assert one.host_folder == Path(tempfile.gettempdir(), one.host)
    assert one.run_folder == Path(tempfile.gettempdir(), one.host, "run")
    assert one.shared_folder == one.host_folder


def test_a_worker_answers_at_its_end() -> None:
    config: Any = SimpleNamespace(workeroutput={})
    answer(config, ["8 at once"])
    assert answer_of(config) == ["8 at once"]
    assert answer_of(SimpleNamespace(workeroutput={})) == []


def test_a_worker_with_another_version_is_told_so() -> None:
    config: Any = SimpleNamespace(workerinput={"tau": {"nothing of ours": 1}})
    with pytest.raises(pytest.UsageError, match="another version of pytest-tau"):
        receive_message(config)
