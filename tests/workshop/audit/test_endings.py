"""Other right endings: on tasks of ours, and on the public ones before their correction."""

import json
from typing import Any

import pytest

from pytest_tau import Task, load_domain
from pytest_tau.cli import main
from pytest_tau.errors import TaskError
from pytest_tau.schema.calls import Action
from tau_workshop.audit.endings import disputes, told
from tests.builders import action, mock, task, whole
from tests.shared import shared


def of(name: str, said: str, *gold: dict[str, Any], **criteria: Any) -> list[str]:
    scenario = {
        "instructions": {"domain": name, "reason_for_call": said, "task_instructions": "You want nothing else."}
    }
    played = task(user_scenario=scenario, criteria={"actions": list(gold), **criteria})
    return [one.why for one in disputes([played], load_domain(name))]


def row(table: str, **like: Any) -> Any:
    rows = getattr(load_domain("airline").environment().tools.db, table).scan()
    return next(one for one in rows if all(one[name] == value for name, value in like.items()))


def test_a_gold_that_breaks_a_rule_is_disputed() -> None:
    trip = row("reservations", cabin="economy", insurance="no")
    number, owner = trip["reservation_id"], trip["user_id"]
    (why,) = of("airline", f"I am {owner}.", action("cancel_reservation", reservation_id=number))
    assert why.startswith("without cancel_reservation, because")
    card = next(iter(row("users", user_id=owner)["payment_methods"]))
    bags = {"reservation_id": number, "payment_id": card, "total_baggages": 20, "nonfree_baggages": 0}
    assert "bags have to be paid for" in of("airline", "", action("update_reservation_baggages", **bags))[0]
    (why,) = of("airline", "", action("send_certificate", user_id=owner, amount=7777))
    assert "entitles them to this amount" in why


def test_a_wish_that_is_left_out_is_disputed_unless_the_task_accepts_or_forbids_it() -> None:
    trip = row("reservations", cabin="business", status=None)
    while not trip["flights"][0]["date"] > "2024-05-16":
        trip = next(
            one
            for one in load_domain("airline").environment().tools.db.reservations.scan()
            if one["cabin"] == "business" and one["flights"][0]["date"] > "2024-05-16"
        )
    number = trip["reservation_id"]
    said = f"I am {trip['user_id']}. Please cancel {number}."
    (why,) = of("airline", said)
    assert why == f"they ask to cancel {number}, and it can be cancelled"
    gold = action("cancel_reservation", reservation_id=number)
    assert of("airline", said, gold) == [] == of("airline", said, accept=[[gold]])
    forbidden = {"check": "not_called", "name": "cancel_reservation", "arguments": {"reservation_id": number}}
    assert of("airline", said, trajectory=[forbidden]) == []
    assert of("airline", f"I am {trip['user_id']}. You cancelled {number}, but I do not want to cancel {number}.") == []


def test_another_variant_that_the_words_fit_as_well_is_disputed() -> None:
    env = load_domain("retail").environment()
    for order in env.tools.db.orders.scan():
        for item in order["items"] if order["status"] == "pending" else ():
            variants = env.tools.db.products.read(item["product_id"]).model_dump()["variants"]
            for new_id, new in variants.items():
                changed = [name for name, value in new["options"].items() if value != item["options"][name]]
                if new["available"] and len(changed) == 2:
                    kept = {**new["options"], changed[0]: item["options"][changed[0]]}
                    if any(one["options"] == kept and one["available"] for one in variants.values()):
                        method = next(iter(env.tools.db.users[order["user_id"]].payment_methods))
                        swap = action(
                            "modify_pending_order_items",
                            order_id=order["order_id"],
                            item_ids=[item["item_id"]],
                            new_item_ids=[new_id],
                            payment_method_id=method,
                        )
                        said = f"I want {new['options'][changed[1]]}"
                        if found := of("retail", said, swap):
                            assert any("the words fit" in why for why in found)
                            all_said = " and ".join(new["options"].values())
                            assert of("retail", f"I want {all_said}", swap) == []
                            return
    raise AssertionError("no order has such an item")


def with_gold(one: Task, *gold: Action) -> Task:
    criteria = one.evaluation_criteria
    assert criteria is not None
    return one.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"actions": list(gold)})})


def calling(suite: str, *names: str) -> tuple[Task, Action]:
    return next((one, step) for one in whole(suite) for step in one.gold_actions if step.name in names)


def spoiled(suite: str, tool: str, **wrong: Any) -> list[str]:
    """The disputes of a task of ours of which one call of the gold path has other arguments."""
    one, step = calling(suite, tool)
    other = step.model_copy(update={"arguments": {**step.arguments, **wrong}})
    task = with_gold(one, *[other if it is step else it for it in one.gold_actions])
    return [dispute.why for dispute in disputes([task], load_domain(suite))]


