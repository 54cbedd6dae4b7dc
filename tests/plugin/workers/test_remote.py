"""Workers on other machines: the same results, limits that hold over all, and nothing left there."""

from collections.abc import Iterator

import pytest

from tests.plugin.inner import AGENTS, apart, journal, make_shop, rows, write
from tests.plugin.remote import Host, hosts

FAULTY = ("--tau-domain=mock", "--tau-agent=faulty:rate=0.5", "--tau-k=2", "-v")


@pytest.fixture
def two(pytester: pytest.Pytester) -> Iterator[list[Host]]:
    with hosts(pytester.path / "elsewhere") as machines:
        pytester.makeini("[pytest]")
        pytester.chdir()
        yield machines


def over(machines: list[Host], *args: str) -> list[str]:
    """The options of a run with one worker on each machine."""
    return ["-d", *(machine.option for machine in machines), *args]


@pytest.mark.slow
def test_the_same_tables_and_the_whole_journal(pytester: pytest.Pytester, two: list[Host]) -> None:
    there, here = apart(pytester, *over(two, *FAULTY)), pytester.runpytest(*FAULTY)
    there.stdout.fnmatch_lines(["created: 2/2 workers"])
    assert rows(there) == rows(here) != {}
    assert sorted(rows(there, "task").items()) == sorted(rows(here, "task").items())
    assert there.ret == here.ret
    runs = [path for path in (pytester.path / ".tau").iterdir() if path.is_dir() and not path.is_symlink()]
    assert [len((path / "journal.jsonl").read_text(encoding="utf-8").splitlines()) for path in runs] == [12, 12]
    assert [machine.left() for machine in two] == [[], []]
    assert [list(machine.project.glob("**/.tau")) for machine in two] == [[], []]


@pytest.mark.slow
def test_a_project_of_which_every_host_has_a_copy(pytester: pytest.Pytester, two: list[Host]) -> None:
    for root in (pytester.path, *(machine.project for machine in two)):
        make_shop(root)
        write(root, "mine.py", AGENTS)
    result = apart(pytester, *over(two, "--tau-domain=shop", "--tau-agent=mine:Polite", "--tau-k=4"))
    assert rows(result)["shop"]["missed"] == "4"
    result = apart(pytester, *over(two, "--tau-domain=shop", "--tau-k=4", "--tau-resume"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.slow
def test_a_run_that_stops_early_leaves_what_only_its_workers_have(pytester: pytest.Pytester, two: list[Host]) -> None:
    for root in (pytester.path, *(machine.project for machine in two)):
        write(root, "mine.py", AGENTS)
    options = ("--tau-domain=mock", "--tau-agent=mine:Polite", "--tau-k=4", "--tau-concurrency=4")
    stopped = apart(pytester, *over(two, *options, "-x"))
    assert stopped.ret != pytest.ExitCode.OK
    known = {record.nodeid for record in journal(pytester.path)}
    left = [path for machine in two for path in machine.temporary.glob("pytest-tau-*/run/spool-*.jsonl")]
    assert left
    assert [path.parents[1].stat().st_mode & 0o077 for path in left] == [0] * len(left)
    # As the page about scaling says: what is copied into the run's folder, resuming takes for done.
    for number, path in enumerate(left):
        path.rename(pytester.path / f".tau/latest/spool-rescued{number}.jsonl")
    saved = {record.nodeid for record in journal(pytester.path)}
    assert saved > known
    resumed = apart(pytester, *options, "--tau-resume")
    resumed.stdout.fnmatch_lines([f"tau: going on with *: {len(saved)} trials are done"])
    assert rows(resumed)["mock"]["trials"] == "24"
    assert len(journal(pytester.path)) == 24
