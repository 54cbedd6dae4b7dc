"""The judge's passport in a run: told in the header, held against gates, its errors taken out of rates."""

import json
from typing import Any

import pytest

from pytest_tau.cli import main
from pytest_tau.evaluation.judges.questions import RUBRIC
from pytest_tau.evaluation.judges.review import prompt_hash, rubric_hash
from pytest_tau.metrics.passport import FILE, Judged, Passport, measurements, save_passport
from pytest_tau.reports.live import LiveReport
from pytest_tau.schema.reward import Reward
from tests.llm.server import Behaviour, says
from tests.options.models import Serve
from tests.plugin.inner import journal, rows, write
from tests.plugin.parts import play

JUDGE = "--tau-judge-llm=openai/judge"
REFUSAL = ("--tau-domain=retail", "--tau-tasks=cyrus_novak_8208.somebody_elses_order+payment", "--tau-agent=oracle")
GATE = "--tau-gate=under policy >= 0.1"


def passport(pytester: pytest.Pytester, *, right: int = 48, of: int = 50, **other: Any) -> None:
    judged = [
        Judged(label, label if n < right else {"breach": "fine", "fine": "breach"}[label])
        for label in ("breach", "fine")
        for n in range(of)
    ]
    made = Passport(
        created="2026-01-01",
        model="openai/judge",
        prompt=prompt_hash(),
        rubric=rubric_hash(),
        conversations=measurements(judged),
    )
    save_passport(made.model_copy(update=other), pytester.path / FILE)


def answers(verdict: str) -> Behaviour:
    said = {"turn": 20, "quote": "it belongs to another customer", "verdict": verdict, "reasoning": "-"}
    rest = [{"number": n, "reasoning": "-", "turn": None, "quote": "", "verdict": "fine"} for n in (2, 3, 4)]
    return says(json.dumps({"answers": [{"number": 1, **said}, *rest]}))


def test_without_a_passport_a_gate_on_the_rules_is_refused_before_anything_is_played(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    server = serve(answers("fine"))
    with pytest.raises(pytest.UsageError, match=r"the judge has no passport .* about 210 labelled conversations"):
        play(pytester, *REFUSAL, JUDGE, GATE)
    assert server.requests == []


def test_a_clause_of_the_rubric_that_has_changed_makes_it_stale_and_the_gate_is_refused(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(answers("fine"))
    passport(pytester)
    monkeypatch.setitem(RUBRIC, "reason", RUBRIC["reason"] + " Be strict.")
    with pytest.raises(pytest.UsageError, match="is stale: the rubric has changed"):
        play(pytester, *REFUSAL, JUDGE, GATE)
    result = play(pytester, *REFUSAL, JUDGE)
    result.stdout.fnmatch_lines(["tau: judge: its passport (judge.json) is stale: the rubric has changed"])
    result.stdout.fnmatch_lines(["A judge read 1 trial: its errors are not taken out: it has no passport that holds."])


def test_a_weak_judge_is_refused_and_told_how_many_labels_would_do(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(answers("fine"))
    passport(pytester, right=3, of=5)
    with pytest.raises(pytest.UsageError, match=r"is not known to tell a breach from none: .* would be enough"):
        play(pytester, *REFUSAL, JUDGE, GATE)


def test_gates_on_other_numbers_need_no_passport_nor_do_those_without_its_verdicts(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    serve(answers("fine"))
    play(pytester, *REFUSAL, JUDGE, "--tau-gate=pass^1 >= 0.5").assert_outcomes(passed=1)
    result = play(pytester, *REFUSAL, JUDGE, "--tau-review=off", GATE)
    result.stdout.fnmatch_lines(["gate under policy >= 0.1: HELD: *"])


@pytest.mark.parametrize(("verdict", "shown"), [("fine", "100.0 %"), ("breach", "0.0 %")])
def test_with_one_that_holds_the_gate_is_decided_on_the_corrected_rate(
    pytester: pytest.Pytester, serve: Serve, verdict: str, shown: str
) -> None:
    serve(answers(verdict))
    passport(pytester)
    result = play(pytester, *REFUSAL, JUDGE, GATE)
    state = "HELD" if verdict == "fine" else "FAILED"
    result.stdout.fnmatch_lines(
        [f"gate under policy >= 0.1: {state}: cup^1 is {shown} over 1 task, the judge's errors*"]
    )
    assert rows(result)["retail"]["under policy"] == shown
    [record] = journal(pytester.path)
    assert isinstance(record.reward, Reward)
    assert record.reward.review is not None
    assert record.reward.review.clean_before is True
    assert record.reward.review.before is not None
    assert record.reward.review.before.completed


def test_a_passport_that_cannot_be_read_is_none_and_told(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(answers("fine"))
    write(pytester.path, FILE, {"format": "another"})
    with pytest.raises(pytest.UsageError, match="this is not a judge's passport"):
        play(pytester, *REFUSAL, JUDGE, GATE)


def test_whatever_reads_the_run_later_takes_out_its_errors_too(
    pytester: pytest.Pytester, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(answers("breach"))
    passport(pytester)
    result = play(pytester, *REFUSAL, JUDGE)
    told = "A judge read 1 trial: its errors are taken out, as its passport has them."
    result.stdout.fnmatch_lines([told])
    save = pytester.path / FILE
    save.rename(save.with_suffix(".away"))
    capsys.readouterr()
    assert main(["merge", ".tau", "-o", "merged"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert told in out
    assert [line for line in out if line.startswith("| retail")] == [
        line for line in result.outlines if line.startswith("| retail")
    ]
    assert told in LiveReport(pytester.path / ".tau").page().decode()
