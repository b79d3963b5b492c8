"""Where models go: from what is typed and ticked to a placement, and back to words."""

import pytest

from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.core.errors import UsageError
from tests.support import documents
from tests.support.fake_engines import cuda_facts, with_devices
from ui.viewmodels.placing import (
    PlacementForm,
    PlacementState,
    placement_of,
    placement_words,
    present_placement,
)

SERVER = "10.0.0.2:50052"
NBSP = "\u00a0"


def shown(form: PlacementForm, used: Placement | None = OWN_CHOICE, servers: tuple[str, ...] = ()) -> PlacementState:
    facts = with_devices(cuda_facts(), servers).value
    return present_placement(form, facts, used, servers, True, True, "")


@pytest.mark.parametrize(
    ("form", "placement", "words"),
    [
        (PlacementForm(), OWN_CHOICE, ""),
        (PlacementForm(devices=("CUDA0",)), OWN_CHOICE, ""),
        (PlacementForm(own_choice=False), Placement(devices=("CPU",)), "processor alone"),
        (
            PlacementForm(False, ("RPC0", "CUDA0"), 20, True, "3,1", SERVER),
            Placement(("RPC0", "CUDA0"), 20, (("exps", "CPU"),), (3.0, 1.0), (SERVER,)),
            f"RPC0+CUDA0 · 20{NBSP}layers off the CPU · experts on the CPU · split 3:1 · with {SERVER}",
        ),
    ],
)
def test_a_form_is_a_placement_and_has_words(form: PlacementForm, placement: Placement, words: str) -> None:
    assert placement_of(form) == placement
    assert placement_words(placement) == words


@pytest.mark.parametrize("form", [PlacementForm(rpc="nobody"), PlacementForm(split="3,x")])
def test_what_cannot_be_understood_is_said_and_cannot_be_applied(form: PlacementForm) -> None:
    with pytest.raises(UsageError):
        placement_of(form)
    state = shown(form)
    assert state.wrong
    assert not state.can_apply


def test_only_a_change_can_be_applied() -> None:
    assert not shown(PlacementForm()).can_apply
    changed = shown(PlacementForm(gpu_layers=10))
    assert (changed.can_apply, changed.apply_words) == (True, "Apply")
    other = shown(PlacementForm(), used=None)
    assert (other.can_apply, other.apply_words) == (True, "Use like this")


def test_servers_are_looked_for_before_they_are_used() -> None:
    typed = shown(PlacementForm(rpc=SERVER))
    assert (typed.can_join, typed.can_apply) == (True, False)
    found = shown(PlacementForm(rpc=SERVER), servers=(SERVER,))
    assert (found.can_join, found.can_apply, found.can_split) == (False, True, True)
    assert [one.name for one in found.devices] == ["RPC0", "CUDA0"]


def test_more_shares_than_devices_are_refused() -> None:
    state = shown(PlacementForm(False, ("CUDA0",), split="3,1"))
    assert state.wrong == f"2{NBSP}shares for 1{NBSP}device. Give one number for each."


def test_a_device_that_went_away_is_named() -> None:
    assert "RPC0 is not there any more" in shown(PlacementForm(False, ("RPC0",))).wrong


def test_without_a_graphics_processor_the_ways_to_one_are_said() -> None:
    facts = documents.engine()
    state = present_placement(PlacementForm(), facts.value, OWN_CHOICE, (), True, True, "")  # type: ignore[union-attr]
    assert state.devices == ()
    assert [line[:2] for line in state.note.splitlines()[1:]] == ["1.", "2.", "3."]
    assert shown(PlacementForm()).note == ""
