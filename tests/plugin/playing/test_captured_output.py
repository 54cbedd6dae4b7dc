"""What a trial prints and logs belongs to its own test, wherever it was played."""

import json
import logging

import pytest

from tests.plugin.inner import apart, mock_run, write
from tests.plugin.players import TASKS

TALKS = """
    import logging
    import os
    import sys
    import threading

    meeting = threading.Barrier(int(os.environ.get("MEETING", "6")))
    talked = threading.Barrier(int(os.environ.get("MEETING", "6")))
    log = logging.getLogger("the.agent")


    class Talks:
        def __init__(self, context):
            self.task = context.task_id

        def reply(self, messages):
            meeting.wait(timeout=30)  # all of them talk while the first test runs
            print(f"printed by {self.task}")
            sys.stderr.writelines(["complained by ", f"{self.task}\\n"])
            log.warning("warned by %s", self.task)
            log.info("told by %s", self.task)
            talked.wait(timeout=30)
            return "Goodbye."
"""


@pytest.fixture(autouse=True)
def _talks(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(talks=TALKS)


@pytest.mark.parametrize("number", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_in_the_sections_of_its_own_report(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    # A plugin: conftest.py files of a project do not see the reports of tests that lie outside.
    pytester.makepyfile(
        sections="""
            import json

            def pytest_runtest_logreport(report):
                if not hasattr(report, "node") and report.when == "call":
                    with open("sections.txt", "a") as file:
                        file.write(json.dumps([report.nodeid, report.sections]) + "\\n")
        """
    )
    monkeypatch.setenv("MEETING", "3" if number else "6")
    args = ("--tau-domain=mock", "--tau-agent=talks:Talks", "--log-level=INFO", "-psections")
    if number:
        apart(pytester, *args, "--tau-concurrency=3", "-n2")
    else:
        pytester.syspathinsert()
        pytester.runpytest(*args, "--tau-concurrency=6")
    lines = (pytester.path / "sections.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6
    for line in lines:
        nodeid, sections = json.loads(line)
        text = dict(sections)
        [task] = [task for task in TASKS if task in nodeid]
        assert text["Captured stdout call"] == f"printed by {task}\n"
        assert text["Captured stderr call"] == f"complained by {task}\n"
        logged = text["Captured log call"].splitlines()
        assert [entry.rpartition("  ")[0].split()[0] for entry in logged] == ["WARNING", "INFO"]
        assert all(entry.endswith(f"by {task}") for entry in logged)


def test_caplog_and_capsys_of_a_test_have_its_own_trials_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock")
        def test_it(tau_trial, tau_task, caplog, capsys):
            tau_trial.simulation
            assert [record.getMessage() for record in caplog.records] == [f"warned by {tau_task.id}"]
            out, err = capsys.readouterr()
            assert (out, err) == (f"printed by {tau_task.id}\\n", f"complained by {tau_task.id}\\n")
    """)
    result = pytester.runpytest("--tau-agent=talks:Talks", "--tau-concurrency=6")
    result.assert_outcomes(passed=6)


def test_what_is_logged_between_two_tests_is_kept_at_the_level_that_was_asked_for(pytester: pytest.Pytester) -> None:
    """pytest lowers the root logger's level while a test runs only; trials go on in between."""
    write(
        pytester.path,
        "conftest.py",
        """
        import threading

        import pytest

        between, logged = threading.Event(), threading.Event()

        def pytest_runtest_logfinish(nodeid):
            between.set()
            if "complete" not in nodeid:
                assert logged.wait(30)
        """,
    )
    pytester.makepyfile("""
        import logging

        import conftest
        import pytest

        class Agent:
            def __init__(self, context):
                self.task = context.task_id

            def reply(self, messages):
                if self.task == "complete_a_task":
                    assert conftest.between.wait(30)
                    logging.getLogger().info("between two tests")
                    conftest.logged.set()
                return "Goodbye."

        @pytest.fixture(scope="session")
        def tau_agent():
            return Agent

        @pytest.mark.tau(domain="mock", tasks=2)
        def test_it(tau_trial, tau_task, caplog):
            tau_trial.simulation
            assert (tau_task.id == "complete_a_task") == ("between two tests" in caplog.text)
    """)
    pytester.runpytest("--log-level=INFO", "--tau-concurrency=2").assert_outcomes(passed=2)


def test_the_root_logger_is_as_it_was(pytester: pytest.Pytester) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), list(root.filters), root.level)
    mock_run(pytester, "--tau-agent=talks:Talks", "--tau-concurrency=6", "--log-level=DEBUG")
    assert (list(root.handlers), list(root.filters), root.level) == before


@pytest.mark.slow
@pytest.mark.parametrize("option", ["-s", "-pno:logging", "-pno:capture"])
def test_without_capture_or_logging_nothing_is_lost_or_breaks(pytester: pytest.Pytester, option: str) -> None:
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=talks:Talks", "--tau-concurrency=6", option)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    assert sorted(line for line in result.outlines if "printed by" in line) != []


BETWEEN = r"""
    import sys
    import threading

    between, printed = threading.Event(), threading.Event()


    class Talks:
        def __init__(self, context):
            self.task = context.task_id

        def reply(self, messages):
            if self.task == "complete_a_task":
                between.wait(30)
                print("sk-planted-9f8e7d6c5b4a \x1b[31m", file=sys.stderr)
                print("::error::forged")
                printed.set()
            return "Goodbye."
"""
LETS = """
    def pytest_runtest_logfinish():
        import talks

        talks.between.set()
        talks.printed.wait(30)
"""


def test_what_is_printed_between_two_tests_is_its_trials_and_without_keys(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-planted-9f8e7d6c5b4a")
    write(pytester.path, "talks.py", BETWEEN)
    pytester.makeconftest(LETS)
    tasks = "--tau-tasks=add_a_task,complete_a_task"
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=talks:Talks", tasks, "--tau-concurrency=2")
    text = result.stdout.str() + result.stderr.str()
    assert "planted" not in text
    assert "\x1b[31m" not in text
    assert not [line for line in result.outlines + result.errlines if line.startswith("::error")]
    result.stdout.fnmatch_lines(["*Captured stdout*"])
    assert ":\\:error::forged" in result.outlines
    assert "[key] \\x1b[31m" in result.outlines


AT_A_TEARDOWN = """
    import pytest

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_teardown():
        import talks

        talks.between.set()
        talks.printed.wait(30)
        return (yield)
"""


def test_what_is_printed_while_pytest_puts_its_streams_in_place_is_its_trials(pytester: pytest.Pytester) -> None:
    write(pytester.path, "talks.py", BETWEEN)
    pytester.makeconftest(AT_A_TEARDOWN)
    tasks = "--tau-tasks=add_a_task,complete_a_task"
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=talks:Talks", tasks, "--tau-concurrency=2")
    assert "sk-planted-9f8e7d6c5b4a \\x1b[31m" in result.outlines
    result.stdout.no_fnmatch_line("*Captured std* teardown*")


LOGS = """
    import logging


    class Talks:
        def __init__(self, context):
            pass

        def reply(self, messages):
            try:
                raise ValueError("sk-planted-9f8e7d6c5b4a")
            except ValueError:
                logging.getLogger("agent").exception("with %s \\x1b[31m", "sk-planted-9f8e7d6c5b4a")
            return "Goodbye."
"""


def test_a_log_in_a_file_or_live_has_no_keys_either(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-planted-9f8e7d6c5b4a")
    write(pytester.path, "talks.py", LOGS)
    live = ("--log-file=run.log", "--log-cli-level=INFO", "--color=no")
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=talks:Talks", "--tau-tasks=complete_a_task", *live)
    for text in (result.stdout.str(), (pytester.path / "run.log").read_text(encoding="utf-8")):
        assert "with [key] \\x1b[31m" in text
        assert "ValueError: [key]" in text
        assert "planted" not in text


@pytest.mark.parametrize("at_once", [1, 2])
def test_an_agent_that_closes_the_streams_closes_them_for_nobody(pytester: pytest.Pytester, at_once: int) -> None:
    pytester.makepyfile(
        closes="""
            import sys


            class Closes:
                def __init__(self, context): ...

                def reply(self, messages):
                    with sys.stdout as stream, sys.stderr:
                        print("said", file=stream)
                    sys.stdout.close(), sys.stderr.close(), sys.__stdout__.close()
                    return "Goodbye."
        """
    )
    result = mock_run(
        pytester, "--tau-agent=closes:Closes", "--tau-tasks=2", "--tau-gate=pass^1 >= 0", f"--tau-concurrency={at_once}"
    )
    assert result.ret == pytest.ExitCode.OK
    assert "closed file" not in result.stdout.str()


def test_pytests_own_streams_stay_open_also_before_they_are_routed(pytester: pytest.Pytester) -> None:
    """A trial that is played ahead may be at work in the moment in which a test's streams are put in place."""
    pytester.makepyfile(
        closes="""
        import sys
        import threading

        OVER = threading.Event()
        SEEN = []

        def close():
            while not OVER.wait(0.0):
                sys.stdout.close(), sys.stderr.close()

        class Closes:
            def __init__(self, context): ...

            def reply(self, messages):
                if not SEEN:
                    SEEN.append(threading.Thread(target=close, daemon=True))
                    SEEN[0].start()
                return "Goodbye."
        """
    )
    pytester.makeconftest(
        "import closes\n\ndef pytest_runtest_logreport(report):\n"
        "    if len(closes.SEEN) == 1 and report.when == 'teardown' and 'task_for_a_stranger' in report.nodeid:\n"
        "        closes.OVER.set(), closes.SEEN[0].join()\n"
    )
    result = mock_run(pytester, "--tau-agent=closes:Closes", "--tau-miss-as=xfail", "--tau-concurrency=2")
    assert "closed file" not in result.stdout.str()
    assert result.parseoutcomes() == {"xfailed": 6}
