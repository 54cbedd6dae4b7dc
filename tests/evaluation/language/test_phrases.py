"""What the patterns of the user audit take for a question, a promise, a leave, an agent's line; and what not."""

import pytest

from pytest_tau.evaluation.language import phrases

FITS = [
    ("CLOSING", "Is there anything else I can do?"),
    ("CLOSING", "Feel free to write again."),
    ("CLOSING", "Have a great day!"),
    ("ASKS", "What is your zip code?"),
    ("ASKS", "I would change it (yes/no)."),
    ("ASKS", "Please also confirm the address."),
    ("ASKS", "I'll still need the order number."),
    ("ASKS", "Let me know which one you like."),
    ("TRANSFER", "I am transferring you now."),
    ("TRANSFER", "A human agent will take over."),
    ("SETTLED", "No need, leave it as is."),
    ("SETTLED", "That was all I needed."),
    ("PROMISES", "I'll send it later."),
    ("PROMISES", "I will provide the number tomorrow."),
    ("OFFERS", "If you'd like, I can list more."),
    ("OFFERS", "Also, if you want the list, say so."),
    ("OFFERS", "Would you like a copy?"),
    ("ELSEWHERE", "Please check with your bank."),
    ("WORKING", "Let me look that up."),
    ("WORKING", "I'm going to cancel it now."),
    ("WORKING", "One moment."),
    ("DECLINES", "No, thank you."),
    ("DECLINES", "Thanks, but no thank you."),
    ("DECLINES", "I'd rather not."),
    ("DECLINES", "That's all."),
    ("LEAVES", "Never mind."),
    ("LEAVES", "I'll just call my bank."),
    ("WISHES", "And envelopes as well."),
    ("CORRECTS", "I misspoke."),
    ("CORRECTS", "A small correction."),
    ("ANOTHER", "Actually it is the other one."),
    ("ANOTHER", "Maybe an alternative address."),
    ("ANSWERS", "The second."),
    ("ANSWERS", "It is 28869"),
    ("ANSWERS", "I can't."),
    ("AGENT_VOICE", "How can I help you today?"),
    ("AGENT_VOICE", "I have cancelled your order."),
    ("AGENT_VOICE", "What is your date of birth, and your shipping address?"),
    ("AGENT_VOICE", "You will be refunded within a week."),
    ("AGENT_VOICE", "I'm unable to process that."),
    ("AGENT_VOICE", "Here are some more flights."),
    ("AGENT_VOICE", '{"message": "done"}'),
    ("JUST_DID", "I've just restarted my phone."),
    ("DID_AS_TOLD", "Okay, I've restarted it."),
    ("DID_AS_TOLD", "All right. Took it out and put it back."),
    ("OF_EARLIER", "I entered my PIN this morning."),
    ("FAREWELL", "Have a lovely day!"),
    ("FAREWELL", "Thanks, bye."),
    ("INSTRUCTS", "Please restart it."),
    ("OWN_ACT", "Shall I restart it for you?"),
    ("ASKS_WHETHER_DONE", "Have you restarted it?"),
    ("DENIES_KNOWING", "I can't remember the number."),
    ("OF_ANOTHER_ONE", "Not the second one."),
    ("POLITELY_REQUESTS", "Could you upgrade me, please?"),
]
DOES_NOT_FIT = [
    ("CLOSING", "What is your zip code?"),
    ("ASKS", "Your order has been cancelled."),
    ("ASKS", "I needed that."),
    ("TRANSFER", "I will cancel it."),
    ("SETTLED", "Yes, go ahead."),
    ("PROMISES", "I will look for it."),
    ("OFFERS", "I do not know if you want that."),
    ("ELSEWHERE", "Please confirm the address."),
    ("WORKING", "Ask me if I'll look into it."),
    ("WORKING", "As I said, I'll check."),
    ("DECLINES", "Now it works."),
    ("DECLINES", "I know, thanks."),
    ("LEAVES", "I'll pay by card."),
    ("WISHES", "Have a lovely day!"),
    ("CORRECTS", "It is the blue one."),
    ("ANOTHER", "Mine is broken and I reorder."),
    ("ANSWERS", "Hm."),
    ("AGENT_VOICE", "What is your policy on orders?"),
    ("AGENT_VOICE", "Is this in your system account?"),
    ("AGENT_VOICE", "I have bought a lamp."),
    ("AGENT_VOICE", "My reservation was cancelled."),
    ("JUST_DID", "I just wanted to ask."),
    ("JUST_DID", "I just changed my mind."),
    ("JUST_DID", "I've just landed in Paris."),
    ("JUST_DID", "I just turned 30."),
    ("JUST_DID", "I just did not think of it."),
    ("DID_AS_TOLD", "Yesterday a friend reset it for me."),
    ("DID_AS_TOLD", "I took a taxi."),
    ("OF_EARLIER", "I entered my PIN."),
    ("FAREWELL", "Mine has a daytime rate."),
    ("INSTRUCTS", "It is done."),
    ("OWN_ACT", "You may restart it."),
    ("ASKS_WHETHER_DONE", "It is done."),
    ("DENIES_KNOWING", "I know the number."),
    ("OF_ANOTHER_ONE", "Not this one."),
    ("POLITELY_REQUESTS", "Could you upgrade me?"),
    ("AGENT_VOICE", "I've found the lot cheaper in another shop."),
]


@pytest.mark.parametrize(("name", "text"), FITS)
def test_what_is_one_however_it_is_written(name: str, text: str) -> None:
    pattern = getattr(phrases, name)
    assert pattern.search(text)
    assert pattern.search(text.upper())
    assert pattern.search(text.lower())


@pytest.mark.parametrize(("name", "text"), DOES_NOT_FIT)
def test_what_is_none(name: str, text: str) -> None:
    assert getattr(phrases, name).search(text) is None


def test_each_pattern_is_tried_both_ways() -> None:
    names = {name for name, one in vars(phrases).items() if hasattr(one, "pattern")}
    assert names == {name for name, _ in FITS} == {name for name, _ in DOES_NOT_FIT}
