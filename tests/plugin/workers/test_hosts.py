"""Which machines a run's workers are on, and what cannot be handed over to others."""

import pytest

from pytest_tau.plugin.run import Run
from pytest_tau.plugin.worker_messages import ToWorker
from pytest_tau.plugin.workers.hosts import check_hosts, conversations_at_once, host_of, hosts_of, number_of_hosts


@pytest.mark.parametrize(
    ("spec", "host"),
    [
        ("4*popen", ""),
        ("popen//python=python3", ""),
        ("popen//chdir=/tmp", ""),
        ("3*ssh=user@one//python=/venv/bin/python//chdir=/work", "ssh=user@one"),
        ("ssh=-p 22 two", "ssh=-p 22 two"),
        ("socket=127.0.0.1:8888", "socket=127.0.0.1:8888"),
        ("2*popen//via=proxy", "via=proxy"),
        ("vagrant_ssh=box", "vagrant_ssh=box"),
    ],
)
def test_what_tells_a_host_from_others(spec: str, host: str) -> None:
    assert host_of(spec) == host


def test_hosts_are_counted_once_and_only_where_tests_are_distributed(pytester: pytest.Pytester) -> None:
    specs = [f"--tx={spec}" for spec in ("2*ssh=one", "ssh=one//chdir=/other", "ssh=-p 22 two", "popen", "3*popen")]
    run = Run(pytester.parseconfig("--dist=load", *specs))
    assert hosts_of(run) == ["ssh=one", "ssh=-p 22 two", ""]
    assert number_of_hosts(run) == 3
    assert number_of_hosts(Run(pytester.parseconfig(*specs))) == 1
    assert number_of_hosts(Run(pytester.parseconfig(), ToWorker(hosts=5))) == 5


@pytest.mark.parametrize(
    ("args", "told", "number"),
    [
        ((), None, 8),
        (("--tau-concurrency=3",), None, 3),
        (("-n2",), None, 4),
        (("-n20",), None, 1),
        (("--tau-max-inflight=2",), None, 2),
        (("--tau-max-inflight=16", "-n2"), None, 4),
        (("--tau-max-inflight=2", "--tau-concurrency=3"), None, 3),
        ((), ToWorker(workers=4), 2),
        (("--tau-concurrency=3",), ToWorker(workers=4), 3),
        (("--pdb", "--tau-concurrency=3"), None, 1),
        (("--trace",), None, 1),
    ],
)
def test_about_eight_conversations_in_all(
    pytester: pytest.Pytester, args: tuple[str, ...], told: ToWorker | None, number: int
) -> None:
    assert conversations_at_once(Run(pytester.parseconfig(*args), told)) == number


def test_a_path_of_this_machine_is_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    away = ("--dist=load", "--tx=socket=127.0.0.1:1", "--tau-domain=mock")
    sentence = "is a file or folder on this machine, but some workers run on others"
    for args in (["test_a_path_of_this_machine_is_refused.py"], ["--tau-results", str(pytester.path)]):
        with pytest.raises(pytest.UsageError, match=sentence):
            check_hosts(Run(pytester.parseconfig(*away, *args)))
    check_hosts(Run(pytester.parseconfig(*away, f"--tau-results={pytester.path}")))
    check_hosts(Run(pytester.parseconfig(*away, "-k", "or".join(["refund "] * 50))))  # too long for a file's name
    check_hosts(Run(pytester.parseconfig(*away, "--rsyncdir=.", "test_a_path_of_this_machine_is_refused.py")))
    check_hosts(Run(pytester.parseconfig("--dist=load", "--tx=2*popen", "test_a_path_of_this_machine_is_refused.py")))


def test_every_trial_on_every_worker_is_refused(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match="--dist each plays every trial on every worker: use -n N"):
        check_hosts(Run(pytester.parseconfig("--dist=each", "--tx=2*popen")))
