"""The agent's tools over the insurer's books.

They hold the books together and know nothing of what the documents allow: which amount, day or ground is right is up to
the agent. Only the back office checks something, the authorisation code of a procedure, which stands in a document.
"""

from __future__ import annotations

from datetime import date

from pytest_tau.environment import tool
from pytest_tau.environment.arithmetic import calculate

from . import procedures
from .back_office import BackOffice
from .schema import Claim, Contract, Customer, EndGround, Extra, Interval, Paper, RejectionGround, Run


class InsuranceTools(BackOffice):
    """What the agent can do."""

    @tool(reads=True)
    def find_customer_by_email(self, email: str) -> str:
        """Find a customer's id by e-mail address.

        Args:
            email: The address in the customer's record, such as "mina.falk@example.com".
        """
        return self._find(lambda customer: customer["email"].lower() == email.lower())

    @tool(reads=True)
    def find_customer_by_name(self, name: str, date_of_birth: date) -> str:
        """Find a customer's id by full name and date of birth, for those who cannot be found by e-mail.

        Args:
            name: First and last name, such as "Mina Falk".
            date_of_birth: The day of birth, as year-month-day, such as "1980-01-31".
        """
        return self._find(
            lambda customer: (
                customer["name"].lower() == name.lower() and customer["date_of_birth"] == str(date_of_birth)
            )
        )

    @tool(reads=True)
    def get_customer(self, customer_id: str) -> Customer:
        """Look up a customer: address, since when they are one, relatives, and the ids of their contracts.

        Args:
            customer_id: The customer, such as "C-1000".
        """
        return self._customer(customer_id)

    @tool(reads=True)
    def get_contract(self, contract_id: str) -> Contract:
        """Look up a contract: product, days, premium, what is insured, extras, and the ids of its claims.

        Args:
            contract_id: The contract, such as "K-20000".
        """
        return self._contract(contract_id)

    @tool(reads=True)
    def get_claim(self, claim_id: str) -> Claim:
        """Look up a claim: what happened and when, the loss, the facts that were established, the papers, the status.

        Args:
            claim_id: The claim, such as "S-30000".
        """
        return self._claim(claim_id)

    @tool()
    def calculate(self, expression: str) -> str:
        """Work out an arithmetic expression; the result is rounded to two decimal places.

        Args:
            expression: Numbers, parentheses and the operators + - * /, such as "3 * (19.99 + 5)".
        """
        return calculate(expression)

    @tool(writes=True, told_by=("pay", "transfer"))
    def settle_claim(self, claim_id: str, amount: float) -> Claim:
        """Settle an open claim with an amount. This closes it.

        Args:
            claim_id: The claim, such as "S-30000".
            amount: What is paid, in euros, such as 125.50.
        """
        claim = self._open_claim(claim_id)
        if amount <= 0:
            raise ValueError("A settlement must be more than 0; reject the claim instead")
        claim.status, claim.settlement, claim.decided_on = "settled", round(amount, 2), self._today()
        return claim

    @tool(writes=True)
    def reject_claim(self, claim_id: str, ground: RejectionGround) -> Claim:
        """Reject an open claim. This closes it.

        Args:
            claim_id: The claim, such as "S-30000".
            ground: Why nothing is paid, by the instruction on deciding claims.
        """
        claim = self._open_claim(claim_id)
        claim.status, claim.ground, claim.decided_on = "rejected", ground, self._today()
        return claim

    @tool(writes=True)
    def request_evidence(self, claim_id: str, papers: list[Paper]) -> Claim:
        """Ask the customer for papers that are missing in an open claim. The claim waits for them.

        Args:
            claim_id: The claim, such as "S-30000".
            papers: All papers that are missing, in any order.
        """
        claim = self._open_claim(claim_id)
        if not papers:
            raise ValueError("Name at least one paper")
        if there := sorted(set(papers) & set(claim.papers)):
            raise ValueError(f"The claim has the {there[0]} already")
        claim.status, claim.requested = "papers requested", sorted(set(papers))
        return claim

    @tool(writes=True, told_by=("end", "terminate"))
    def cancel_contract(self, contract_id: str, last_day: date, ground: EndGround) -> Contract:
        """End a contract. Premiums are not given back by this.

        Args:
            contract_id: The contract, such as "K-20000".
            last_day: The last day of its cover, as year-month-day.
            ground: By which right it ends.
        """
        contract = self._active_contract(contract_id)
        contract.status, contract.last_day, contract.end_ground = "cancelled", last_day, ground
        return contract

    @tool(writes=True)
    def add_extra(self, contract_id: str, code: str, begins: date, annual_price: float) -> Contract:
        """Add an extra to a contract.

        Args:
            contract_id: The contract, such as "K-20000".
            code: The code in the document of the extra.
            begins: The first day of its cover, as year-month-day.
            annual_price: Its price a year for this contract, in euros.
        """
        contract = self._active_contract(contract_id)
        if any(extra.code == code for extra in contract.extras):
            raise ValueError(f"The contract has the extra {code} already")
        contract.extras.append(Extra(code=code, begins=begins, annual_price=annual_price))
        return contract

    @tool(writes=True)
    def change_payment_interval(self, contract_id: str, interval: Interval, instalment: float) -> Contract:
        """Change how often the premium of a contract is paid.

        Args:
            contract_id: The contract, such as "K-20000".
            interval: How often it is paid from now on.
            instalment: One payment, in euros.
        """
        contract = self._active_contract(contract_id)
        if contract.payment == interval:
            raise ValueError(f"The contract is paid {interval} already")
        contract.payment, contract.instalment = interval, round(instalment, 2)
        return contract

    @tool(writes=True)
    def change_sum_insured(self, contract_id: str, sum_insured: int, annual_premium: float) -> Contract:
        """Set the sum insured of household contents and the annual premium that goes with it.

        Args:
            contract_id: The contract, such as "K-20000".
            sum_insured: The sum from now on, in euros; the present one if only the premium changes.
            annual_premium: The annual premium from now on, in euros.
        """
        contract = self._active_contract(contract_id)
        if contract.sum_insured is None:
            raise ValueError("Only contracts on household contents have a sum insured")
        contract.sum_insured, contract.annual_premium = sum_insured, round(annual_premium, 2)
        return contract

    @tool(writes=True)
    def change_mileage(self, contract_id: str, kilometres: int, annual_premium: float) -> Contract:
        """Set the distance a year of a motor contract and the annual premium that goes with it.

        Args:
            contract_id: The contract, such as "K-20000".
            kilometres: The distance a year from now on.
            annual_premium: The annual premium from now on, in euros.
        """
        contract = self._active_contract(contract_id)
        if "kilometres" not in contract.details:
            raise ValueError("Only motor contracts have a distance")
        contract.details["kilometres"], contract.annual_premium = kilometres, round(annual_premium, 2)
        return contract

    @tool(writes=True)
    def update_address(self, customer_id: str, street: str, postcode: str, city: str) -> Customer:
        """Change a customer's address. Contracts and premiums stay as they are.

        Args:
            customer_id: The customer, such as "C-1000".
            street: Street and house number.
            postcode: The five digits of the post code.
            city: The town.
        """
        customer = self._customer(customer_id)
        customer.street, customer.postcode, customer.city = street, postcode, city
        return customer

    @tool(writes=True)
    def run_procedure(self, procedure: str, authorisation_code: str, details: dict[str, str | float]) -> str:
        """Run a procedure of the back office. Names, codes and details stand in the work instructions.

        Args:
            procedure: The name of the procedure.
            authorisation_code: The code of the instruction that is in use.
            details: What the instruction asks for, by the names that it gives.
        """
        known = procedures.CURRENT.get(procedure)
        if known is None or known.code != authorisation_code:
            raise ValueError(
                "No procedure has this name and code. Both stand in the work instruction that is in use today."
            )
        if missing := [name for name in known.details if name not in details]:
            raise ValueError(f"The procedure {procedure} needs the detail '{missing[0]}'")
        if unknown := [name for name in details if name not in known.details]:
            raise ValueError(f"The procedure {procedure} knows no detail '{unknown[0]}'")
        kept = getattr(self, f"_{procedure}")(details)
        run = Run(run_id=f"P-{40000 + len(self.db.procedure_runs) + 1}", procedure=procedure, details=kept)
        self.db.procedure_runs[run.run_id] = run
        return f"The procedure {procedure} has run ({run.run_id})."

    @tool()
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the conversation over to a person, with a summary of it.

        Only when the customer asks for something that neither a document nor a tool offers a way to do.

        Args:
            summary: What the customer wants and what has been done so far.
        """
        return "Transfer successful"
