"""What the telecom tasks say: who calls, what they complain about and how, in words of our own."""

from dataclasses import dataclass

from pytest_tau import Environment
from pytest_tau.generation.compose import Combination, Persona, Texts

EASY = (
    "You are 37 and keep the books of a garden center. You use your phone all day and find your way around its "
    "settings once somebody names the right one. You are calm and friendly, you like to be told one step at a time, "
    "you ask when a step is unclear, and you report exactly what you see."
)
HARD = (
    "You are 71 and used to repair clocks. Your grandson set up this phone, and words like roaming or access point "
    "mean nothing to you. You answer only what you are asked, in few words. Technical terms make you impatient, you "
    "worry aloud that something could be deleted, and you want to hear that a step is safe before you take it."
)
PERSONAS = (Persona("none"), Persona("easy", EASY), Persona("hard", HARD))


@dataclass(frozen=True)
class _Words:
    purpose: str
    reason: str
    goal: str
    agrees: str
    ticket: str


NO_DEAL = "You are willing to add 2 GB of data if that is what it takes, but not to change your plan."
WORDS = {
    "mobile_data_issue": _Words(
        purpose="Mobile data does not work or is slow: find every cause, on the phone and on the account.",
        reason="My mobile data keeps failing or crawls along, and I need it to be excellent. There is no Wi-Fi here.",
        goal="You are satisfied only when a speed test on your phone says that the speed is excellent; fair or good "
        "will not do.",
        agrees=NO_DEAL,
        ticket="Mobile data fails or is slow. Solved when a speed test on the phone says excellent. 2 GB of data may "
        "be added; the plan is to stay.",
    ),
    "service_issue": _Words(
        purpose="The phone has no service: find every cause, or see that it cannot be removed here and hand over.",
        reason='My phone has said "No Service" since this morning and I cannot call anybody.',
        goal="You are satisfied when the status bar of your phone shows a signal. When you are asked how it looks, "
        "read out the status bar.",
        agrees="If there is a bill to pay, you are willing to pay it.",
        ticket="The phone shows no service. Solved when its status bar shows a signal. All overdue bills may be paid.",
    ),
    "mms_issue": _Words(
        purpose="Picture messages cannot be sent: find every cause, on the phone and on the account.",
        reason="I have been trying for hours to send a picture with my messaging app, and it will not go out.",
        goal="You are satisfied when your messaging app can send picture messages (MMS).",
        agrees=NO_DEAL,
        ticket="The messaging app cannot send picture messages. Solved when it can. 2 GB of data may be added; the "
        "plan is to stay.",
    ),
}
MANNER = (
    "You follow the agent's suggestions, also when the last one did not help; from the first failure on you are a "
    "little annoyed. What you say about your phone is what your tools have shown you, and nothing else: if the agent "
    "asks for the signal, look with check_status_bar; if they ask whether a picture can be sent, try can_send_mms. "
    "If a result does not answer the question, look again with another tool, and ask if you do not know what to do."
)


def describe(combination: Combination, env: Environment) -> Texts:
    """The words of a task; where the customer is, its world says."""
    assert env.user_tools is not None, "the phone is the user's side"  # noqa: S101 (a fact of domain.py)
    around = env.user_tools.db.surroundings
    words = WORDS[combination.family.name]
    place = "abroad, on a trip to Portugal" if around.is_abroad else "at home"
    names = "+".join(combination.names)
    return Texts(
        id=f"{combination.family.name}.{names}.{combination.persona.name}",
        purpose=words.purpose,
        reason_for_call=words.reason,
        known_info=f"My name is {around.name}, the number of my phone is {around.phone_number}, and I am {place}.",
        task_instructions=f"{words.goal} {words.agrees} {MANNER}",
        ticket=f"{words.ticket} Customer: {around.name}, phone number {around.phone_number}, {place}.",
        tags=[combination.family.name, f"atoms_{combination.difficulty}", f"persona_{combination.persona.name}"],
    )
