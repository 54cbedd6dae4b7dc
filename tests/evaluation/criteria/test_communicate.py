"""COMMUNICATE: what the agent said, by the reference's rule and by ours."""

import pytest

from pytest_tau.evaluation.criteria.communicate import communicate
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says, task


def value(infos: list[str] | None, *messages: AnyMessage, parity: bool) -> float | None:
    return communicate(task(criteria={"communicate_info": infos}), messages, parity=parity, in_basis=True).value


@pytest.mark.parametrize(
    ("info", "text", "reference", "ours"),
    [
        ("1628", "It is $1,628.", 1.0, 1.0),
        ("4", "You have 4.", 1.0, 1.0),
        ("4", "You have 42 items.", 1.0, 0.0),
        ("4", "It costs 4.50.", 1.0, 0.0),
        ("4", "It costs 0.4", 1.0, 0.0),
        ("4", "Flight HAT4", 1.0, 0.0),
        ("4", "(4)", 1.0, 1.0),
        ("4.50", "$4.50!", 1.0, 1.0),
        ("1,234.50", "1234.50", 0.0, 1.0),  # the reference takes the commas out of the message only
        ("1,234.50", "1,234.50", 0.0, 1.0),
        ("1234.50", "1,234.50", 1.0, 1.0),
        ("361", "It is $361.00.", 1.0, 1.0),
        ("462.20", "It is **$462.2**.", 0.0, 1.0),  # numbers are compared by value
        ("54.5", "$54.50", 1.0, 1.0),
        ("$1,234.50", "1234.5 dollars", 0.0, 1.0),
        ("5", "within 5-7 business days", 1.0, 0.0),
        ("7", "within 5-7 business days", 1.0, 0.0),
        ("14", "on 2024-05-14", 1.0, 0.0),
        ("2024-05-14", "on 2024-05-14.", 1.0, 1.0),
        ("4", "at 4:15", 1.0, 0.0),
        ("7", "agent 007", 1.0, 0.0),
        ("43.20", "53.20-10.00=43.20", 1.0, 1.0),
        ("1000", "327,1000,1786", 1.0, 1.0),
        ("12345", "Your order is no.12345.", 1.0, 1.0),
        ("54.04", "USD54.04", 1.0, 1.0),
        ("54.04", "That is _54.04_ in all", 1.0, 1.0),
        ("54.04", "__$54.04__", 1.0, 1.0),
        ("54.04", "€54.04", 1.0, 1.0),
        ("2", '{"tasks": ["task_2"]}', 1.0, 0.0),
        ("4", "about .4", 1.0, 0.0),
        ("4", ".4", 1.0, 0.0),
        ("4", "v2.4", 1.0, 0.0),
        ("12345", "#W12345", 1.0, 0.0),
        ("gold", "a _gold_ card", 1.0, 1.0),
        ("-5", "it is -$5.00", 0.0, 1.0),
        ("-5", "it is 5", 0.0, 0.0),
        ("5", "it is -5", 1.0, 1.0),
        ("gold, silver", "We have Gold, Silver.", 0.0, 1.0),
        ("GOLD", "a gold card", 1.0, 1.0),
        ("gold", "a golden card", 1.0, 0.0),
        ("two words", "two\n  words", 0.0, 1.0),
        ("yes", "no", 0.0, 0.0),
        ("退款", "您的退款已处理。", 1.0, 1.0),
        ("120", "退款120元,3天内到账", 1.0, 1.0),
        ("12", "退款120元", 1.0, 0.0),
        ("1200", "合計は1,200円です", 1.0, 1.0),
        ("120", "금액은 120원입니다", 1.0, 1.0),
        ("120", "120บาท", 1.0, 1.0),
        ("W12", "订单W12已取消", 1.0, 1.0),
        ("Rückgabe", "Die Ru\u0308ckgabe", 0.0, 1.0),
        ("a.c", "abc", 0.0, 0.0),
    ],
)
def test_texts(info: str, text: str, reference: float, ours: float) -> None:
    assert value([info], says(text), parity=True) == reference
    assert value([info], says(text), parity=False) == ours


@pytest.mark.parametrize("parity", [True, False])
class TestBoth:
    def test_only_the_agents_words_count(self, parity: bool) -> None:
        call = a_call(arg="7")
        assert value(["7"], asks("7"), says(None, call), result_of(call, "7"), parity=parity) == 0.0

    def test_the_greeting_and_texts_beside_calls_count(self, parity: bool) -> None:
        assert value(["help you", "7"], says("How can I help you"), says("So 7", a_call()), parity=parity) == 1.0

    def test_all_must_be_said_but_not_at_once(self, parity: bool) -> None:
        assert value(["1", "2"], says("1"), says("2"), parity=parity) == 1.0
        assert value(["1", "2"], says("1"), parity=parity) == 0.0

    def test_one_item_in_one_message(self, parity: bool) -> None:
        assert value(["a b"], says("a"), says("b"), parity=parity) == 0.0

    @pytest.mark.parametrize("infos", [None, []])
    def test_nothing_wanted(self, parity: bool, infos: list[str] | None) -> None:
        assert value(infos, parity=parity) == 1.0

    def test_where_it_was_said(self, parity: bool) -> None:
        found = communicate(
            task(criteria={"communicate_info": ["1", "2"]}), [says("it is 1")], parity=parity, in_basis=True
        )
        assert [c.explanation for c in found.checks] == ["said in: it is 1", "no message of the agent says it"]


