"""What the telecom tasks say: who calls, what they complain about and how, in words of our own."""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from pytest_tau import Environment
from tau_workshop.compose import Combination, Persona, TaskTexts, half

from .make_callers import callers
from .phone import Surroundings
from .values import MOST_GB

# Callers take turns with these, so that every other one belongs to the second half, which shares neither personas nor
# openings with the first.
EASY = (
    "You keep the books of a garden center. You use your phone all day and find your way around its "
    "settings once somebody names the right one. You are calm and friendly, you like to be told one step at a time, "
    "you ask when a step is unclear, and you report exactly what you see.",
    "You run a bicycle workshop. You are at ease with your phone and quick to find a setting. You are in a "
    "good mood, take the steps in the order in which you are given them, and say what you see after each.",
    "You drive an ambulance and stay calm when things do not work. You know where most settings of your phone are, you "
    "take one step after the other, and you say at once what has changed and what has not.",
    "You work in a bookshop and read instructions to the end before you begin. Your phone is familiar to you. You "
    "answer in whole sentences, thank people, and ask when you do not find a setting by the name you were given.",
    "You teach chemistry. You are curious what a step is for, but you take it without a long discussion. You find "
    "settings fast and tell what the phone shows word for word.",
    "You coach a youth team and like short, clear instructions. You repeat a step in your own words before you take "
    "it, and you stay cheerful even when the whole thing takes longer.",
)
HARD = (
    "You repair clocks. A neighbor set up this phone for you, and words like roaming or access point "
    "mean nothing to you. You answer only what you are asked, in few words. Technical terms make you impatient, you "
    "worry aloud that something could be deleted, and you want to hear that a step is safe before you take it.",
    "You teach Latin. The small screen tires your eyes, and you copy slowly what it shows. You distrust words "
    "that you do not know and want them put simply, you are afraid of losing your photographs, and you ask twice "
    "whether a step can be undone.",
    "You sing in a choir and have never been in the settings of your phone alone. You ask "
    "what a word means before you do anything, long messages make you lose patience, and you want to know each time "
    "whether your contacts stay where they are.",
    "You grow vegetables and have never cared how your phone works. For you most trouble comes from pressing the "
    "wrong thing. You take a step only when you have been told what it does, you grumble about menus "
    "within menus, and you answer with one sentence.",
    "You translate laws and contracts. You want a reason for each step, in words that are not technical, you object "
    "when you are asked for two things at once, and you ask whether anything that you have saved is in danger.",
    "You restore old furniture. Your reading glasses are never where you need them, so you ask for short messages. You "
    "have never heard of access points, you fear that the phone will be worse afterwards, and you say so before each "
    "step that sounds serious.",
)
# The customers of our world who may call, each with an id for the bill that they may owe.
CALLERS = (("555-284-3307", "B2101"), ("555-284-5190", "B2102"), ("555-284-8846", "B2103"), *callers())
PERSONAS = tuple(
    (Persona("none"), Persona("easy", EASY[index % len(EASY)]), Persona("hard", HARD[index % len(HARD)]))
    for index in range(len(CALLERS))
)
_HALF_OF = {phone_number: number % 2 for number, (phone_number, _) in enumerate(CALLERS)}


@dataclass(frozen=True)
class _Words:
    purpose: str
    openings: tuple[str, ...]
    goals: tuple[str, ...]
    agrees: tuple[str, ...]
    ticket: str
    looks: str = "check_status_bar for the signal"


