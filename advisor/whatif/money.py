"""What a change is worth for its price; pure. Prices are the user's: none is known here."""

from dataclasses import dataclass
from typing import Final

from advisor.core.numbers import digits, seconds, seconds_range
from advisor.whatif.model import Gain

DAYS_PER_YEAR: Final = 365
HOUR_S: Final = 3600.0
USUAL_YEARS: Final = 3.0
"""How long a part is used, unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Money:
    """A price against the seconds that a change saves.

    Attributes:
        price: in the user's own money, above 0.
        saved: of one request.
        requests_per_day: 0 where the user did not say.
        years: of use.
    """

    price: float
    saved: Gain
    requests_per_day: float = 0.0
    years: float = USUAL_YEARS

    def __post_init__(self) -> None:
        if not self.price > 0 or self.requests_per_day < 0 or not self.years > 0:
            raise ValueError("a price and years are above 0, requests not below it")

    @property
    def saved_s_per_unit(self) -> float:
        """Seconds of every request that one unit of money buys, the middle."""
        return self.saved.middle_s / self.price

    @property
    def price_per_saved_s(self) -> float | None:
        """What each second less on every request costs, the middle; None where nothing is saved."""
        return self.price / self.saved.middle_s if self.saved.middle_s > 0 else None

    @property
    def saved_s_per_day(self) -> float:
        """Of all requests of a day, the middle; 0 where their number is not known."""
        return self.saved.middle_s * self.requests_per_day

    @property
    def price_per_hour(self) -> float | None:
        """What an hour of waiting less costs over the years of use; None without requests or without a gain."""
        hours = self.saved_s_per_day * DAYS_PER_YEAR * self.years / HOUR_S
        return self.price / hours if hours > 0 else None


def money_words(money: Money) -> str:
    """One or two sentences."""
    gain = money.saved
    if gain.high_s <= 0:
        return f"{digits(money.price)} buys no second on this work."
    low, high = max(0.0, gain.low_s), gain.high_s
    loses = f", or loses {seconds(-gain.low_s)}" if gain.low_s < 0 else ""
    said = f"{digits(money.price)} buys {seconds_range(low, high)} of every request{loses}"
    per_s = money.price_per_saved_s
    if per_s is not None:
        said += f" ({digits(per_s)} for each second less, {seconds(money.saved_s_per_unit)} for each unit of money)"
    said += "."
    hour = money.price_per_hour
    if hour is None:
        return said
    return (
        f"{said} With {digits(money.requests_per_day).rstrip('0').rstrip('.')} requests a day that is "
        f"{seconds(money.saved_s_per_day)} a day, and {digits(hour)} for each hour less of waiting over "
        f"{digits(money.years).rstrip('0').rstrip('.')} years."
    )
