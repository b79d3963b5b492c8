"""Whole runs of the pipeline with an invented child on the sample."""

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineFacts
from advisor.ceilings import roofline
from advisor.ceilings.model import ArithmeticProbe, Ceilings, ReadProbe
from advisor.core.evidence import Basis, Known
from advisor.core.progress import CancelToken
from advisor.diagnosis.workload import preset
from advisor.hardware.model import Machine
from advisor.session.events import Event, Remark
from advisor.session.pipeline import BenchSettings, Given, Pipeline
from tests.support.sample import sample_path

ENGINE = Known(EngineFacts("llama-cpp-python", "0.0", "build", "", "python", False, ()), Basis.READ, "invented")


def ceilings(read_bytes_per_s: float, flop_per_s: float) -> Ceilings:
    """The sample's ceilings at these two rates."""
    traffic = Pipeline(EmbeddedEngine(Launch(("none",)))).read_model(sample_path()).traffic
    assert isinstance(traffic, Known)
    return roofline.ceilings(
        traffic.value,
        [ReadProbe("a kernel", 2, 1000, (1000 / read_bytes_per_s,))],
        [ArithmeticProbe("a product", 2, 10, 10, 1, 200, (200 / flop_per_s,))],
    )


class Run:
    """One run with what it told."""

    def __init__(
        self, launch: Launch, machine: Machine, given: Ceilings | None = None, engine: Known[EngineFacts] = ENGINE
    ) -> None:
        self.events: list[Event] = []
        self.pipeline = Pipeline(EmbeddedEngine(launch))
        known = Given(machine, engine, given or ceilings(1e12, 1e13))
        self.document = self.pipeline.diagnose(
            sample_path(), preset("rag"), BenchSettings(repetitions=3), self.events.append, CancelToken(), known
        )

    def remarks(self) -> str:
        """What was said aloud."""
        return " ".join(event.sentence for event in self.events if isinstance(event, Remark))
