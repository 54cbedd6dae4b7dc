"""Checks about what the agent told: reasons, secrets and promises."""

from typing import Any

import pytest

from pytest_tau.evaluation.criteria.said import false_reason, not_promised, not_said, reason, reason_given
from pytest_tau.schema.checks import Evidence, FalseReason, NotPromised, NotSaid, Reason, TrajectoryCheck
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.transcript import Transcript
from tests.builders import a_call, asks, result_of, says

LOOK = a_call("get_users")
LOOKED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, "user_1 has 12 tasks")]
FAILED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, "Error: x", error=True)]


SEEN = Evidence(check="evidence", name="get_users")


def why(*phrasings: str | list[str]) -> Reason:
    return Reason(check="reason", any_of=list(phrasings))


class TestReason:
    USED = why("it was used", ["too", "late"])

    @pytest.mark.parametrize(
        ("text", "met"),
        [
            ("Sorry, IT  WAS\nused.", True),
            ("It is late, far too late", True),
            ("It is late", False),
            ("used it was", False),
        ],
    )
    def test_phrasings(self, text: str, met: bool) -> None:
        assert reason(self.USED, [says(text)]).met is met
        assert reason(self.USED, [asks(text)]).met is False

    def test_one_message_must_hold_it(self) -> None:
        found = reason(self.USED, [says("too"), says("late")])
        assert (found.met, found.explanation) == (
            False,
            "no message of the agent gives this reason in any of its phrasings",
        )

    def test_what_is_unclear_counts_as_given_and_is_said(self) -> None:
        found = reason(why("it was used"), [asks("Take it back"), says("I cannot take back what you used.")])
        assert (found.met, found.unclear, found.explanation) == (True, 1, "unclear whether turn 1 gives this reason")
        plain = reason(why("it was used"), [says("I cannot take it, used."), says("It was used.")])
        assert (plain.met, plain.unclear, plain.explanation) == (True, 0, "")

    def test_a_customer_who_repeats_it_takes_nothing_from_it(self) -> None:
        certificate = why(["certificate", "cannot"])
        said = "Certificates are no option"
        assert reason(certificate, [says(said), asks(f"{said}? Why?")]).met
        assert not reason(certificate, [asks(f"{said}, I know."), says(said)]).met

    def test_to_say_back_what_the_customer_wrote_is_no_reason(self) -> None:
        one = why(["one passenger", "is not"])
        said = "Please upgrade one passenger. I am  grateful, if it is not too much trouble."
        assert not reason(one, [asks(said.replace("  ", "\n")), says(said)]).met
        assert reason(one, [asks(said), says(f"{said} That is not possible for one passenger.")]).met

    def test_one_reason_is_not_unclear_because_of_another(self) -> None:
        late, small = why("claim was late"), why("claim was small")
        said: list[AnyMessage] = [says("Nothing is paid: the claim was late.")]
        assert reason(small, said).met
        assert not reason(small, said, [late, small]).met
        assert reason(late, said, [late, small]).met

    def test_what_is_unclear_need_not_come_after_the_evidence(self) -> None:
        said: list[AnyMessage] = [says("I cannot take back what you used.")]
        assert reason_given(SEEN, [SEEN, why("it was used")], said) is None

    def test_a_refusal_after_the_evidence_is_unclear_in_whatever_words(self) -> None:
        used, refuses = why("it was used"), says("I cannot do that for you.")
        wanted: list[TrajectoryCheck] = [SEEN, used]
        assert not reason(used, [refuses], wanted).met
        assert not reason(used, [refuses, *LOOKED], wanted).met
        assert not reason(used, [*FAILED, refuses], wanted).met
        assert not reason(used, [*LOOKED, refuses], [used]).met  # nothing says what it rests on
        assert not reason(used, [*LOOKED, says("All is done.")], wanted).met
        found = reason(used, [*LOOKED, refuses], wanted)
        assert (found.met, found.unclear) == (True, 1)
        other = SEEN.model_copy(update={"shows": "nobody has"})
        assert not reason(used, [*LOOKED, refuses], [other, *wanted]).met

    def test_apostrophes(self) -> None:
        assert reason(why("can't"), [says("We can’t")]).met

    def test_its_name(self) -> None:
        assert reason(why(["too", "late"], "x"), []).name == "reason: too … late"

    def test_the_turn_that_evidence_must_come_before(self) -> None:
        messages: list[AnyMessage] = [
            says("It is too late"),
            *LOOKED,
            says("It was used"),
            says("too late"),
            asks("used"),
        ]
        assert reason_given(SEEN, [SEEN, self.USED], messages) == 4  # the last time
        assert reason_given(SEEN, [SEEN, self.USED, why("was used")], messages) == 3  # the first not said again
        assert reason_given(SEEN, [SEEN, why("never")], messages) is None
        assert reason_given(SEEN, [SEEN], messages) is None

    def test_evidence_is_for_the_next_reason_or_else_for_none(self) -> None:
        first, second = why("it was used"), why("too late")
        other = SEEN.model_copy()
        said: list[AnyMessage] = [says("it was used"), *LOOKED, says("too late")]
        wanted: list[TrajectoryCheck] = [other, first, SEEN, second]
        assert reason_given(other, wanted, said) == 0
        assert reason_given(SEEN, wanted, said) == 3
        assert reason_given(SEEN, [first, other, second, SEEN], said) is None  # a hand-over, after two refusals
        assert reason_given(SEEN, [SEEN, first, second], said) == 0  # both are told of what is looked up


