"""What the agent tells and nothing shows: to have done what no call did ("I've left a note"), an amount from nowhere.

It is unclear, never a miss: the words alone do not show that it is not so, and there are more ways to tell of what was
done than anybody lists. What looks, thinks or speaks is no deed. Nor is a word for the change that was just made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ....environment.environment import Environment
from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import calls_done
from ..actions import participle, spoken_of
from ..text import own_words, plain, sentences
from .dates import told_of_dates
from .deeds import Claim, verbs, verbs_told
from .figures import from_nowhere
from .names import names_from_nowhere
from .taken_back import refusals_taken_back
from .to_come import told_to_come
from .traits import mixed_traits

_I_HAVE = lazy(
    r"\b(?:i|we)(?:'ve| have)(?: (?:now|just|also|already|both|all|gone ahead and|[a-z]+ly))* "
    r"(?P<verb>(?:re-)?[a-z]+(?:ed)|sent|put|left|(?:re)?set|made|given(?! you\b)|written|taken|let)\b"
    r"(?! (?:sure|note|(?:a|an|the) (?:\w+ )?(?:look|mistake|error|rules?|policy|documents?)|into account)\b"
    r"|(?: absolutely)? (?:nothing|none|no|neither)\b"
    r"|[^.]{0,60} (?:as (?:it|they) (?:is|are|was|were)|alone|untouched|unchanged|above|below|out|together)\b)",
    re.IGNORECASE,
)
_OPEN_LEFT = lazy(
    r"\b(?:not|never|no|if|once|when|after|unless|until|before|to|should|would|will|can|could|may|as soon as|that|which"
    r"|what|everything|all)\b|n't\b",
    re.IGNORECASE,
)
_LIGHT = lazy(
    r"process|complet|made|enter|record|submit|appl[iy]|finali[sz]|fil|initiat|issu|arrang|request|perform|set|put|start|open",
    re.IGNORECASE,
)
_IS_TOLD = lazy(r" (?:that|saying)(?= (?:it|they|this|the|your|#)(?!\w))", re.IGNORECASE)
_SEES_OR_SAYS = lazy(
    r"(?:re-?|double-?|cross-?)(?:check|look|review|verif|confirm|search|identif|authenticat|calculat|compar|examin|read"
    r"|consider|test|run|tri)"  # to look again is no deed, where to restart, reload or recover is one
    r"|(?:check|look|locat|review|verif|retriev|pull|not|confirm|search|identif|authenticat|prepar"
    r"|listed|notic|consider|explain|mention|ask|shar|outlin|receiv|learn|determin|calculat|compar|gather|tried|attempt"
    r"|summari[sz]|examin|work|add|apologi[sz]|describ|provid|discuss|cover|answer|address|try|help|assist|match|pair"
    r"|recommend|propos|suggest|offer|stat|quot|read|need|want|enjoy|appreciat|miss|experienc|encounter|detect|observ"
    r"|compil|collect|access|load|start|finish|complet|reach|notif|walk|guid|ensur|plan|troubleshoot|troubleshot"
    r"|test|run|discover|conclud|decid|us|keep|kept|process|includ|attach|clarif|show"
    r"|convert|narrow|rul|assum|estimat|tall|sort|filter|rank|round|translat)",
    re.IGNORECASE,
)


def unseen_claims(messages: Sequence[AnyMessage], env: Environment) -> list[Claim]:
    """What the agent tells of a deed that no call shows, of a figure, trait or name from nowhere, or took back."""
    figures = (Claim(one.turn, one.sentence) for one in from_nowhere(messages, env.policy))
    told = (
        *figures,
        *told_of_dates(messages, env.policy),
        *_unseen_deeds(messages, env),
        *mixed_traits(messages, env),
        *names_from_nowhere(messages, env),
        *refusals_taken_back(messages, env),
        *told_to_come(messages, env),
    )
    return sorted({(one.turn, one.sentence): one for one in told}.values())  # one reason for each sentence


def _unseen_deeds(messages: Sequence[AnyMessage], env: Environment) -> list[Claim]:
    """The sentences in which the agent says to have done what no call of its own is told by."""
    told = [
        (turn, *deed)
        for turn, message in enumerate(messages)
        if message.role == "assistant" and (text := message.text) and not message.tool_calls
        for deed in _deeds_in(text)
    ]
    if not told:
        return []
    done = _verbs_of_changes(messages, env)
    known, acts = _participles((*verbs_told(env), *done)), spoken_of(done) if done else None
    return [
        Claim(turn, sentence)
        for turn, sentence, verb, deed in told
        if not known.fullmatch(verb) and not (acts and _LIGHT.match(verb) and acts.search(deed))
    ]


def _verbs_of_changes(messages: Sequence[AnyMessage], env: Environment) -> tuple[str, ...]:
    """The verbs in which the agent's changes are told."""
    made = {call.name for _, call, _ in calls_done(messages)}
    return tuple(
        dict.fromkeys(verb for spec in env.tool_specs() if spec.name in made and spec.writes for verb in verbs(spec))
    )


@lru_cache(maxsize=256)
def _participles(verbs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(participle(verb) for verb in verbs if " " not in verb) or r"(?!)", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _deeds_in(text: str) -> tuple[tuple[str, str, str], ...]:
    """The sentences of a message in which the agent says to have done something, with the verb and the deed alone.

    Of "I've put a note on it that it isn't to be cancelled" the note is the deed.
    """
    if " have " not in (said := plain(text).casefold()) and "'ve " not in said:
        return ()
    told = [(one, _I_HAVE.search(one)) for one in sentences(own_words(text)) if "?" not in one]
    return tuple(
        (one, found["verb"].casefold(), one[: found.end()] + _IS_TOLD.split(one[found.end() :], maxsplit=1)[0])
        for one, found in told
        if found and not _OPEN_LEFT.search(one[: found.start()]) and not _SEES_OR_SAYS.match(found["verb"])
    )
