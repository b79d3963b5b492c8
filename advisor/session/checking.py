"""What the tests say about the ceilings: a speed above its bound has it measured again, and is kept."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from advisor.benchmarks.engines.engine import Engine
from advisor.benchmarks.job import Placement
from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.benchmarks.probing import ceilings_request, wider
from advisor.ceilings import roofline
from advisor.ceilings.model import Ceilings, Falsified
from advisor.core.errors import AdvisorError
from advisor.core.evidence import Fact, Known
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations import quantise
from advisor.session.bounds import bound_of, bounds_of, passes
from advisor.session.events import CeilingsMeasured, Listener, Remark
from advisor.session.probe_cache import ProbeCache, probe_key

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Checking:
    """Ceilings against the tests of one run."""

    runner: Engine
    probes: ProbeCache
    model: ModelFacts
    machine: Machine
    engine: Fact[EngineFacts]
    placement: Placement
    listener: Listener
    cancel: CancelToken

    def in_mode_of(self, ceilings: Ceilings, tests: Sequence[TestResult]) -> Ceilings:
        """The kernel table of safe mode where the tests fell into it: the default mode's has other layouts."""
        if not any(test.safe_mode for test in tests) or not any(row.layout for row in ceilings.kernels.products):
            return ceilings
        request = ceilings_request(
            self.model, self.machine, self.engine, depth=ceilings.depth, safe_mode=True, placement=self.placement,
            more_types=quantise.further_types(self.model),
        )  # fmt: skip
        try:
            probed = self.runner.probe({**request, "read": None, "shapes": []}, lambda _phase: None, self.cancel)
        except AdvisorError as error:
            log.warning("the kernels could not be measured in safe mode: %s", error)
            return ceilings
        found = replace(ceilings, kernels=probed.kernels)
        self.listener(CeilingsMeasured(found))
        return found

    def against(self, ceilings: Ceilings, tests: Sequence[TestResult]) -> Ceilings:
        """A measured speed above its ceiling means that the ceiling was too low: probe wider, then say "at least"."""
        over = [test for test in tests if passes(test, ceilings)]
        if not over or not isinstance(self.model.traffic, Known):
            return ceilings
        names = tr(" and ").join(tr(test.phase) for test in over)
        again_words = tr(
            "The measured {names} passed its ceiling, so the ceiling is measured again, more widely.", names=names
        )
        self.listener(Remark(again_words))
        found = ceilings
        try:
            found = self._wider(ceilings, any(test.safe_mode for test in tests))
        except AdvisorError as error:
            log.warning("the ceiling could not be measured again: %s", error)
        events = []
        for test in over:
            before, again, stands = bound_of(test, ceilings), bound_of(test, found), passes(test, found)
            events.append(
                Falsified(test.phase, test.test, test.tokens_per_s, before or 0.0, again or 0.0, stands)
            )
            if stands:
                found = roofline.raise_to(found, test.phase, test.tokens_per_s)
        found = replace(found, falsified=(*ceilings.falsified, *events))
        self.listener(CeilingsMeasured(found))
        return found

    def _wider(self, ceilings: Ceilings, safe: bool) -> Ceilings:
        request = wider(
            ceilings_request(
                self.model, self.machine, self.engine, depth=ceilings.depth, safe_mode=safe, placement=self.placement
            )
        )
        probed = self.runner.probe(request, lambda _phase: None, self.cancel)
        key = probe_key(self.machine, self.engine, request)
        if key:
            self.probes.keep(key, request, probed)
        together = replace(
            probed,
            reads=(*ceilings.read_probes, *probed.reads),
            arithmetic=(*ceilings.arithmetic_probes, *probed.arithmetic),
            kernels=ceilings.kernels,
        )
        return bounds_of(
            self.model, self.machine, self.engine, together,
            batch=ceilings.batch, depth=ceilings.depth, prompt=ceilings.prompt, measured_on=ceilings.measured_on,
        )  # fmt: skip
