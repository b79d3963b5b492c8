"""Which tests of a plan still fit its time, from predictions that are corrected by what was measured; pure.

Parent and child follow the same rules: the child decides what it skips, the parent shows how long it will take.
Standard library and plain types only, as any Python that can run llama_cpp runs this file.
"""

from typing import List, NamedTuple, Optional, Sequence, Tuple  # noqa: UP035 (older Pythons run this file)

FILL = "fill"
PREFILL = "prefill"
DECODE = "decode"


class Cost(NamedTuple):
    """Predicted seconds of one test by what they are spent on.

    ``fill_s`` brings the cache to its depth, once for all tests in a row of the same ``fill_key`` (empty: no depth);
    ``prefill_s`` and ``decode_s`` are warm-ups and repetitions, ``fixed_s`` does not depend on the engine's speed.
    """

    fill_key: str = ""
    fill_s: float = 0.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    fixed_s: float = 0.0


class Pace:
    """The costs of a plan's tests, corrected as speeds become known.

    ``optional`` tests are left out when they would pass ``budget_s`` (counted from the start of the child, loading
    included); the others run in any case.
    """

    def __init__(self, costs: Sequence[Cost], optional: Sequence[bool], budget_s: Optional[float]) -> None:  # noqa: UP045
        self._costs = list(costs)
        self._optional = list(optional)
        self._budget_s = float("inf") if budget_s is None else budget_s
        self._slower = {FILL: 0.0, PREFILL: 0.0, DECODE: 0.0}

    def correct(self, work: str, predicted_s: float, measured_s: float) -> None:
        """A piece of ``FILL``, ``PREFILL`` or ``DECODE`` took this long; the rest of its kind is scaled alike."""
        if predicted_s > 0:
            self._slower[work] = measured_s / predicted_s

    def seconds(self, index: int, filled: str = "") -> float:
        """What the test will take when the cache is already filled for the key ``filled``.

        Until filling was seen it is scaled as prefill; a phase not seen yet is scaled as the other one.
        """
        cost = self._costs[index]
        prefill = self._slower[PREFILL] or self._slower[DECODE] or 1.0
        decode = self._slower[DECODE] or self._slower[PREFILL] or 1.0
        fill_s = 0.0 if cost.fill_key == filled else cost.fill_s * (self._slower[FILL] or prefill)
        return fill_s + cost.prefill_s * prefill + cost.decode_s * decode + cost.fixed_s

    def fits(self, index: int, elapsed_s: float, filled: str = "") -> bool:
        """Whether the test is to be run, that long after the start."""
        return not self._optional[index] or elapsed_s + self.seconds(index, filled) <= self._budget_s

    def to_come(self, first: int, elapsed_s: float, filled: str = "") -> List[Tuple[int, float]]:  # noqa: UP006
        """The tests from ``first`` on that will probably be run, each with its seconds."""
        coming = []
        for index in range(first, len(self._costs)):
            if self.fits(index, elapsed_s, filled):
                seconds = self.seconds(index, filled)
                coming.append((index, seconds))
                elapsed_s += seconds
                filled = self._costs[index].fill_key or filled
        return coming
