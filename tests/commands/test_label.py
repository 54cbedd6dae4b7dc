"""``pytest-tau label``: a person answers blind, stops and goes on; agreement and the run's rate come of it."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.evaluation.judges.labels import read_labels, write_labels
from tests.plugin.parts import play

REFUSALS = (
    "cyrus_novak_8208.somebody_elses_order+payment",
    "ingrid_sandoval_7804.cancel_for_another_reason+exchange_several",
)
Typed = Callable[..., str]


@pytest.fixture
def typed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Runs the command on a run with two refusals, with these keys typed; gives what it printed."""
    play(pytester, "--tau-domain=retail", f"--tau-tasks={','.join(REFUSALS)}", "--tau-agent=oracle")

    def run(keys: str, *arguments: str, command: tuple[str, ...] = ("label", ".tau"), status: int = 0) -> str:
        monkeypatch.setattr("sys.stdin", StringIO("".join(f"{key}\n" for key in keys)))
        capsys.readouterr()
        assert main([*command, *arguments]) == status
        printed = capsys.readouterr()
        return printed.out + printed.err

    return run


def test_answers_are_kept_and_one_goes_on_where_one_stopped(typed: Typed) -> None:
    out = typed("ffbfq", "--rater", "me")
    assert "0 of 2 conversations are labelled" in out
    [first] = read_labels(Path("labels.jsonl"))
    assert [label.verdict for label in first.labels] == ["fine", "fine", "breach", "fine"]
    assert (first.rater, first.source, first.stratum) == ("me", "a person", "clear by rule")
    assert first.messages[0].role == "assistant"
    out = typed("ffff", "--rater", "me")
    assert "1 of 2 conversations are labelled" in out
    assert len(read_labels(Path("labels.jsonl"))) == 2
    assert "with these labels, by prediction-powered estimation: 50.0 % [" in out


def test_a_file_that_is_empty_is_begun(typed: Typed) -> None:
    Path("labels.jsonl").touch()
    assert "1 labelled conversation in labels.jsonl" in typed("ffffq")


def test_answers_that_cannot_be_written_are_printed(typed: Typed) -> None:
    Path("taken").touch()
    out = typed("ffbf", "-o", "taken/labels.jsonl", status=2)
    assert '"verdict":"breach"' in out
    assert "taken/labels.jsonl: the label cannot be written there" in out


def test_what_was_labelled_in_an_earlier_run_is_not_labelled_in_this_one(typed: Typed) -> None:
    typed("ffbfffff", "--rater", "me")
    path = Path("labels.jsonl")
    first, second = read_labels(path)
    other = first.model_copy(update={"messages": first.messages[:1] + first.messages[2:]})
    write_labels([other, second], path)
    out = typed("q", "--rater", "me")
    assert "1 of 2 conversations are labelled" in out
    assert "2 labelled conversations in labels.jsonl, 1 of them of other runs" in out


def test_two_raters_label_into_one_file_at_the_same_time(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Keys:
        """While the first rater is asked, the second one labels both conversations."""

        asked = 0

        def readline(self) -> str:
            self.asked += 1
            if self.asked == 1:
                typed("ffffffff", "--rater", "bob")
                monkeypatch.setattr("sys.stdin", self)
            return "f\n"

    typed("q")
    monkeypatch.setattr("sys.stdin", Keys())
    assert main(["label", ".tau", "--rater", "ann"]) == 0
    assert [one.rater for one in read_labels(Path("labels.jsonl"))] == ["bob", "bob", "ann", "ann"]
    assert "agreement of bob and ann on 8 questions" in capsys.readouterr().out


def test_every_asks_for_each_change_as_well(typed: Typed) -> None:
    out = typed("q", "--every", "-o", "other.jsonl")
    assert "Had the customer agreed to this call of turn" in out
    assert not Path("other.jsonl").exists()


def test_no_verdict_is_shown(typed: Typed) -> None:
    out = typed("q")
    assert "customer: " in out
    assert not any(word in out for word in ("TRAJECTORY", "reward", "passed", "clear by rule", "verdict"))


def test_other_keys_show_and_undo_and_skip(typed: Typed) -> None:
    out = typed("rpmxbufffcsq")
    assert "Quote the agent's words that refuse." in out
    assert "# Retail agent policy" in out or "policy" in out.casefold()
    [only] = read_labels(Path("labels.jsonl"))
    assert [label.verdict for label in only.labels] == ["fine", "fine", "fine", "cannot tell"]


def test_twice_for_agreement_with_oneself_and_with_another(typed: Typed) -> None:
    typed("ffbfffff", "--rater", "me")
    out = typed("ffbffffb", "--rater", "me", "--again")
    assert "agreement of me and me (again) on 8 questions: Cohen's κ 0.6" in out
    out = typed("ffffffff", "--rater", "you", command=("judge", "--label", ".tau"))
    assert "agreement of me and you on 8 questions" in out


def test_what_was_asked_with_every_is_asked_again_without_it(typed: Typed) -> None:
    typed("f" * 40, "--rater", "me", "--every")
    before = read_labels(Path("labels.jsonl"))
    typed("f" * 40, "--rater", "me", "--again", "--seed", "7")
    after = [one for one in read_labels(Path("labels.jsonl")) if one.rater == "me (again)"]
    assert {one.key: one.labels for one in after} == {one.key: one.labels for one in before}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--n", "0"], "--n must be at least 1"), (["--again"], "nothing was labelled yet that could be labelled again")],
)
def test_what_is_refused(typed: Typed, arguments: list[str], said: str) -> None:
    assert said in typed("", *arguments, status=2)


def test_a_run_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_the_rate_is_that_of_the_runs_own_verdicts(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a judge or a project's own criteria have said of a trial counts as in the run's table."""
    pytester.makeconftest(
        """
        from pytest_tau.schema.reward import CriterionResult

        def pytest_tau_grade(task, simulation, domain):
            return [CriterionResult(criterion="MINE", value=float(task.id.startswith("cyrus")))]
        """
    )
    play(pytester, "--tau-domain=retail", f"--tau-tasks={','.join(REFUSALS)}", "--tau-agent=oracle")
    monkeypatch.setattr("sys.stdin", StringIO("f\n" * 8))
    assert main(["label", ".tau"]) == 0
    assert "under policy as graded: 50.0 %; with these labels" in capsys.readouterr().out


def test_each_of_several_agents_has_a_rate_of_its_own(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = ("--tau-agent=good=oracle", "--tau-agent=bad=noop")
    play(pytester, "--tau-domain=retail", f"--tau-tasks={','.join(REFUSALS)}", *agents)
    monkeypatch.setattr("sys.stdin", StringIO("f\n" * 16))
    assert main(["label", ".tau"]) == 0
    out = capsys.readouterr().out
    assert "\ngood, under policy as graded: 100.0 %; with these labels" in out
    assert out.count("under policy as graded") == 1  # no label decides any trial of the other