NO_DEAL = (
    f"You are willing to pay for more data if that is what it takes; then you want {MOST_GB} GB, even where 1 GB would "
    "do. You refuse another plan, but only if you are offered one.",
    f"If more data is needed, you take {MOST_GB} GB, no less, and pay for them. You want to keep the plan you have; "
    "you do not bring that up yourself.",
    f"You would pay for extra data, should it be needed: {MOST_GB} GB, even if less is enough. Should you be offered "
    "another plan, you do not want it.",
)
WORDS = {
    "mobile_data_issue": _Words(
        purpose="Mobile data does not work or is slow: find every cause, on the phone and on the account.",
        openings=(
            "My mobile data isn't what it should be, and I need it to be excellent. Wi-Fi is no help to me.",
            "Web pages don't open properly on my phone. It's about mobile data and not about Wi-Fi, and it has to be "
            "fast.",
            "Hello, the internet on my phone is no good over mobile data. It has to be really fast, and without Wi-Fi.",
            "I can't get anything done on my phone: the mobile data is slow or gone, and Wi-Fi can't replace it.",
            "Something is wrong with my data connection. I can't rely on Wi-Fi, and I need excellent speed today.",
            "My phone has stopped loading things properly. It's the mobile data, and Wi-Fi is no way out for me.",
            "I wanted to join a video call on my phone and couldn't. My mobile data doesn't work as it should, and "
            "I don't want to use Wi-Fi.",
            "Why is the mobile internet on my phone so bad? I want it as fast as it gets, without Wi-Fi.",
            "Maps won't load on my phone. I think it's the mobile data, and on the road I have no Wi-Fi. I want top "
            "speed again.",
            "Could you help me with my mobile data? It is slow or not there at all, and Wi-Fi isn't an option.",
            "I pay for fast mobile data and don't get it. I can't use Wi-Fi instead.",
            "Music won't play on my phone because of the mobile data. Slow data is no use to me, and neither is Wi-Fi.",
            "I have to send something large from my phone today, without Wi-Fi, and my mobile data isn't up to it.",
            "The data on my phone has been playing up since breakfast. I don't use Wi-Fi, and I need an excellent "
            "connection.",
        ),
        goals=(
            "You are satisfied only when a speed test on your phone says that the speed is excellent; fair or good "
            "will not do.",
            "For you the matter is settled once a speed test on your phone says excellent. With poor, fair or good you "
            "go on asking for help.",
            "What you want to see is a speed test on your phone that says excellent, and nothing below that.",
        ),
        agrees=NO_DEAL,
        looks="check_status_bar for the signal, run_speed_test for the speed",
        ticket="Mobile data fails or is slow. Solved when a speed test on the phone says excellent. If the data is "
        f"used up, {MOST_GB} GB may be added; the plan must not be changed.",
    ),
    "service_issue": _Words(
        purpose="The phone has no service: find every cause, or see that it cannot be removed here and hand over.",
        openings=(
            "My phone has had no service since this morning and I cannot call anybody.",
            "I can't make or receive calls. There is just no service.",
            "Hello, my phone has no signal at all, and I'm expecting an important call.",
            "There are no bars on my phone. What is going on?",
            "I seem to be cut off from the network. My phone has no service.",
            "Nobody can reach me, because my phone has lost its service.",
            "My phone won't connect to the network. I have no service wherever I go.",
            "I have had no reception since yesterday evening, not even outdoors. There is no service.",
            "Calls don't go out any more, and there is no service.",
            "I restarted my phone twice and there is still no service.",
            "Could you find out why my phone has no service? I need it every day.",
            "Since I put my phone back in my pocket this morning it has had no service.",
            "My phone is dead as far as calls go: there is no service.",
            "I wanted to ring my sister and got nothing. The phone has no service.",
        ),
        goals=(
            "You are satisfied when the status bar of your phone shows a signal. When you are asked how it looks, "
            "read out the status bar.",
            "For you the matter is settled once there is a signal in the status bar of your phone. Asked about it, you "
            "read out what the status bar shows.",
            "What you want to see is a signal in the status bar of your phone. You read the status bar out when you "
            "are asked.",
        ),
        agrees=(
            "If there is an overdue bill, you are willing to pay it.",
            "Should a bill be overdue, you pay it.",
            "You would pay an overdue bill that stands in the way.",
        ),
        ticket="The phone has no service. Solved when its status bar shows a signal. All overdue bills may be paid.",
    ),
    "mms_issue": _Words(
        purpose="Picture messages cannot be sent: find every cause, on the phone and on the account.",
        openings=(
            "I have been trying for hours to send a picture with my messaging app, and it will not go out.",
            "Picture messages don't leave my phone. The messaging app says that sending failed.",
            "I can't send photos in a message any more. Could you help?",
            "My messaging app refuses to send pictures.",
            "Hello, I want to send my daughter a photo by MMS and it fails every time.",
            "Sending a picture message gives me an error again and again.",
            "Photos that I attach to a message stay on my phone. They are never sent.",
            "What do I have to do so that my phone sends picture messages again?",
            "I took a photo for my landlord, and the messaging app can't send it.",
            "MMS doesn't work on my phone. I've tried with three different pictures.",
            "Whenever I add an image to a message, it isn't delivered.",
            "My phone doesn't send pictures from the messaging app, and I have to send some today.",
            "I'd like to send a picture message, but my phone won't let me.",
            "The messaging app is stuck when I send a photo. It never goes through.",
        ),
        goals=(
            "You are satisfied when your messaging app can send picture messages (MMS).",
            "For you the matter is settled once your messaging app can send a picture message (MMS).",
            "What you want is a messaging app that can send picture messages (MMS) again, and you stay until it can.",
        ),
        agrees=NO_DEAL,
        looks="check_status_bar for the signal, can_send_mms for whether a picture can be sent",
        ticket=f"The messaging app cannot send picture messages. Solved when it can. If the data is used up, {MOST_GB} "
        "GB may be added; the plan must not be changed.",
    ),
}
MANNERS = (
    "You follow the agent's suggestions, also when the last one did not help. What you say about your phone is what "
    "your tools have shown you, and nothing else: {looks}. If a result does not answer the question, look again with "
    "another tool, and ask if you do not know what to do.",
    "You try what the agent suggests, one thing after the other, also when one of them has not helped. Never say "
    "what state your phone is in without having looked with a tool: {looks}, and whichever fits for anything else. If "
    "one tool does not tell, use another; if you do not see what you are to do, ask.",
    "You do as the agent asks and report the result of your tools as it is, without adding to it: {looks}; for other "
    "questions you take the tool that answers them. When something has not helped you say so and go on with the next. "
    "What you do not understand you ask about.",
)
# A phone without a connection is no way to ask for help.
BESIDE = (
    "You have the phone in your hand and write on a tablet that somebody has lent you.",
    "You write on a tablet, and the phone lies beside it.",
    "You use a friend's tablet for this chat, and hold the phone in your hand.",
)
# Where callers are who are not at home; the same for all that one of them wants.
ABROAD = (
    "abroad, on a trip to Portugal", "abroad, on holiday in Croatia", "abroad, visiting friends in Norway",
    "abroad, at a trade fair in Japan", "abroad, on a walking tour in Ireland", "abroad, at a wedding in Mexico",
    "abroad, on a business trip to Germany", "abroad, with family in New Zealand",
)  # fmt: skip