def test_a_repair_of_another_line_or_with_another_amount_of_data_is_disputed() -> None:
    assert spoiled("telecom", "refuel_data", gb_amount=1.0)[0].endswith("they want another amount of data")
    assert "a line gets 2 GB at most" in spoiled("telecom", "refuel_data", gb_amount=5.0)[0]
    _, step = calling("telecom", "enable_roaming")
    lines = load_domain("telecom").environment().tools.db.customer(step.arguments["customer_id"]).line_ids
    found = spoiled("telecom", "enable_roaming", line_id=next(ln for ln in lines if ln != step.arguments["line_id"]))
    assert any("another line" in why or "is that of" in why for why in found)


def test_what_a_line_still_lacks_is_disputed() -> None:
    for tool, said in [("enable_roaming", "roaming is off"), ("refuel_data", "the data is used up")]:
        one, step = calling("telecom", tool)
        left = with_gold(one, *[it for it in one.gold_actions if it is not step])
        assert any(said in dispute.why for dispute in disputes([left], load_domain("telecom")))


@pytest.mark.parametrize(
    ("tool", "wrong"),
    [
        ("settle_claim", {"amount": 1.0}),
        ("request_evidence", {"papers": ["police_report"]}),
        ("cancel_contract", {"last_day": "2026-03-17"}),
        ("change_payment_interval", {"instalment": 1.0}),
        ("change_sum_insured", {"annual_premium": 1.0}),
    ],
)
def test_what_the_documents_do_not_say_is_disputed(tool: str, wrong: dict[str, Any]) -> None:
    assert any("the documents say" in why for why in spoiled("insurance", tool, **wrong))


SUITES = {
    "airline": ["airline", "airline_ghost", "airline_images", "airline_long"],
    "retail": ["retail", "retail_desk", "retail_ghost", "retail_images", "retail_long"],
    "telecom": ["telecom", "telecom_ghost", "telecom_images", "telecom_long"],
    "insurance": ["insurance", "insurance_ghost"],
}


@pytest.mark.parametrize("name", SUITES)
def test_our_own_suites_have_hardly_any(name: str) -> None:
    assert list(disputes(whole(name)[:12], load_domain(name))) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SUITES)
def test_the_whole_of_our_suites_has_hardly_any(name: str) -> None:
    tasks = [(one.domain_name or suite, one) for suite in SUITES[name] for one in whole(suite)]
    tasks += [(name, one) for one in whole("safety") if one.domain_name == name]
    found = {one.task_id for domain, task in tasks for one in disputes([task], load_domain(domain))}
    assert len(found) <= 0.02 * len(tasks), found


def test_public_tasks_that_were_corrected_later_are_disputed_and_few_others() -> None:
    tasks = json.loads(shared("tau2_v0", "airline", "tasks.json").read_text("utf-8"))
    today = json.loads(shared("tau2", "domains", "airline", "tasks.json").read_text("utf-8"))
    writes = {tool.name for tool in load_domain("airline").environment().tool_specs() if tool.writes}

    def gold(one: dict[str, Any]) -> list[str]:
        steps = one["evaluation_criteria"]["actions"] or []
        return sorted(json.dumps([s["name"], s["arguments"]], sort_keys=True) for s in steps if s["name"] in writes)

    now = {one["id"]: gold(one) for one in today}
    corrected = {one["id"] for one in tasks if gold(one) != now[one["id"]]}
    domain = load_domain("airline", data=shared("tau2"))
    found = {one.task_id for one in disputes(map(Task.model_validate, tasks), domain)}
    assert len(corrected) == 11
    assert len(found & corrected) >= 7
    assert len(found - corrected) <= 3


def test_a_domain_without_predicates_is_told_where_to_write_them() -> None:
    with pytest.raises(TaskError, match=r"workshop/domains/mock/endings\.py"):
        list(disputes([task()], mock()))


@pytest.mark.parametrize("option", [["--mutants", "0"], ["--perturb", "none"]])
def test_what_says_nothing_about_endings_is_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "mock", "--endings", *option]) == 2
    assert f"--endings lists other right endings only: leave out {option[0]}" in capsys.readouterr().err


def test_all_that_a_scenario_tells_is_read() -> None:
    (one,) = [one for one in whole("retail") if one.user_scenario.later][:1]
    assert all(moment.say in told(one) for moment in one.user_scenario.later)
    (long,) = [one for one in whole("airline_long") if one.episodes][:1]
    assert all(moment.say in told(long) for later in long.episodes or () for moment in later.user_scenario.later)