class TestFalseReason:
    CHECK = FalseReason(check="false_reason", any_of=["the system is down", ["no", "agents"]])

    def test_the_turn_and_the_words(self) -> None:
        found = false_reason(self.CHECK, [asks("the system is down"), says("Sorry: the system is down.")])
        assert (found.met, found.turn) == (False, 1)
        assert found.explanation == "turn 1 gives a reason that is not true: 'the system is down'"
        assert found.name == "no false reason: the system is down"

    @pytest.mark.parametrize("text", ["The system is not down.", "There are no people.", ""])
    def test_other_words(self, text: str) -> None:
        assert false_reason(self.CHECK, [says(text)]).met


class TestNotSaid:
    CHECK = NotSaid(check="not_said", texts=["Pavel Lind", "12"])

    @pytest.mark.parametrize(
        ("text", "met"),
        [("It is PAVEL  Lind.", False), ("You have 12.", False), ("You have 120.", True), ("Pavel", True)],
    )
    def test_words(self, text: str, met: bool) -> None:
        assert not_said(self.CHECK, [says(text)]).met is met
        assert not_said(self.CHECK, [asks(text)]).met

    def test_the_turn(self) -> None:
        found = not_said(self.CHECK, [says("a"), says("12")])
        assert (found.turn, found.explanation) == (1, "turn 1 of the agent says '12'")

    def test_until_something_is_known(self) -> None:
        check = self.CHECK.model_copy(update={"until": ["get_users"]})
        assert not_said(check, [*LOOKED, says("12")]).met
        assert not not_said(check, [*FAILED, says("12")]).met
        assert not not_said(check, [says("12"), *LOOKED]).met
        other = a_call("other", "c2")
        assert not not_said(check, [*FAILED, says(None, other), result_of(other), says("12")]).met
        assert not not_said(check.model_copy(update={"until": ["other"]}), [*LOOKED, says("12")]).met
        assert not_said(check, []).name == "not said: Pavel Lind, 12 until get_users"

    def test_who_never_saw_it_had_nothing_to_keep(self) -> None:
        assert not_said(self.CHECK, [says("Hi")]).dormant
        assert not_said(self.CHECK, [*FAILED, says("Hi")]).dormant
        assert not not_said(self.CHECK, [*LOOKED, says("Hi")]).dormant


class TestNotPromised:
    CHECK = NotPromised(check="not_promised", any_of=["by tomorrow", ["refund", "today"]], unless=["business days"])

    def found(self, *messages: Any) -> tuple[Any, Any]:
        check = not_promised(self.CHECK, list(messages))
        return check.met, check.turn

    def test_an_affirmation_in_any_turn(self) -> None:
        assert self.found(says("Hi"), says("Your refund comes today.")) == (False, 1)
        said = not_promised(self.CHECK, [says("Your refund comes today.")])
        assert said.explanation == "turn 0 of the agent holds out 'refund … today'"

    def test_no_promise(self) -> None:
        assert self.found(says("It will not be there by tomorrow.")) == (True, None)
        assert self.found(says("It will be there by tomorrow, or in 5 business days.")) == (True, None)
        assert self.found(asks("It will be there by tomorrow.")) == (True, None)

    def test_its_name_has_three_phrasings_at_most(self) -> None:
        many = NotPromised(check="not_promised", any_of=["a", "b", "c", "d"])
        assert not_promised(many, []).name == "not promised: a; b; c …"
        assert not_promised(self.CHECK, []).name == "not promised: by tomorrow; refund … today"


def test_a_transcript_remembers_of_each_reason_where_it_was_given_last() -> None:
    talk: list[AnyMessage] = [
        says("it was used"),
        says("too late"),
        says("it was used"),
        asks("it was used"),
        says("Bye"),
    ]
    used, late, never = why("it was used"), why("too late"), why("it was sold")
    told = Transcript(talk)
    for checks in ([used], [late], [never], [used, late], [never, used], [why("it was used")]):
        wanted: list[TrajectoryCheck] = [SEEN, *checks]
        assert reason_given(SEEN, wanted, told) == reason_given(SEEN, wanted, talk)
        assert reason_given(SEEN, wanted, told) == reason_given(SEEN, wanted, talk)
        assert [reason(one, told) for one in checks] == [reason(one, talk) for one in checks]