# Of callers in the first half every other sentence, and of those in the second half the others.
KNOWN = (
    "My name is {name}, the number of my phone is {number}, and I am {place}.",
    "I'm {name}. My number is {number}, and at the moment I am {place}.",
    "{name} is my name, and {number} is the phone in question. Right now I am {place}.",
    "The phone with the trouble has the number {number}. I am {name}, and I am {place}.",
    "I am {place}. You will find me under {number}; the name is {name}.",
    "It is about {number}, which is my own phone. My name is {name}. I am {place}.",
    "I'm called {name}, I am {place}, and my phone has the number {number}.",
    "My phone has the number {number}, my name is {name}, and just now I am {place}.",
)


# How a customer begins who has called before: about the trouble that was put right then.
AGAIN = {
    "service_issue": (
        "We have spoken before: my phone has a signal again, thank you.",
        "You helped me get my signal back, and calls are fine now.",
        "Me again. The service is back since we talked, but there is something else.",
        "Thank you for your help with the service. Now there is another thing.",
    ),
    "mobile_data_issue": (
        "We have spoken before: my mobile data is fast again, thank you.",
        "You helped me with my mobile data, and that works now.",
        "Me again. Surfing is fine since we talked, but there is something else.",
        "Thank you for your help with the mobile data. Now there is another thing.",
    ),
}
_GREETING = "Hello, "


def calling_again(reason_for_call: str, before: str) -> str:
    """What a customer calls about, said by one who has called before, about another trouble."""
    openings = AGAIN[before]
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
    words = WORDS[combination.family.name]
    place = _one_of(ABROAD, f"{around.phone_number}") if around.is_abroad else "at home"
    names = "+".join(combination.names)
    task_id = f"{combination.family.name}.{names}.{combination.persona.name}"
    part = _HALF_OF.get(around.phone_number or "", 0)
    openings, known = half(words.openings, part), half(KNOWN, part)
    return TaskTexts(
        id=task_id,
        purpose=words.purpose,
        reason_for_call=_one_of(openings, task_id) if number is None else openings[number % len(openings)],
        known_info=_one_of(known, f"{around.name}").format(name=around.name, number=around.phone_number, place=place),
        task_instructions=" ".join(
            _one_of(texts, f"{what} {task_id}")
            for what, texts in (
                ("beside", BESIDE),
                ("goal", words.goals),
                ("agrees", words.agrees),
                ("manner", MANNERS),
            )
        ).format(looks=words.looks),
        ticket=f"{words.ticket} Customer: {around.name}, phone number {around.phone_number}, {place}.",
        tags=[combination.family.name, f"atoms_{combination.difficulty}", f"persona_{combination.persona.name}"],
    )
