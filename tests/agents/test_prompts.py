"""What a model is told before the conversation: the policy word for word, a ticket, a plan."""

from pytest_tau import AgentContext
from pytest_tau.agents.prompts import INSTRUCTIONS, SOLO, oracle_plan, system_prompt
from pytest_tau.conversation.turns import DONE_TOOL
from tests.agents.contexts import context_with
from tests.builders import action, agent_context, task


def prompt(context: AgentContext) -> str:
    return system_prompt(context)


def test_the_policy_goes_in_word_for_word() -> None:
    policy = "# Rules\n\n- {braces} <b>&</b>\n"
    assert prompt(agent_context(policy=policy)) == (
        f"<instructions>\n{INSTRUCTIONS}\n</instructions>\n<policy>\n{policy}\n</policy>"
    )


def test_solo_has_a_ticket() -> None:
    text = prompt(context_with(DONE_TOOL, ticket="Fix it"))
    assert text.startswith(f"<instructions>\n{SOLO}\n</instructions>")
    assert text.endswith("<ticket>\nFix it\n</ticket>")


def test_a_plan() -> None:
    played = task(criteria={"actions": [action("get_users"), action("dismiss", requestor="user", id="n1")]})
    text = prompt(agent_context(plan=oracle_plan(played)))
    assert "rehearsal" in text
    assert text.endswith(
        "<resolution_steps>\n"
        "[Step 1] Call the tool: get_users().\n"
        '[Step 2] Ask the customer to do this on their side: dismiss(id="n1").\n'
        "</resolution_steps>"
    )
