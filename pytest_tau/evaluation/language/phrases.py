"""Patterns of the user audit: how agents ask and speak, how customers answer, decline and leave. English only."""

from __future__ import annotations

from ...patterns import any_of

CLOSING = any_of(
    r"anything else",
    r"something else",
    r"any (other|further|more)",
    r"further (assist|help)",
    r"(need|require) (any |more )?(assist|help)",
    r"feel free",
    r"let me know if you (need|have)",
    r"if you (need|have|ever)",
    r"have a (great|nice|good|wonderful|safe)",
    r"in the future",
)
ASKS = any_of(
    r"\?",
    r"\(yes/no\)",
    r"\bplease (also |first |kindly )*(confirm|provide|share|tell|let me know|reply|respond|choose)",
    r"\bplease (also |first |kindly )*(specify|verify|select|give|send|check|do|turn|open|try|restart|say|type)",
    r"\bplease (also |first |kindly )*(answer|indicate)",
    r"\b(i('ll| will)?|we) (also |still )*(need|require) ",
    r"\blet me know (which|what|how|whether|your|the|if you('d| would) (like|prefer|want))",
)
TRANSFER = any_of(r"\btransfer", r"\bhuman agent\b", r"\bescalat", r"\bsupervisor\b", r"\bconnect you\b")
SETTLED = any_of(
    r"\b(no need|as[- ]is|all set|for now|won't|leave|keep|exactly what i needed|all i needed|i'm good"
    r"|not at this time)\b",
)
PROMISES = any_of(r"\b(i'll|i will) (send|provide|share|give|confirm) ")
OFFERS = any_of(
    r"^\W*(?:\w+\W+)?if you('d| would)? (like|want|wish|prefer|need)\b",
    r"\bwould you like (me to )?(help|assist|send a|a receipt|a copy)",
    r"\bis there anything\b",
)
ELSEWHERE = any_of(r"\bplease (check|contact|call|visit|keep|note|allow|refer|see)\b")
WORKING = any_of(
    r"(?<!\bif )(?<!, )\b(i'll|i will|let me|i'm going to|i am going to) (now |just |first )?"
    r"(look|check|search|find|proceed|process|retrieve|pull|update|cancel|book|get)",
    r"\b(one moment|please (hold|wait)|hold on)",
)
DECLINES = any_of(
    r"^\W*(no|nope|not|nothing)\b",
    r"\bno,? thank",
    r"\b(don't|do not|won't|not) (want|need|wish)",
    r"\brather not",
    r"\bthat('s| is) (all|it)\b",
)
LEAVES = any_of(
    r"\b(never ?mind|changed my mind|forget it)\b",
    r"\b(leave (it|things)|keep (it|everything|things)|(let's |let us |i'll |just )(drop|skip) (it|that|this))\b",
    r"\b(i'll|i will) (just )?(call|contact|try|think|look|find|reach|wait|come|get back|pass|keep|leave)\b",
)
FAREWELL = any_of(
    r"\b(thanks?|thank you|(good)?bye|take care|see you|you too|same to you)\b",
    r"\bhave an? (\w+ )?(day|evening|night|weekend|one|time)\b",
)
WISHES = any_of(
    r"\?",
    r"\b(need|want|please|would like|i'd like|waiting|also|but|still|as well|another|until|when|yet|return|cancel)\b",
)
CORRECTS = any_of(
    r"\b(sorry|apologi[sz]e|correct(ion|ed)|mistake|mistyped|misspoke|wrong|meant|i mean|oops|typo|scratch that)\b",
    r"\bno,? (?:wait|sorry|it's)\b|\b(?:wait|hang on|make that|rather)\b|\.\.\.",
)
ANOTHER = any_of(r"\b(actually|new|old|other|another|different|instead|alternat\w+|might|maybe|or)\b")
ANSWERS = any_of(
    r"\?",
    r"\d",
    r"n't\b",
    r"\b(not|no|none|never|cannot|unsure|unable|yes|yeah|sure|ok|okay|either|any|both|all|first|second|third)\b",
    r"\b(one|two|three|option|done|confirm|go ahead|proceed)\b",
)

