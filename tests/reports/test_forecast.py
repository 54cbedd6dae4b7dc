"""What a run will take: more of everything takes more, an unknown price stays unknown, a guess does not look exact."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Task, load_domain, load_tasks
from pytest_tau.llm.pictures import picture_tokens
from pytest_tau.llm.pricing import Price
from pytest_tau.reports.forecast import CALLS_PER_GOLD, TURNS, Expected, Load, forecast_lines, mean, round_guess
from tests.builders import whole
from tests.pictures import picture_task

LOAD = Load(calls=100, read=1_000_000, written=100_000)
PRICE = Price(2.0, 10.0)


def task(suite: str, task_id: str) -> Task:
    return next(task for task in whole(suite) if task.id == task_id)


def lines(loads: dict[str, Load], prices: dict[str, Price | None], **budget: Any) -> str:
    first, second = forecast_lines(12, loads, prices, **{"usd": None, "tokens": None, **budget})
    assert second.startswith(f"forecast: a guess: {TURNS} turns of the customer")
    return first


class TestExpected:
    def test_an_agent_speaks_each_turn_and_calls_its_tools(self) -> None:
        ours = task("retail", "moved_house")
        expected = Expected(ours, load_domain("retail"))
        assert expected.agent().calls == TURNS + CALLS_PER_GOLD * len(ours.gold_actions)
        assert expected.user(guidelines="").calls == TURNS

    def test_whatever_the_customer_does_themselves_takes_both(self) -> None:
        domain = load_domain("telecom")
        ours = next(task for task in whole("telecom") if any(a.requestor == "user" for a in task.gold_actions))
        theirs = sum(action.requestor == "user" for action in ours.gold_actions)
        expected = Expected(ours, domain)
        assert expected.user(guidelines="").calls == TURNS + theirs + CALLS_PER_GOLD * theirs
        alone = Expected(ours, domain, solo=True)
        assert alone.agent().calls == 1 + CALLS_PER_GOLD * len(ours.gold_actions)

    def test_what_stands_in_a_prompt_is_read_with_every_call(self) -> None:
        expected = Expected(task("mock", "add_a_task"), load_domain("mock"))
        plain, longer = expected.agent(), expected.agent(shown=4000)
        assert (longer.calls, longer.written) == (plain.calls, plain.written)
        assert longer.read - plain.read == pytest.approx(1000 * plain.calls)
        assert expected.user(guidelines="x" * 4000).read > expected.user(guidelines="").read
        assert expected.user(guidelines="", asks=2) == expected.user(guidelines="") * 2

    def test_a_picture_is_read_with_every_call_after_it_has_come(self, tmp_path: Path) -> None:
        for when, share in (("at_start", 1.0), ("asked_for", 2 / 3)):
            (shown,) = load_tasks(picture_task(tmp_path, when=when))
            expected = Expected(shown, load_domain("mock"))
            plain, seen, told = (expected.agent(images=how) for how in ("drop", "send", "alt"))
            (one,) = shown.user_scenario.attachments or []
            assert seen.read - plain.read == pytest.approx(picture_tokens(*one.size) * share * plain.calls)
            assert told.read - plain.read == pytest.approx(len(one.alt or "") / 4 * share * plain.calls)
        assert not Expected(task("mock", "add_a_task"), load_domain("mock")).has_pictures
        assert forecast_lines(1, {}, {}, usd=None, tokens=None, pictures=True)[1].endswith(", pictures at high detail")

    def test_a_judge_is_asked_where_there_is_something_to_judge(self) -> None:
        domain, ours = load_domain("mock"), task("mock", "add_a_task")
        assert ours.evaluation_criteria is not None
        criteria = ours.evaluation_criteria.model_copy(update={"nl_assertions": ["It was polite."]})
        judged = Expected(ours.model_copy(update={"evaluation_criteria": criteria}), domain)
        assert Expected(ours, domain).judge(votes=3) == Load()
        assert judged.judge(votes=3).calls == 3
        assert judged.judge(votes=3).tokens == 3 * judged.judge().tokens > 0


class TestLines:
    def test_calls_tokens_and_cost_by_side(self) -> None:
        assert lines({"agent": LOAD, "user": LOAD * 0.1}, {"agent": PRICE, "user": PRICE}) == (
            "forecast: 12 trials, about 110 model calls, 1,200,000 tokens, cost $3.30 (agent $3.00, user $0.30)"
        )

    def test_one_side_needs_no_list(self) -> None:
        assert lines({"agent": LOAD}, {"agent": PRICE}).endswith("1,100,000 tokens, cost $3.00")

    def test_an_unknown_price_is_never_nothing(self) -> None:
        found = lines({"agent": LOAD, "user": LOAD}, {"agent": PRICE, "user": None}, usd=1.0)
        assert found.endswith("cost unknown (agent $3.00, user unknown)")

    def test_a_free_model_costs_nothing(self) -> None:
        assert lines({"agent": LOAD}, {"agent": Price(0.0, 0.0)}, usd=1.0).endswith("cost $0.00")

    def test_a_little_is_more_than_nothing(self) -> None:
        assert lines({"agent": LOAD * 0.001}, {"agent": PRICE}).endswith("cost less than $0.01")

    @pytest.mark.parametrize(
        ("budget", "share"), [({"usd": 1.5}, 50), ({"tokens": 110_000}, 10), ({"usd": 1.5, "tokens": 110_000}, 10)]
    )
    def test_a_budget_that_will_not_do(self, budget: dict[str, Any], share: int) -> None:
        found = lines({"agent": LOAD}, {"agent": PRICE}, **budget)
        assert found.endswith(f"; the budget is enough for about {share} % of it")

    @pytest.mark.parametrize("budget", [{"usd": 3.0}, {"tokens": 1_100_000}])
    def test_a_budget_that_will_do(self, budget: dict[str, Any]) -> None:
        assert "budget" not in lines({"agent": LOAD}, {"agent": PRICE}, **budget)


def test_the_mean_is_weighted() -> None:
    assert mean([(Load(10, 100, 1), 3), (Load(50, 500, 5), 1)]) == Load(20, 200, 2)
    assert mean([]) == Load()


def test_two_digits_count() -> None:
    assert [round_guess(n) for n in (0.2, 7.4, 12.5, 123, 1_994, 7_777_777)] == [
        "0",
        "7",
        "12",
        "120",
        "2,000",
        "7,800,000",
    ]
