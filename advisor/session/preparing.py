"""What every measurement begins with: what the engine is, whether it works here, and both ceilings."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Engine
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.kernel_plan import BUDGET_S
from advisor.benchmarks.model import EngineCheck, EngineFacts, EngineMode
from advisor.benchmarks.probing import ceilings_request, weights_device
from advisor.benchmarks.safe_mode import SafeModes, cpu_key
from advisor.benchmarks.self_test import find_mode
from advisor.ceilings.model import Ceilings
from advisor.core.errors import Cancelled, EngineError
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken, Progress
from advisor.core.translation import tr
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations import drafting, quantise
from advisor.recommendations.drafting import Drafter
from advisor.report.answering import ceilings_fact
from advisor.session.bounds import bounds_of
from advisor.session.cautions import tell_notes, tell_of_parts
from advisor.session.clock import RunClock
from advisor.session.events import CeilingsMeasured, Listener, Remark
from advisor.session.installed_engine import own_fingerprint
from advisor.session.probe_cache import ProbeCache, probe_key
from advisor.session.turn import Turn

CEILINGS_S: Final = 3.0
"""Seconds that probing both ceilings takes, for the time left."""


@dataclass(frozen=True, slots=True)
class Preparing:
    """One engine on this machine, and what was remembered of both.

    Attributes:
        runner: what measures.
        safe_modes: what self-tests found before.
        probes: kept from earlier runs.
        turn: taken while the ceilings are measured.
    """

    runner: Engine
    safe_modes: SafeModes
    probes: ProbeCache
    turn: Turn
    _testing: threading.Lock = field(default_factory=threading.Lock)

    def read_engine(self, cancel: CancelToken, placement: Placement = OWN_CHOICE) -> Fact[EngineFacts]:
        """What the engine is, asked in a child; Unknown with the reason and the remedy where there is none."""
        return self.runner.read_facts(cancel, placement.rpc_servers)

    def check_engine(
        self,
        engine: Fact[EngineFacts],
        machine: Machine,
        cancel: CancelToken,
        listener: Listener = lambda _event: None,
        placement: Placement = OWN_CHOICE,
        every_device: bool = False,
    ) -> Fact[EngineFacts]:
        """The engine with what its self-test found on the device that it will use; takes about a second the first time.

        What was found before on this build, CPU and device is remembered and not tested again. A test that could not
        be made stays Unknown with its reason; it stands in nobody's way.
        """
        if isinstance(engine, Unknown):
            return engine
        used = weights_device(engine, placement)
        facts, cpu = engine.value, cpu_key(machine.cpu)
        devices = []
        with self._testing:  # two jobs of one window: the second finds what the first has found
            for device in facts.devices:
                found = self.safe_modes.find(facts.build, cpu, device.name)
                check: Fact[EngineCheck] = device.self_test
                if found is not None:
                    check = Known(found, Basis.MEASURED, tr("the engine's self-test"))
                elif (every_device or device.name == used) and device.kind != "accel" and not cancel.cancelled:
                    listener(
                        Progress(
                            0.0, tr("Testing the engine on {device}, the first time only", device=device.name), None
                        ),
                    )
                    check = find_mode(self.runner, facts, machine, device.name, cancel)
                    if isinstance(check, Known):
                        self.safe_modes.remember(facts.build, cpu, device.name, check.value)
                devices.append(replace(device, self_test=check))
        return replace(engine, value=replace(facts, devices=tuple(devices)))

    def measure_ceilings(
        self,
        model: ModelFacts,
        machine: Machine,
        listener: Listener,
        cancel: CancelToken,
        engine: Fact[EngineFacts] | None = None,
        depth: int = 0,
        batch: int = 1,
        placement: Placement = OWN_CHOICE,
        fresh: bool = False,
        more_types: Sequence[int] = (),
        also: ModelFacts | None = None,
    ) -> Ceilings:
        """Both ceilings, 2 to 4 s, or at once where this machine's kernels are known from before.

        ``fresh`` measures in any case; ``more_types`` are ids of weight types to measure beside the model's own, those
        of the smaller files that may be advised unless given, and ``also`` is another model whose kernels are measured.
        Raises EngineError, Cancelled.
        """
        if engine is None:
            engine = self._known_engine(cancel) if placement == OWN_CHOICE else self.read_engine(cancel, placement)
            # A layout that crashes is left out of the probes, and probes with a hole are not kept.
            engine = self.check_engine(engine, machine, cancel, listener, placement)
        clock = RunClock(listener)
        clock.plan({"ceilings": CEILINGS_S})
        clock.begin("ceilings", tr("Measuring how fast this machine reads and computes"))
        if isinstance(model.traffic, Unknown):
            raise EngineError(tr("The ceilings of this model are unknown: {reason}.", reason=tr(model.traffic.reason)))
        safe_mode = self._is_safe(machine, engine)
        request = ceilings_request(model, machine, engine, depth=depth, safe_mode=safe_mode, placement=placement,
                                   more_types=more_types or quantise.further_types(model), also=also)  # fmt: skip
        further_s = request["kernels"]["products"]["budget_s"] - BUDGET_S
        clock.plan({"ceilings": CEILINGS_S + further_s})
        tell_of_parts(weights_device(engine, placement, model.layers.or_none()), listener)
        key = probe_key(machine, engine, request)
        kept = self.probes.find(key, request) if key and not fresh else None
        if kept:
            probed, day = kept
        else:
            with self.turn.taken(listener, cancel) as held:
                probed, day = self.runner.probe(request, clock.say, cancel), ""
            if held.notes and not probed.disturbed:
                probed = replace(probed, disturbed=held.notes[0])
        if key and not kept:
            self.probes.keep(key, request, probed)
        tell_notes(probed.notes, listener)
        found = bounds_of(model, machine, engine, probed, batch=batch, depth=depth, measured_on=day)
        listener(CeilingsMeasured(found))
        clock.finish(tr("Ceilings measured"))
        return found

    def _known_engine(self, cancel: CancelToken) -> Fact[EngineFacts]:
        """The engine as it described itself before, as long as its files are the same; else it is asked."""
        own = isinstance(self.runner, EmbeddedEngine) and self.runner == EmbeddedEngine()
        mark = own_fingerprint() if own else ""
        known = self.probes.engine(mark)
        if known is not None:
            return Known(known, Basis.READ, tr("the engine itself, asked in an earlier run"))
        engine = self.read_engine(cancel)
        if isinstance(engine, Known):
            self.probes.remember(mark, engine.value)
        return engine

    def ceilings_or_reason(
        self,
        model: ModelFacts,
        machine: Machine,
        engine: Fact[EngineFacts],
        listener: Listener,
        cancel: CancelToken,
        placement: Placement = OWN_CHOICE,
    ) -> Fact[Ceilings]:
        """Both ceilings, or why there are none, which is said to the listener too. Raises Cancelled."""
        quiet: Listener = lambda event: None if isinstance(event, Progress) else listener(event)  # noqa: E731
        try:
            return ceilings_fact(self.measure_ceilings(model, machine, quiet, cancel, engine, placement=placement))
        except Cancelled:
            raise
        except EngineError as error:
            listener(Remark(error.sentence, error.hint))
            return Unknown(error.sentence.rstrip("."), Missing.FAILED)

    def drafter(
        self, model: ModelFacts, draft: Path, machine: Machine, engine: Fact[EngineFacts], listener: Listener,
        cancel: CancelToken,
    ) -> Drafter:
        """A small model to guess for another, with its operations on this machine measured where they are not known.

        Raises BadFile, UsageError, Cancelled.
        """
        small = read_model(draft)
        drafting.check(small, model)
        found = self.ceilings_or_reason(small, machine, engine, listener, cancel).or_none()
        return Drafter(small, None if found is None or found.disturbed else found.kernels)

    def _is_safe(self, machine: Machine, engine: Fact[EngineFacts]) -> bool:
        if isinstance(engine, Unknown):
            return False
        found = self.safe_modes.find(engine.value.build, cpu_key(machine.cpu), weights_device(engine))
        return found is not None and found.mode is not EngineMode.DEFAULT
