"""Typed look-up among a header's keys; a value of the wrong kind counts as unknown, never as a number."""

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.gguf.header import ArrayInfo, Value

_SANE = 2**40
"""No count or length of a model comes near; beyond it a key is damaged."""


@dataclass(frozen=True, slots=True)
class Keys:
    """A header's keys, read under one architecture's name."""

    values: Mapping[str, Value]
    architecture: str

    def full_name(self, name: str) -> str:
        """``block_count`` -> ``llama.block_count``; names that begin with a dot stand for themselves without it."""
        return name[1:] if name.startswith(".") else f"{self.architecture}.{name}"

    def text(self, name: str) -> str:
        """A text, empty when absent or of another kind."""
        value = self.values.get(self.full_name(name))
        return value if isinstance(value, str) else ""

    def count(self, name: str) -> int | None:
        """A whole number from 0 up; None when absent or of another kind."""
        return _as_count(self.values.get(self.full_name(name)))

    def fact(self, name: str) -> Fact[int]:
        """The same as a fact; of what is asked this way no model has 0."""
        found = self.count(name)
        key = self.full_name(name)
        if not found:
            return Unknown(tr("the file has no usable key {key}", key=key), Missing.NOT_APPLICABLE)
        return Known(found, Basis.READ, key)

    def per_layer(self, name: str, layers: int) -> tuple[int, ...] | None:
        """One number per layer from a scalar or an array; None when absent, of another kind, or too short."""
        value = self.values.get(self.full_name(name))
        if not isinstance(value, tuple):
            single = _as_count(value)
            return None if single is None else (single,) * layers
        numbers = [_as_count(int(item) if isinstance(item, bool) else item) for item in value[:layers]]
        known = tuple(number for number in numbers if number is not None)
        return known if len(known) == layers else None

    def length(self, name: str) -> int | None:
        """Elements of an array, kept or skipped; None when absent or no array."""
        value = self.values.get(self.full_name(name))
        if isinstance(value, ArrayInfo):
            return value.length if value.item_type != "text" else None
        return len(value) if isinstance(value, tuple) else None

    def says_so(self, name: str) -> bool:
        """Whether the key is there with anything but 0, false or an empty array."""
        value = self.values.get(self.full_name(name))
        return any(value) if isinstance(value, tuple) else bool(value)


def _as_count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _SANE:
        return None
    return value
