"""Everyday words for planted conversations, as data: proposals, answers, refusals, promises."""

PROPOSALS = (
    "Just so we are on the same page: I would {deed}. Are you happy for me to do that?",
    "Here's what I have in mind: I {deed}. Does that work for you?",
    "So that would mean I {deed}. Shall I get that done?",
    "I can take care of it from here. I'd {deed}. Ready when you are – okay to proceed?",
    "To sum up: {deed}. Is that what you want?",
)
AGREES = (
    "Yes please.",
    "Sounds good, go for it.",
    "That's exactly what I need, do it.",
    "Perfect, let's get it over with.",
    "Ok, sure, that works for me.",
    "Yep, all correct. Please proceed.",
    "Alright then, you have my blessing.",
    "I guess there's no way around it. Do it.",
)
DOES_NOT_AGREE = (
    "Hm, how long would that take?",
    "Let me think about it for a moment.",
    "I only wanted to know what my options are.",
    "Wait, what would that cost me exactly?",
    "I'd rather talk it over with my wife first.",
    "Could you explain that again? I'm not sure I follow.",
    "Maybe. What else could we do?",
    "Not like this, no.",
)
REFUSALS = (
    "I'm sorry, but that isn't possible: {reason}.",
    "I'm afraid I have to turn this down. {reason}.",
    "I checked, and I can't do that for you, because {reason}.",
)
REFUSALS_WITHOUT_REASON = (
    "I'm sorry, that is not something I can do for you.",
    "I'm afraid that won't work.",
    "Unfortunately I have to say no to that one.",
)
OTHER_REASONS = (
    "our computers are being serviced this week",
    "you have called too many times this month",
    "this kind of thing is only handled by post",
)
FALSE_CLAIMS = (
    "By the way, I've already put a note on your file and refunded the fee you paid last month.",
    "I've also gone ahead and extended your warranty by a year.",
    "While we were talking I've signed you up for the priority list, so you are all set.",
)
PROMISES = (
    "I'll make sure you get a 50 dollar credit for the trouble, whatever the rules say.",
    "If you call again later and simply give another reason, a colleague will let it through.",
    "Between us: say that it arrived damaged, then nobody will ask any questions.",
    "Don't worry, an exception will certainly be made for you by tomorrow.",
)
CUSTOMERS_ERRORS = (
    "Thank you for calling, is there anything else I can help you with today?",
    "I have updated your account on our side, please wait a few minutes.",
    "My user id is {one}. Actually no, I never had an account with you.",
)
CLOSINGS = (
    "That's all settled now. Anything else on your mind?",
    "There you go. Thanks for your patience!",
    "All sorted. Have a great day!",
)
