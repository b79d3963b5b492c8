"""What a change is worth for its price; pure. Prices are the user's: none is known here."""

from dataclasses import dataclass
from typing import Final

from advisor.core.numbers import count, digits, form, seconds, seconds_range
from advisor.core.translation import tr, trn
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
    gain, price = money.saved, digits(money.price)
    if gain.high_s <= 0:
        return tr("{price} buys no second on this work.", price=price)
    saved = seconds_range(max(0.0, gain.low_s), gain.high_s)
    loses = tr(", or loses {time}", time=seconds(-gain.low_s)) if gain.low_s < 0 else ""
    per_s = money.price_per_saved_s
    if per_s is None:
        said = tr("{price} buys {saved} of every request{loses}.", price=price, saved=saved, loses=loses)
    else:
        said = tr(
            "{price} buys {saved} of every request{loses} ({per_second} for each second less, {per_unit} for each unit "
            "of money).",
            price=price, saved=saved, loses=loses, per_second=digits(per_s), per_unit=seconds(money.saved_s_per_unit),
        )  # fmt: skip
    hour = money.price_per_hour
    if hour is None:
        return said
    over = tr(
        "With {requests} a day that is {per_day} a day, and {per_hour} for each hour less of waiting over {years}.",
        requests=trn(
            "{n} request", "{n} requests", form(money.requests_per_day), n=_short(money.requests_per_day)
        ),
        per_day=seconds(money.saved_s_per_day), per_hour=digits(hour),
        years=trn("{n} year", "{n} years", form(money.years), n=_short(money.years)),
    )  # fmt: skip
    return f"{said} {over}"


def _short(figure: float) -> str:
    """A figure that the user gave, without needless zeros: ``3``, ``2.5``, ``100``."""
    if figure == round(figure):
        return count(figure)
    said = digits(figure)
    return said.rstrip("0").rstrip(".,") if figure < 99.95 else said
