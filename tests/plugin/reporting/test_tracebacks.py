"""What a failed test shows: the verdict alone, or the part of a traceback that is the user's own code."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.files import loads
from pytest_tau.plugin import private
from pytest_tau.plugin.playing.outcomes import TauInfra, TauInvalid, TauMiss, Ungraded
from pytest_tau.plugin.reporting.tracebacks import failure_repr, safe, show_their_code, user_facing
from pytest_tau.plugin.run import Run
from tests.plugin.conftest import MakeRun
from tests.plugin.inner import write
from tests.plugin.trials import items


@pytest.mark.parametrize(
    ("error", "alone"),
    [
        (TauMiss(), True),
        (TauInfra(), True),
        (TauInvalid(), True),
        (SettingsError("no such agent"), True),
        (Ungraded("waits"), False),
        (AssertionError(), False),
        (ValueError(), False),
    ],
)
def test_whose_text_is_all_that_a_reader_needs(error: BaseException, alone: bool) -> None:
    assert user_facing(error) == alone


def shown(function: Callable[[], Any]) -> list[tuple[str, str]]:
    """The file and the function of each frame that is left of what a function raises."""
    call = pytest.CallInfo.from_call(function, "call")
    show_their_code(call)
    assert call.excinfo is not None
    return [(Path(entry.path).name, entry.name) for entry in call.excinfo.traceback]


def broken(run: Run) -> None:
    """A bug of the user's."""
    raise ValueError("a bug")


def test_of_a_bug_in_their_code_ours_is_left_out(make_run: MakeRun) -> None:
    def test() -> None:
        make_run().one(broken)

    here = Path(__file__).name
    assert shown(test) == [(here, "test"), (here, "broken")]


def test_of_a_group_of_bugs_ours_is_left_out(make_run: MakeRun) -> None:
    """As an agent's ``asyncio.TaskGroup`` raises one."""

    def several(run: Run) -> None:
        raise ExceptionGroup("two", [ValueError("a bug"), TypeError("another")])

    call = pytest.CallInfo.from_call(lambda: make_run().one(several), "call")
    show_their_code(call)
    assert call.excinfo is not None
    text = str(call.excinfo.getrepr())
    assert "in several" in text
    assert "a bug" in text
    assert "in one" not in text


def test_what_our_code_asks_of_the_standard_library_goes_with_it() -> None:
    def test() -> None:
        loads("{")

    assert shown(test) == [(Path(__file__).name, "test")]


def test_of_a_bug_in_ours_all_is_left(make_run: MakeRun) -> None:
    nothing: Any = None
    assert ("run.py", "one") in shown(partial(make_run().one, nothing))


def test_a_verdict_has_no_frames_at_all() -> None:
    def test() -> None:
        raise TauMiss("missed DB")

    assert shown(test) == []


def test_a_test_that_passed_has_nothing_to_show() -> None:
    call = pytest.CallInfo.from_call(lambda: 3, "call")
    show_their_code(call)
    assert call.excinfo is None


TEST = """
    import pytest


    @pytest.mark.tau(domain="mock", tasks="add_a_task")
    def test_it(tau_reward):
        pass
"""


def test_summaries_have_the_first_line_of_a_text_and_failures_all_of_it(pytester: pytest.Pytester) -> None:
    write(pytester.path, "test_it.py", TEST)
    of_a_file, of_a_test = items(pytester, "tau/mock/add_a_task.json", "test_it.py")
    for item, line in ((of_a_file, 1), (of_a_test, 5)):  # a file of tasks has its function in ours
        made = failure_repr("missed DB\n  DB: MISSED", item)
        assert str(made) == "missed DB\n  DB: MISSED"
        crash = made.reprcrash
        assert (crash.path, crash.lineno, crash.message) == (str(item.path), line, "missed DB")
    of_a_test.config.option.tbstyle = "line"
    made = failure_repr("missed DB\n  DB: MISSED", of_a_test)
    assert (str(made), made.reprcrash.message) == ("", "missed DB")


def test_texts_are_safe_wherever_they_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "planted-K3Y-0123456789")
    harm, harmless = "\x1b[2J planted-K3Y-0123456789 \ud800", "\\x1b[2J [key] \\xd800"
    assert safe(harm) == harmless
    assert safe([harm, (harm, 3)]) == [harmless, (harmless, 3)]
    made = safe(private.failure_text([f"{harm}\n"], "a.py", 1, harm))
    assert str(made).strip() == harmless
    assert made.reprcrash.message == harmless
    assert safe(3) == 3
