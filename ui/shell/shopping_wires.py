"""Ties the pages of models and hardware that are not here to what they show."""

from ui.viewmodels.choose_screen import ChooseScreen
from ui.viewmodels.upgrades_screen import UpgradesScreen
from ui.views.choose import ChoosePage
from ui.views.upgrades import UpgradesPage


def connect_upgrades(page: UpgradesPage, screen: UpgradesScreen) -> None:
    """Other hardware: what is typed and chosen goes to the screen, what it finds comes back."""
    screen.state.connect(page.show_upgrades)
    page.changed.connect(screen.change)
    page.chosen.connect(screen.select)
    page.priced.connect(screen.set_price)
    page.shown.connect(screen.watch)


def connect_choose(page: ChoosePage, screen: ChooseScreen) -> None:
    """Models for this work: orders, choices and rehearsals."""
    screen.state.connect(page.show_choices)
    page.measure_requested.connect(screen.measure)
    page.rehearse_requested.connect(screen.rehearse)
    page.sorted_by.connect(screen.sort)
    page.all_wanted.connect(screen.list_all)
    page.chosen.connect(screen.select)
    page.shown.connect(screen.watch)
