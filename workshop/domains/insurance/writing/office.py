"""Work instructions of the back office: the procedures that need a code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..procedures import EDITIONS, Procedure
from ..rules import PRODUCTS
from .phrases import euro, listing, long_day, month, next_edition

_TITLES = {
    "refund": "premium refunds, giving back premiums after a cancellation",
    "waiver": "waiving a deductible",
    "goodwill": "goodwill after a rejection",
    "reinstatement": "reinstating a lapsed contract",
    "adjuster": "sending a loss adjuster",
    "layup": "laying up a vehicle",
    "extension": "extending a journey",
    "transfer": "passing on no-claims years",
    "advance": "advance payments",
    "reopening": "reopening a claim",
    "hardship": "a pause in payments",
}
_HOW = {
    "contract_id": "the contract",
    "claim_id": "the claim",
    "amount": "the amount in euros",
    "arrears": "what is owed, fee included",
    "firm": "the name of the firm, as written above",
    "first_day": "the first day, as year-month-day",
    "last_day": "the new last day of the journey, as year-month-day",
    "surcharge": "the surcharge in euros",
    "from_contract_id": "the contract that gives",
    "to_contract_id": "the contract that receives",
    "years": "the number of years",
    "months": "the number of months",
}


def instructions() -> Iterator[tuple[str, str]]:
    """The id and text of every edition of every instruction."""
    for key, editions in EDITIONS.items():
        for edition in editions:
            rules = _RULES[key](edition.figures, edition.end is not None)
            yield edition.document, (_new if edition.end is None else _old)(key, edition, rules)


def _old(key: str, procedure: Procedure, rules: str) -> str:
    return (
        f"# Work instruction: {_TITLES[key]} ({month(procedure.start)})\n\n"
        f"*In use from {long_day(procedure.start)} to {long_day(procedure.end)}. Replaced in "
        f"{next_edition(procedure.end)}; the code below is no longer accepted since.*\n\n{rules}\n\n"
        f"It is entered as the procedure {procedure.name} with the code {procedure.code}, and needs "
        f"{listing([f'`{detail}`' for detail in procedure.details])}.\n"
    )


def _new(key: str, procedure: Procedure, rules: str) -> str:
    details = "\n".join(f"- `{detail}`: {_HOW[detail]}" for detail in procedure.details)
    return (
        f"# Work instruction: {_TITLES[key]}\n\n"
        f"> In use since {long_day(procedure.start)}. What holds is the instruction in use on the day on which you act.\n\n"
        f"{rules}\n\n## How it is entered\n\n"
        f"Run the procedure `{procedure.name}` with the authorisation code **{procedure.code}** and these details:\n\n{details}\n"
    )


def _refund(f: Any, old: bool) -> str:
    keep = f"Of the amount, {f['keep']} % are kept for our work." if f["keep"] else "Nothing is kept for our work."
    return (
        "When a contract ends before the end of an insurance year that has been paid for, the customer gets back the part "
        "of the premium for the days that are left.\n\n"
        "It is the annual premium, times the days after the last day of cover up to and including the last day of the "
        f"insurance year, divided by 365 and rounded to full cents. {keep}\n\n"
        "This is for contracts that pay once a year. Where instalments are paid, nothing is given back; they simply stop. "
        f"Amounts below {euro(f['least'])} are not paid out. For a Trip Single there is no such refund. After a revocation "
        "the whole annual premium goes back.\n\n"
        "The contract is cancelled first, then the premium is given back. If a contract was cancelled earlier and its "
        "premium was never given back, this is made up for."
    )


def _waiver(f: Any, old: bool) -> str:
    if old:
        return (
            "After storms that the board has named, the clerk may leave out the deductible of household claims up to a "
            "loss of €2,000. Whether a storm was named is asked for by telephone. The "
            "waiver is entered after the settlement, and the accounts department pays the rest."
        )
    return (
        "A deductible is waived only where a bulletin says so, for its region, its products and its days. Nobody waives "
        "a deductible out of kindness, and long custom is no reason either.\n\n"
        "Run the procedure before the claim is settled. The claim then shows that the deductible is waived, and you work "
        "out the settlement without one: step 3 of the instruction on settlements falls away, the limit stays. A "
        "deductible in percent is waived like any other.\n\n"
        "A claim that has been settled already cannot be helped in this way."
    )


def _goodwill(f: Any, old: bool) -> str:
    return (
        "Now and then the terms are right and the customer is right as well. For such cases there is goodwill.\n\n"
        "It is for claims on household contents and bicycles that were rejected because a condition of the cover was not "
        f"met, and for customers of {f['years']} years or more (the customer's record says since when). Claims rejected "
        "for any other reason get none, and there is one goodwill payment a customer.\n\n"
        f"Goodwill is {f['percent']} % of the loss, and at most {euro(f['most'])}. The deductible plays no part in it. "
        "It is offered only to those who ask whether anything can be done; nobody is talked into it."
    )


def _reinstatement(f: Any, old: bool) -> str:
    return (
        "A contract lapses when a premium stays unpaid after two reminders. The contract then shows the status `lapsed`, "
        "the day, and the open instalments.\n\n"
        f"It can be reinstated within {f['days']} days of the day on which it lapsed, if the customer agrees to pay all "
        f"open instalments and a fee of {euro(f['fee'])}. The amount that is entered is the sum of both. After that time "
        "only a new contract helps, with new waiting periods; then refuse.\n\n"
        "Losses between the lapse and today are not insured. Tell the customer so."
    )


def _adjuster(f: Any, old: bool) -> str:
    regions = "\n".join(f"| {digit} | {firm} |" for digit, firm in f["firms"].items())
    return (
        "A loss adjuster looks at large losses on the spot. From which amount on stands in the claims sheet of the line; "
        "below it nobody is sent. The papers have to be complete first.\n\n"
        "The firm follows from the first digit of the customer's post code:\n\n"
        f"| post code begins with | firm |\n|---|---|\n{regions}\n\n"
        "The customer is told the name of the firm, which calls within two working days. The claim shows the status "
        "`with adjuster`; it is not settled at the desk any more."
    )


def _layup(f: Any, old: bool) -> str:
    return (
        "A car that is taken off the register for a while need not be insured for the road. It can be laid up: liability "
        "rests, and what parked cars are insured for goes on.\n\n"
        f"It has to rest for at least {f['least_days']} days, on private ground. For shorter rests nothing is changed. The "
        f"first day is the day on which the register was told, and cannot lie before today. While the car rests, "
        f"{f['percent']} % of the premium are credited; the accounts department works that out by itself.\n\n"
        "Contracts with the extra for lease gaps cannot be laid up, because the lessor wants full cover."
    )


def _extension(f: Any, old: bool) -> str:
    rows = "\n".join(f"| {PRODUCTS[product]} | {euro(price)} |" for product, price in f["prices"].items())
    return (
        "Journeys take longer than planned: a missed ship, a child with fever, or because it is nice there. The cover of "
        "a journey that is under way can be extended.\n\n"
        f"At most {f['most']} days can be added, once a journey. The customer has to ask before the cover of the journey "
        "ends; the last day still counts. For each day that is added there is a surcharge:\n\n"
        f"| product | for each day |\n|---|---|\n{rows}\n\n"
        "The journey and the last day of its cover stand in the contract. Illnesses that have begun are not insured "
        "beyond the old last day."
    )


def _transfer(f: Any, old: bool) -> str:
    share = (
        "Half of the giver's years are passed on, rounded down."
        if f["share"] == 50
        else "All years of the giver are passed on, but never more than the years for which the receiver has had a licence."
    )
    return (
        "Years without claims can be passed on from one motor contract to another, when a parent stops driving or a "
        "second car is given up.\n\n"
        "Both contracts are with us. The giver and the receiver are the same person, or parent and child, or husband and "
        f"wife; customers' records name the relatives. {share} What the receiver has already is replaced and not added "
        "to.\n\n"
        "The giver's contract has none afterwards. Have both say yes if they are two persons; the giver's consent is "
        "noted in the contract that gives."
    )


def _advance(f: Any, old: bool) -> str:
    return (
        "After a fire or a burst pipe, people need money before the adjuster has been there. For household claims by "
        f"fire or escape of water with a loss of {euro(f['from'])} or more, an advance can be paid.\n\n"
        f"It is {f['percent']} % of the loss as it was reported, and at most {euro(f['most'])}. The event has to be insured "
        "and its conditions have to be met; papers may still be missing. One advance is paid for a claim, and it is taken "
        "off the settlement later.\n\n"
        "An advance does not replace the adjuster. Where all papers are there, both are entered, the adjuster first."
    )


def _reopening(f: Any, old: bool) -> str:
    return (
        "A claim that was settled or rejected is closed. It is reopened only when the customer brings a fact or a "
        f"paper that was not there before, and no later than {f['months']} months after the decision. Being unhappy with "
        "the decision is no new fact; for that there is the complaints office.\n\n"
        "Reopening makes the claim open again and changes nothing else. It is then decided once more, from the first "
        "step, with all that is there now."
    )


def _hardship(f: Any, old: bool) -> str:
    return (
        "Who has lost their work, or is ill for long, may pause their instalments. The cover goes on.\n\n"
        f"The pause is {f['most']} months at most, in full months, once a year. It is for customers of {f['years']} years "
        "or more whose contract pays monthly. Contracts that pay in other intervals have to change to monthly payments "
        "first. What was paused is shared out over the twelve months that follow."
    )


_RULES: dict[str, Any] = {
    "refund": _refund,
    "waiver": _waiver,
    "goodwill": _goodwill,
    "reinstatement": _reinstatement,
    "adjuster": _adjuster,
    "layup": _layup,
    "extension": _extension,
    "transfer": _transfer,
    "advance": _advance,
    "reopening": _reopening,
    "hardship": _hardship,
}
