"""What the telecom tasks say: who calls, what they complain about and how, in words of our own."""

from collections.abc import Sequence
from zlib import crc32

from pytest_tau import Environment
from tau_workshop.compose import Combination, Persona, TaskTexts, half, phrases_of

from .make_callers import callers
from .phone import Surroundings
from .values import MOST_GB

say = phrases_of(__file__)
# The customers of our world who may call, each with an id for the bill that they may owe.
CALLERS = (("555-284-3307", "B2101"), ("555-284-5190", "B2102"), ("555-284-8846", "B2103"), *callers())
# Callers take turns with the personas.
PERSONAS = tuple(
    (Persona("none"), *(Persona(kind, texts[index % len(texts)]) for kind, texts in say("personas").items()))
    for index in range(len(CALLERS))
)
_HALF_OF = {phone_number: number % 2 for number, (phone_number, _) in enumerate(CALLERS)}


_GREETING = "Hello, "


def calling_again(reason_for_call: str, before: str) -> str:
    """What a customer calls about, said by one who has called before, about another trouble."""
    openings = say(f"again.{before}")
    chosen = openings[crc32(reason_for_call.encode()) % len(openings)]
    asks = reason_for_call.removeprefix(_GREETING)
    return f"{chosen} {asks[0].upper()}{asks[1:]}"


def surroundings_in(env: Environment) -> Surroundings:
    """Where the customer is with their phone."""
    assert env.user_tools is not None, "the phone is the user's side"  # noqa: S101 (a fact of domain.py)
    found: Surroundings = env.user_tools.db.surroundings
    return found


def _one_of(texts: Sequence[str], key: str) -> str:
    """The same one for the same key."""
    return texts[crc32(key.encode()) % len(texts)]


def describe(combination: Combination, env: Environment, number: int | None = None) -> TaskTexts:
    """The words of a task; where the customer is, its world says.

    ``number``: of the openings that fit, which one, counted round and round; without one it is the task's own.
    """
    around = surroundings_in(env)
    words = say("any_issue", most=MOST_GB) | say(combination.family.name, most=MOST_GB)
    place = _one_of(say("places.abroad"), f"{around.phone_number}") if around.is_abroad else say("places.home")
    names = "+".join(combination.names)
    task_id = f"{combination.family.name}.{names}.{combination.persona.name}"
    part = _HALF_OF.get(around.phone_number or "", 0)
    told = {"name": around.name, "number": around.phone_number, "place": place}
    openings, known = half(words["openings"], part), half(say("caller.known", **told), part)
    return TaskTexts(
        id=task_id,
        purpose=words["purpose"],
        reason_for_call=_one_of(openings, task_id) if number is None else openings[number % len(openings)],
        known_info=_one_of(known, f"{around.name}"),
        task_instructions=" ".join(
            _one_of(texts, f"{what} {task_id}")
            for what, texts in (
                ("beside", say("caller.beside")),
                ("goal", words["goals"]),
                ("agrees", words["agrees"]),
                ("manner", say("caller.manner", looks=words["looks"])),
            )
        ),
        ticket=words["ticket"] + say("caller.ticket", **told),
        tags=[combination.family.name, f"atoms_{combination.difficulty}", f"persona_{combination.persona.name}"],
    )
