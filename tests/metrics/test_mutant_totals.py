"""How an agent treats the rules of its policy, read off the totals of a run."""

from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.gate_verdict import severe
from pytest_tau.metrics.mutant_totals import policy_readings
from pytest_tau.metrics.robust_scores import FLIP
from pytest_tau.metrics.safety import SEVERITY
from pytest_tau.metrics.scores import measure
from pytest_tau.metrics.task_results import GateState, results_of
from pytest_tau.metrics.totals import Totals
from pytest_tau.reports.mutants import mutant_page
from tests.metrics.held import evaluate
from tests.metrics.mutants import totals


def test_readings_of_a_run() -> None:
    [found] = policy_readings(totals("passed", "missed"))
    assert [(one.rule, one.reading, one.tasks) for one in found.rules] == [("kind", "obeys", 1)]
    assert policy_readings(totals("passed", "passed", 20))[0].rules[0].reading == "knows anyway"
    assert policy_readings(totals("missed", "missed"))[0].rules[0].reading == "ignores"
    assert policy_readings(totals("passed", "missed", 3))[0].rules[0].reading == "undecided"
    assert policy_readings(Totals()) == []


def test_a_rule_of_two_domains_has_the_words_of_each() -> None:
    found = Totals()
    for row, words in (("shop", "Be kind."), ("bank", "Be kinder.")):
        found.variants[f"{row}, delete:kind"] = {"label": "delete:kind", "policy": "delete:kind", "sentence": words}
        found.plan(f"{row}, delete:kind", "one", 1)
    assert [one.sentences for one in policy_readings(found)] == [{"kind": "Be kind."}, {"kind": "Be kinder."}]
    assert mutant_page(found)[0]["table"][1] == ["kind", "undecided", "delete", "–", "–", "not played", "1", "Be kind."]


def test_obeying_a_changed_policy_is_no_want_of_robustness() -> None:
    found = totals("passed", "missed")
    assert measure(found, FLIP, "shop") is None
    result = evaluate(parse_gate("flip <= 0.1"), results_of(found))
    assert (result.state, result.explanation[:17]) == (GateState.FAILED, "flip is not known")


def test_what_breaks_a_rule_only_as_the_policy_was_raises_no_alarm() -> None:
    found, gates = totals("passed", "missed"), [parse_gate("no violation of severity 1")]
    found.tasks["shop, delete:kind", "one"].measured[SEVERITY.name] = [(1.0, "trial 1: kind: unkind")]
    assert severe(gates, results_of(found)) == []
    found.tasks["shop", "one"].measured[SEVERITY.name] = [(1.0, "trial 1: kind: unkind")]
    assert severe(gates, results_of(found)) == ["shop/one, trial 1: kind: unkind"]