_THEIRS = (
    r"(reservations?|orders?|bookings?|account|user ?id|refunds?|payment method|(gift|credit) cards?|profile|e-?mail"
    r"|zip|(shipping |home |mailing )address|(full|first|last) names?|membership|trip|certificates?|passengers?|items?"
    r"|identity)"
)
AGENT_VOICE = any_of(
    r"\bhow (can|may) i (help|assist|be of)",
    r"\b(help|assist) you (with|today|further|in|by)\b",
    r"\b(can|will|to|happily) assist you\b",
    r"\banything else (i|we) can (help|assist|do for)\b",
    rf"\byour ((?!policy|system|company|airline|store|team|colleagues?\b|manager|supervisor)\w+[ -]){{0,2}}{_THEIRS}\b",
    r"\bwould you like (to|me to (proceed|book|cancel|go|process|update|transfer|search|make))",
    r"\b(if|which|what|whether|how) ([^.?!\n]{0,60} )?you('d| would) (like|prefer) to\b",
    r"\bdo you (wish|want|confirm) to proceed",
    r"\bplease (confirm|let me know|provide|verify) (if|whether|which|how|what|that) ?you('d)?\b",
    r"\byou (will|should|can expect to) (receive|be (charged|refunded))",
    r"\byou('re| are| have been) (being )?transferred",
    r"\b(i'm|i am|we are|we're) (unable|not able) to (process|offer|modify|cancel|change|transfer)",
    r"\bi('ve| have) (successfully )?(processed|cancelled|canceled|updated|booked|located|found) "
    r"(the (?!lot\b|same\b)|your|two|three|one|a)\b(?![^.?!\n]* (cheaper|elsewhere)\b)",
    r"\bhere are (some|your) ([\w-]+ ){0,3}(options?|flights?|results|reservations?|orders?)\b",
    r"^\s*[{\[]\s*\"",  # JSON
)

JUST_DID = any_of(
    r"\bi(?:'ve| have)? just (?:checked(?! with\b)|tried(?! (?:to )?(?:call|explain|reach)\w*\b)|ran|run|tested"
    r"|restarted|rebooted|toggled|reseated|re-?inserted|inserted|removed|enabled|disabled|opened|closed|tapped|pressed"
    r"|(?:dis|re)?connected|refreshed|installed|uninstalled|cleared|powered"
    r"|(?:turned|switched|reset|set|put|taken|took|changed|paid|made) (?:it|the|that|on|off|airplane|mobile|data"
    r"|roaming|my (?!mind\b))"
    r"|(?:did|done|gone)(?: (?:that|it|so|all|this|through))?(?= ?(?:[.,!;]|and\b|again\b|$)))",
)
"""What a customer with a device says to have done on it a moment ago; "I've just landed" is no such thing."""
_EARLIER = "already|before|ago|earlier|this morning|yesterday|last"
DID_AS_TOLD = any_of(
    r"(?:^|[.!:]\s+)(?:(?:ok(?:ay)?|all right|alright|right|sure|yes|yep|done|so|fine|well|good)[,.!:]*\s+){0,9}"
    r"(?:(?:i(?:'ve| have)? )?"
    r"(?:restarted|rebooted|toggled|reseated|re-?inserted|(?:dis|re)?connected|enabled|disabled|granted|allowed"
    r"|(?:turned|switched|took|taken|changed|pulled|popped) (?:it|that|the|them|on|off|airplane|mobile|data"
    r"|roaming|my (?!mind\b)))"
    # without an "I", these are orders
    r"|i(?:'ve| have)? (?:reset|(?:put|set) (?:it|that|the|them|airplane|mobile|data|roaming|my)))\b"
    rf"(?![^.!\n]*(?:\?|\b(?:{_EARLIER})\b))",
)
"""What a customer with a device says to have done, in answer to an agent that has asked for it."""
OF_EARLIER = any_of(rf"\b(?:{_EARLIER}|when|times?|first)\b")
"""What was done at another time than just now."""
INSTRUCTS = any_of(r"\b(?:please|could you|can you|try|go to|now|then|next)\b")
OWN_ACT = any_of(r"\b(?:shall|should|may|can|could) i\b", r"\bi(?:'ll| will| can| could| would| may| turn)\b")
"""What the agent offers to do itself: who answers that has been asked to do nothing."""
ASKS_WHETHER_DONE = any_of(r"\b(?:confirm|have you|did you|are you sure|is (?:it|that) (?:now )?(?:done|on|off))\b")
DENIES_KNOWING = any_of(
    r"\b(?:do(?: not|n't) (?:know|have|remember|recall)|can(?:not|'t) (?:find|remember|recall|say|tell)|no idea"
    r"|not sure|no clue|forgot(?:ten)?|have(?: not|n't) got|never had)\b",
)
OF_ANOTHER_ONE = any_of(
    r"\b(?:another|other|second|confirmation|if|whether|why|which|right now|just now|in front of me|hold on)\b",
)
"""Beside what is not known: it is about another one, about something else, or only for now."""
POLITELY_REQUESTS = any_of(r"^\W*(?:please,? )?(?:could|can|would|will) you\b.*\bplease\b")
