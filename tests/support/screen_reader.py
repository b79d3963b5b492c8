"""What a screen reader finds on the accessibility bus: run by a Python that has ``gi``, beside the window.

    python3 tests/support/screen_reader.py tree [LIMIT]     every element of the window in sight, one JSON line each
    python3 tests/support/screen_reader.py listen SECONDS   names and values that change, as they are announced

It imports nothing of the program: it sees what Orca sees.
"""

import json
import sys
from collections.abc import Iterator

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PROGRAM = "two-machines"
CHILDREN = 60
"""Of one element, at most: the cells of a table are made when they are asked for."""


def main() -> None:
    if sys.argv[1] == "listen":
        listen(float(sys.argv[2]))
    else:
        for one in tree():
            print(json.dumps(one, ensure_ascii=False))


def programs() -> Iterator[Atspi.Accessible]:
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        child = desktop.get_child_at_index(number)
        if child is not None and child.get_name() == PROGRAM:
            yield child


def tree() -> Iterator[dict[str, object]]:
    waiting = [(child, 0) for child in programs()]
    while waiting:
        one, depth = waiting.pop()
        states = one.get_state_set()
        if depth > 1 and not states.contains(Atspi.StateType.SHOWING):
            continue
        yield told(one, depth, states)
        children = [one.get_child_at_index(number) for number in range(min(one.get_child_count(), CHILDREN))]
        waiting.extend((child, depth + 1) for child in reversed(children) if child is not None)


def told(one: Atspi.Accessible, depth: int, states: Atspi.StateSet) -> dict[str, object]:
    value = one.get_value_iface()
    return {
        "depth": depth,
        "role": one.get_role_name(),
        "name": one.get_name(),
        "description": one.get_description(),
        "focusable": states.contains(Atspi.StateType.FOCUSABLE),
        "value": None if value is None else [
            Atspi.Value.get_minimum_value(value), Atspi.Value.get_current_value(value),
            Atspi.Value.get_maximum_value(value),
        ],
    }


def listen(seconds: float) -> None:
    def heard(event: Atspi.Event) -> None:
        said = event.source.get_name() if event.source is not None else ""
        role = event.source.get_role_name() if event.source is not None else ""
        print(json.dumps({"event": event.type, "role": role, "said": said}, ensure_ascii=False), flush=True)

    listener = Atspi.EventListener.new(heard)
    for kind in ("object:property-change:accessible-name", "object:property-change:accessible-value",
                 "object:state-changed:focused", "object:announcement"):
        listener.register(kind)
    print(json.dumps({"event": "ready"}), flush=True)
    GLib.timeout_add(round(1000 * seconds), Atspi.event_quit)
    Atspi.event_main()


if __name__ == "__main__":
    main()
