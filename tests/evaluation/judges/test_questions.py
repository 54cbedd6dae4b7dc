"""What a judge is asked: what is open, what rules decide where that is wanted, and the whole conversation."""

from pytest_tau.evaluation.judges.questions import open_questions
from tests.builders import asks, finished, mock, says, task
from tests.evaluation.judges.conversations import PLAYED, REFUSED, conversation, refusal

WHOLE = ["claims", "promises", "customer"]


def test_what_no_rule_can_tell_is_a_question_and_so_is_the_whole_conversation() -> None:
    found = open_questions(PLAYED, conversation(), mock())
    assert [(one.kind, one.turn) for one in found] == [("consent", 4), ("claims", None), ("customer", None)]
    assert open_questions(PLAYED, conversation().model_copy(update={"solo": True}), mock()) == []


def test_what_rules_decide_is_asked_by_those_who_want_every_question() -> None:
    clear = conversation("Yes, please do.")
    clear = clear.model_copy(update={"messages": [clear.messages[0], asks("Add a task, please."), *clear.messages[2:]]})
    assert open_questions(PLAYED, clear, mock()) == []
    found = open_questions(PLAYED, clear, mock(), every=True)
    assert [one.kind for one in found] == ["consent", *WHOLE]
    idle = finished([says("Hi!"), asks("Bye ###STOP###")])
    assert [one.kind for one in open_questions(PLAYED, idle, mock(), every=True)] == WHOLE


def test_of_a_conversation_in_which_nothing_is_open_the_whole_is_asked_where_that_is_wanted() -> None:
    idle = finished([says("Hi!"), asks("Bye ###STOP###")])
    assert open_questions(PLAYED, idle, mock()) == []
    assert [one.kind for one in open_questions(PLAYED, idle, mock(), whole=True)] == WHOLE


def test_a_refusal_is_asked_about_whatever_a_rule_says() -> None:
    kinds = [one.kind for one in open_questions(REFUSED, refusal("It is too late for that."), mock())]
    assert kinds == ["reason", "claims", "promises", "customer"]


def test_of_what_nothing_gives_a_judge_is_asked_whether_it_was_a_promise() -> None:
    played = task(criteria={"trajectory": [{"check": "claims"}], "reward_basis": ["TRAJECTORY"]})
    promising = finished(
        [says("Hi!"), asks("Help."), says("A colleague will bake you a cake."), asks("Bye ###STOP###")]
    )
    assert [one.kind for one in open_questions(played, promising, mock())] == WHOLE
