"""The oracle for tools that fail: it repeats what was refused, and looks before it repeats a change."""

import pytest

from pytest_tau import grade, load_domain, load_tasks, simulate
from pytest_tau.agents.careful import Careful
from pytest_tau.conversation.limits import Limits
from pytest_tau.errors import AgentFault
from pytest_tau.schema.messages import AnyMessage, AssistantMessage
from pytest_tau.variants import apply_doses, joined_doses
from pytest_tau.variants.tool_faults import ToolFaults, read_faults
from tests.builders import CREATE, action, agent_context, core, mock, result_of, task

ADD = task(criteria={"actions": [action("create_task", **CREATE)]})


def moves(*answers: tuple[str, bool], strict: bool = False) -> list[str]:
    """The tools it calls, where those of its calls are answered like this, one after the other."""
    agent, messages, made = Careful(ADD, mock(), agent_context(), strict=strict), list[AnyMessage](), []
    left = list(answers)
    while left:
        reply = agent.reply(messages)
        messages.append(reply)
        for call in reply.tool_calls or []:
            made.append(call.name)
            content, error = left.pop(0)
            messages.append(result_of(call, content, error=error))
    last: AssistantMessage = agent.reply(messages)
    return [*made, *(call.name for call in last.tool_calls or [])]


def test_a_call_that_was_refused_is_made_again() -> None:
    assert moves(("Error: 503 unavailable", True), ("{}", False)) == ["create_task", "create_task"]


def test_an_error_of_the_domain_is_no_refusal() -> None:
    assert moves(("Error: User user_1 not found", True)) == ["create_task"]
    with pytest.raises(AgentFault, match="the gold action create_task failed: Error: User user_1 not found"):
        moves(("Error: User user_1 not found", True), strict=True)


def test_of_a_change_whose_answer_got_lost_it_finds_out_whether_it_happened() -> None:
    found = moves(("Error: timed out", True))
    assert found[0] == "create_task"
    assert found[1:] != ["create_task"]  # a look comes first
    assert not mock().environment().writes(found[1])


@pytest.mark.parametrize("strength", ["0.5", "1"])
def test_it_knows_what_an_answer_says_in_whatever_form_results_are_shown(strength: str) -> None:
    domain, one = load_domain("retail"), {one.id: one for one in core("retail")}["cancel_order_by_mistake"]
    found = apply_doses(one, domain, joined_doses(f"result_format:{strength}"))
    assert found is not None
    for seed in range(8):
        played = simulate(one, domain, "oracle:careful", faults=ToolFaults("timeout:0.5", seed), view=found.view)
        assert grade(one, played, domain).passed


@pytest.mark.parametrize("name", ["retail", pytest.param("airline", marks=pytest.mark.slow)])
def test_the_careful_oracle_passes_where_others_break(name: str) -> None:
    domain, tasks = load_domain(name), core(name)[::8]
    others = 0
    for seed, one in enumerate(tasks):
        faults = "timeout:0.4+stale:0.2+rate_limit:0.2"
        played = simulate(one, domain, "oracle:careful", faults=ToolFaults(faults, seed))
        assert grade(one, played, domain).passed, one.id
        others += grade(one, simulate(one, domain, "oracle", faults=ToolFaults(faults, seed)), domain).passed
    assert others < len(tasks)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retail", "airline", "telecom", "insurance", "mock"])
def test_the_careful_oracle_passes_every_task_under_every_transient_fault(name: str) -> None:
    domain = load_domain(name)
    plans = [*read_faults("all:0.4"), *read_faults("timeout:0.3+stale:0.3+partial:0.3")]
    for place, one in enumerate(load_tasks(name)):
        plan = plans[place % len(plans)]
        # A change that got lost takes three looks or more: long tasks of 26 calls may come to 200 steps by that.
        played = simulate(one, domain, "oracle:careful", faults=ToolFaults(plan, place), limits=Limits(max_steps=400))
        assert grade(one, played, domain).passed, (one.id, str(plan))
