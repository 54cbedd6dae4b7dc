"""Checks of any model, whatever it is for: does it answer, and what do its parameters and its server make of a call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import TauError
from ..llm.chat import user
from ..llm.own_models import key_name, provider_of
from ..llm.retry import ProviderError
from ..printable import cut
from .findings import DoctorFinding, failure, ok, warning
from .line import LineAnswer, ModelLine

_READY = "Answer with the one word: ready"
_EXPLAIN = "Explain in three English sentences what a warranty is and what a customer can do with it."
_EXPLAIN_AT_LENGTH = "Explain in ten English sentences what a warranty is and what a customer can do with it."
_COUNT = "Count from one to one hundred in words, one after the other."
_INVENT = "Invent a name for a new colour, and answer with that name alone."
_FEW = 8  # tokens
_LITTLE = 256  # tokens, in which a tool call with a few arguments may not fit
_BRIEF = 64  # tokens; an answer that ends by itself so early shows no limit of the server
_SLACK = 2  # tokens that servers differ by in what they count
_THOUGHTS = re.compile(r"</?(?:think|thinking|thought|reasoning)>|<\|channel\|>|\[/?THINK\]", re.IGNORECASE)
_ENGLISH = {"the", "a", "an", "is", "of", "to", "that", "it", "and", "or", "can", "for", "in", "if", "with"}
_LATIN = 0x24F  # the last of those letters
_STRANGE = 0.1  # of the letters of an English text are not Latin


async def answers(line: ModelLine) -> DoctorFinding:
    """Whether the model can be reached and says anything; nothing else is worth asking where it does not."""
    check = "answers"
    try:
        answer = await line.ask([user(_READY)])
    except ProviderError as error:
        return _no_answer(line, check, error)
    if answer.reply.problem and answer.reply.finish_reason != "length":
        return failure(line.side, check, answer.reply.problem, "the model must answer with a text; try another one")
    return ok(line.side, check, f"within {answer.reply.seconds:.1f} s")


def _no_answer(line: ModelLine, check: str, error: ProviderError) -> DoctorFinding:
    where = f" at {line.base}" if line.base else ""
    if error.kind == "no key" or error.status in (401, 403):
        return failure(
            line.side,
            "key",
            f"the API key is missing or refused{where}: {_short(error)}",
            f'set {key_name(provider_of(line.model))}, or "api_key" in {line.option}',
        )
    listed = line.listed_models()
    name = line.model.partition("/")[2] or line.model
    if error.kind == "unknown model" or (error.status == 404 and listed and name not in listed):
        known = f"; the server lists {', '.join(sorted(listed)[:5])}" if listed else ""
        return failure(line.side, "model", f"there is no model {name}{where}{known}", "correct the model's name")
    if error.kind in ("connection", "time-out") or error.status == 404:
        return failure(
            line.side,
            "address",
            f"nothing answers chat completions{where}: {_short(error)}",
            f'start the server, or correct "api_base" in {line.option} (it usually ends in /v1)',
        )
    if error.kind == "rate limit":
        return failure(
            line.side,
            "rate limit",
            f"turned away {line.rate_limited} times, although calls came one by one",
            "wait, or ask for a higher rate; then set --tau-rpm or --tau-max-inflight",
        )
    if error.kind == "quota":
        return failure(line.side, "account", "the account has no credit left", "add credit, or use another key")
    return failure(line.side, check, _short(error), f"correct the model or its parameters in {line.option}")


async def writes(line: ModelLine) -> list[DoctorFinding]:
    """Whether it writes English, to the end."""
    answer = await line.ask([user(_EXPLAIN)])
    given = line.parameters.get("max_completion_tokens") or line.parameters.get("max_tokens")
    found = [_language(line, answer)]
    usage = answer.reply.usage
    if answer.reply.finish_reason != "length" and usage and usage.completion_tokens < _BRIEF:
        answer = await line.ask([user(_EXPLAIN_AT_LENGTH)])
    if answer.reply.finish_reason == "length":
        written = answer.reply.usage.completion_tokens if answer.reply.usage else "?"
        bound = f"max_tokens {given}" if given else "a limit of the server"
        found.append(
            failure(
                line.side,
                "whole answers",
                f"an answer of a few sentences was cut off after {written} tokens, by {bound}",
                f"raise max_tokens in {line.option}, or the server's limit of an answer",
            )
        )
    elif isinstance(given, int) and given < _LITTLE:
        advice = f"give more in {line.option}"
        found.append(warning(line.side, "whole answers", f"max_tokens {given} may cut a tool call", advice))
    else:
        found.append(ok(line.side, "whole answers", "a few sentences were not cut off"))
    return found


def _language(line: ModelLine, answer: LineAnswer) -> DoctorFinding:
    letters = [letter for letter in answer.text if letter.isalpha()]
    strange = sum(ord(letter) > _LATIN for letter in letters)
    words = re.findall(r"[a-z']+", answer.text.casefold())
    share = sum(word in _ENGLISH for word in words) / max(1, len(words))
    if letters and strange <= _STRANGE * len(letters) and share > _STRANGE:
        return ok(line.side, "language", "English, as it was asked")
    said = repr(cut(answer.text, 60))
    return warning(
        line.side,
        "language",
        f"asked for English, it wrote {said}",
        "policies, customers and the rules of the audit are English; use a model that keeps to it",
    )


async def bounds(line: ModelLine) -> DoctorFinding:
    """Whether the server keeps to max_tokens, which bounds what an answer may cost."""
    bound = line.bound_parameter(_FEW)
    [key] = bound
    for question in (_COUNT, _EXPLAIN):
        answer = await line.ask([user(question)], changed=bound)
        usage = answer.reply.usage
        wrote = usage.completion_tokens if usage else len(answer.text.split())
        if wrote > _FEW + _SLACK or answer.reply.finish_reason == "length":
            break  # one that ends by itself tells nothing
    if wrote <= _FEW + _SLACK:
        return ok(line.side, key, f"kept to: {wrote} tokens of at most {_FEW}")
    advice = "an answer without end is stopped by the timeout of a call only; set it in the server"
    return warning(line.side, key, f"ignored: {wrote} tokens, where {_FEW} were allowed", advice)


async def samples(line: ModelLine) -> list[DoctorFinding]:
    """Whether seed and temperature decide anything."""
    refused = set(line.client({}).unsupported_parameters())
    for temperature in (1.0, 0.0):
        refused |= set(line.client({"temperature": temperature}).unsupported_parameters())

    async def once(seed: int | None, temperature: float) -> str:
        given = {} if "temperature" in refused else {"temperature": temperature}
        return (await line.ask([user(_INVENT)], seed=seed, changed={**line.bound_parameter(3 * _FEW), **given})).text

    found = []
    first, again, other, another = [await once(seed, 1.0) for seed in (1, 1, 2, 3)]
    varies = len({first, other, another}) > 1
    if "seed" in refused:
        found.append(warning(line.side, "seed", "not sent, because the model does not take one", _NO_SEED))
    elif first == again and varies:
        found.append(ok(line.side, "seed", "honoured: the same answer to the same seed, another to another"))
    elif varies or first != again:
        found.append(warning(line.side, "seed", "ignored: two answers to the same seed differ", _NO_SEED))
    else:
        said = f"all answers were {cut(first, 60)!r}, whatever the seed"
        advice = "k trials may be k times the same; give a temperature above 0 and see that the server uses it"
        found.append(warning(line.side, "seed", said, advice))
    if "temperature" in refused:
        advice = "its answers vary as the model's own setting has it"
        found.append(warning(line.side, "temperature", "not sent, because the model does not take it", advice))
        return found
    cold = {await once(None, 0.0) for _ in range(2)}
    if len(cold) == 1 and varies:
        found.append(ok(line.side, "temperature", "honoured: answers at 0 are equal, at 1 they differ"))
    elif len(cold) > 1:
        advice = "do not expect the same conversation twice; record one with --tau-cassette"
        found.append(warning(line.side, "temperature", "two answers at temperature 0 differ", advice))
    else:
        found.append(warning(line.side, "temperature", "1 makes no difference to 0 in four answers", ""))
    return found


_NO_SEED = "do not expect the same conversation twice; record one with --tau-cassette"


def costs(line: ModelLine) -> list[DoctorFinding]:
    """Whether tokens are counted and priced."""
    found = []
    price = line.client({}).price()
    if price is not None:
        told = f"${price.input:.10g} read and ${price.output:.10g} written, per million tokens"
        found.append(ok(line.side, "price", told))
    else:
        advice = "give it in --tau-prices FILE, or bound the run in tokens: --tau-budget '200000 tokens'"
        found.append(warning(line.side, "price", f"nobody knows what {line.model} costs", advice))
    silent = [answer for answer in line.answers if answer.reply.usage is None]
    if silent:
        advice = "budgets count what a call reserves, and costs are unknown; switch usage on in the server"
        found.append(
            warning(line.side, "usage", f"{len(silent)} of {len(line.answers)} answers tell no tokens", advice)
        )
    else:
        found.append(ok(line.side, "usage", "each answer tells its tokens"))
    return found


def manners(line: ModelLine) -> Iterator[DoctorFinding]:
    """What all answers together show: thoughts in them, rates, speed."""
    aloud = [answer for answer in line.answers if _THOUGHTS.search(answer.raw)]
    thought = [answer for answer in line.answers if answer.thoughts]
    if aloud:
        yield warning(
            line.side,
            "thoughts",
            f"thinks aloud: thoughts stand in {len(aloud)} of {len(line.answers)} answers",
            "start the server with a parser for them (vLLM --reasoning-parser, llama.cpp --reasoning-format), or "
            "switch thinking off",
        )
    elif thought:
        yield ok(line.side, "thoughts", f"{len(thought)} answers came with thoughts, kept apart from the text")
    else:
        yield ok(line.side, "thoughts", "none in the answers")
    limits = {name: value for name, value in line.headers.items() if "limit" in name.split("-")}
    if line.rate_limited:
        yield warning(
            line.side,
            "rate limit",
            f"turned away {line.rate_limited} times, although calls came one by one{_limits_text(limits)}",
            "set --tau-rpm, --tau-tpm or --tau-max-inflight to what the account may use",
        )
    else:
        yield ok(line.side, "rate limit", f"none met{_limits_text(limits)}")
    if (rate := written_rate(line)) is not None:
        yield ok(line.side, "speed", f"{median(line):.1f} s for the median answer, about {rate:.0f} tokens a second")


def _limits_text(limits: dict[str, str]) -> str:
    told = ", ".join(f"{name} {value}" for name, value in sorted(limits.items()))
    return f"; the provider tells {told}" if told else ""


def median(line: ModelLine) -> float:
    """Seconds of the median answer."""
    seconds = sorted(answer.reply.seconds for answer in line.answers)
    return seconds[len(seconds) // 2] if seconds else 0.0


def written_rate(line: ModelLine) -> float | None:
    """Tokens a second of the longest answer; None where nobody counts them."""
    used = [
        (answer.reply.usage.completion_tokens, answer.reply.seconds) for answer in line.answers if answer.reply.usage
    ]
    if not used:
        return None
    tokens, seconds = max(used)
    return tokens / seconds if seconds > 0 and tokens else None


def not_asked_finding(line: ModelLine, check: str, error: TauError) -> DoctorFinding:
    """A check that could not be made, because a call failed."""
    remedy = "see to this call first; the other checks were made without it"
    if line.too_slow:
        remedy = f'raise "timeout" in {line.option}; the checks that were left would have waited as long, one by one'
    return failure(line.side, check, _short(error), remedy)


def _short(error: TauError) -> str:
    return cut(" ".join(str(error).split()), 300)