@pytest.mark.parametrize(
    ("info", "text", "ours"),
    [
        ("8", "There are eight versions in stock.", 1.0),
        ("8", "Eight.", 1.0),
        ("12", "**Twelve** bags", 1.0),
        ("2", "You have two, and one is free.", 1.0),
        ("8", "I counted twenty-eight.", 0.0),
        ("8", "They cost eight hundred dollars, or a hundred and eight.", 0.0),
        ("8", "It is eight percent.", 0.0),
        ("8", "That weighs a lot.", 0.0),
        ("7", "seventeen", 0.0),
        ("1", "One moment, please.", 0.0),
        ("13", "thirteen", 0.0),
        ("8.00", "eight", 0.0),
        ("-8", "eight", 0.0),
        ("$8", "eight", 0.0),
    ],
)
def test_a_small_whole_number_may_be_a_word(info: str, text: str, ours: float) -> None:
    assert value([info], says(text), parity=False) == ours
    assert value([info], says(text), parity=True) == 0.0


@pytest.mark.parametrize(
    ("info", "text", "ours"),
    [
        ("5", "The refund takes 5 to 7 business days.", 0.0),
        ("7", "The refund takes **5** to **7** business days.", 0.0),
        ("7", "It takes from 5 to 7 business days.", 0.0),
        ("5", "It takes five to seven business days.", 0.0),
        ("5", "That takes between 5 and 7 days.", 0.0),
        ("20", "A fee of $20 to $35.", 0.0),
        ("5", "There are 5 versions; a refund takes 5 to 7 business days.", 1.0),
        ("7", "I have changed your bags from 5 to 7.", 1.0),
        ("7", "I have changed your bags from **5** to **7**.", 1.0),
        ("5", "You have 5 and 7 bags.", 1.0),
        ("20", "I refund $20 to 4242.", 1.0),
        ("20", "I move 20 to 5.", 1.0),
        ("15", "The difference between $20 and $35 is $15.", 1.0),
    ],
)
def test_the_ends_of_a_range_are_no_numbers(info: str, text: str, ours: float) -> None:
    assert value([info], says(text), parity=False) == ours


@pytest.mark.parametrize(
    ("info", "text", "ours"),
    [
        ("20", "Your flight is on 20 May.", 0.0),
        ("20", "Your flight is on May 20, 2024.", 0.0),
        ("20", "Your flight is on the 20 of May.", 0.0),
        ("5", "It came on Jan. 05", 0.0),
        ("20", "On May 20 you pay $20.", 1.0),
        ("20", "Up to 20 may be charged.", 1.0),
        ("20", "You owe 20. May I book it?", 1.0),
        ("20", "In May $20 was paid", 1.0),
        ("20", "In May 20.00 was paid", 1.0),
        ("20 May", "Your flight is on 20 May.", 1.0),
        ("May 20", "Your flight is on May 20.", 1.0),
        ("5", "航班是12月5日。", 0.0),
        ("12", "航班是2026年12月5日。", 0.0),
        ("5", "航班是 12 月 5 号。", 0.0),
        ("5", "12月5日を過ぎると5ドルです。", 1.0),
        ("12月5日", "航班是12月5日。", 1.0),
    ],
)
def test_the_day_of_a_date_is_no_number(info: str, text: str, ours: float) -> None:
    assert value([info], says(text), parity=False) == ours


@pytest.mark.parametrize(
    ("info", "text", "ours"),
    [
        ("0.47", "You pay 47 cents.", 1.0),
        ("0.47", "You pay **47** cents or 47¢.", 1.0),
        ("0.05", "You pay 5 cents.", 1.0),
        ("47", "You pay 47 cents.", 0.0),
        ("3.47", "You pay 3 dollars and 47 cents.", 1.0),
        ("3.47", "You pay $3 and 47 cents.", 1.0),
        ("5.47", "You bought 5, 47 cents each.", 0.0),
        ("0.47", "You bought 5, 47 cents each.", 1.0),
        ("20", "You pay 20 dollars.", 1.0),
        ("20", "You pay $20.", 1.0),
        ("20", "You pay 20.00 USD.", 1.0),
        ("47 cents", "You pay 47 cents.", 1.0),
    ],
)
def test_cents_are_parts_of_a_dollar(info: str, text: str, ours: float) -> None:
    assert value([info], says(text), parity=False) == ours


@pytest.mark.parametrize("sign", ["*", "_", "`", "`*", "$", "5 to ", "**5 "])
def test_a_run_of_marks_without_end_hides_nothing(sign: str) -> None:
    """Read from each of its places, it would take minutes."""
    assert value(["7"], says(f"{sign * (30_000 // len(sign))} and 7."), parity=False) == 1.0
