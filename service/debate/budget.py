"""Budgets of a request, checked before each round and after every answer."""

from dataclasses import dataclass

from ..domain.completion import Usage
from ..errors import BudgetExceeded, InvalidRequest


@dataclass(frozen=True, slots=True)
class Budget:
    """Upper bounds on tokens (input and output together, what a cache saved not counted) and on
    cost in the currency of the configured prices. None sets no bound."""

    tokens: int | None = None
    cost: float | None = None

    def check(self, spent: Usage) -> None:
        """Raise BudgetExceeded where more was spent than allowed, InvalidRequest where the cost
        of what was spent is not known."""
        used = spent.input_tokens + spent.output_tokens
        if self.tokens is not None and used > self.tokens:
            raise BudgetExceeded(f"{used} tokens were used of {self.tokens} allowed.")
        if self.cost is None or not used:
            return
        if spent.cost is None:
            raise InvalidRequest.at(
                "/budget/cost",
                "the prices of the models used are not configured, so cost cannot be bounded.",
                "Bound tokens instead, or have the operator configure prices.",
            )
        if spent.cost > self.cost:
            raise BudgetExceeded(f"{spent.cost:.6g} was spent of {self.cost:.6g} allowed.")

    def check_next(self, spent: Usage, last_round: Usage) -> None:
        """Raise BudgetExceeded where the next round cannot fit: prompts grow by appending only,
        so that a round reads at least the input of the one before it."""
        self.check(spent)
        used = spent.input_tokens + spent.output_tokens
        if self.tokens is not None and used + last_round.input_tokens > self.tokens:
            raise BudgetExceeded(
                f"{used} tokens were used of {self.tokens} allowed, and another round takes at least "
                f"{last_round.input_tokens}."
            )


NO_BUDGET = Budget()
