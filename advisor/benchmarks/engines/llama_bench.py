"""A llama.cpp build, measured through its own ``llama-bench``."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks import failures, protocol
from advisor.benchmarks.child_words import translated
from advisor.benchmarks.engine_variables import steering
from advisor.benchmarks.engines import llama_bench_help
from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening, Measured, Probed
from advisor.benchmarks.engines.llama_bench_command import UPDATE_HINT, Group, arguments, groups, without_extra_buffers
from advisor.benchmarks.engines.llama_bench_help import Abilities
from advisor.benchmarks.engines.llama_bench_talk import LOG_MARKER, BenchTalk
from advisor.benchmarks.engines.missing_library import missing_library
from advisor.benchmarks.engines.phase_run import PhaseRun
from advisor.benchmarks.job import Job
from advisor.benchmarks.launch import Launch, worker_environment
from advisor.benchmarks.loading import load_failure
from advisor.benchmarks.model import EngineFacts, EngineMode, TestSpec
from advisor.benchmarks.supervisor import Ending, Limits, Outcome, Speech, supervise
from advisor.core.errors import AdvisorError, EngineError, EngineMissing
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import capital
from advisor.core.processes import foreign_variables
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr
from advisor.hardware.model import Power

NAME: Final = "llama-bench"
ASK_LIMITS: Final = Limits(silence_s=30.0, total_s=60.0)
LOAD_LIMITS: Final = Limits(silence_s=120.0, total_s=300.0)
STREAMS: Final = marked("llama-bench decodes one stream at a time")
UNKNOWN_VERSION: Final = marked("of an unknown version")
_SISTERS: Final = ("llama-cli", "llama-server")
"""Programs of the same build, which tell their version where an older llama-bench does not."""


@dataclass(frozen=True, slots=True)
class LlamaBenchEngine:
    """The ``Engine`` that measures with llama-bench.

    Attributes:
        program: the executable, absolute.
        before: words before the program's own, for tests.
        ceilings: what measures the ceilings, since llama-bench cannot.
    """

    program: Path
    before: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: worker_environment(foreign_variables(os.environ)))
    ceilings: EmbeddedEngine = field(default_factory=EmbeddedEngine)

    def read_facts(self, cancel: CancelToken, rpc_servers: Sequence[str] = ()) -> Fact[EngineFacts]:
        """Ask the program what it is; Unknown with the reason where it cannot be run."""
        try:
            can = self._abilities(cancel)
        except AdvisorError as error:
            missing = Missing.TOOL_MISSING if isinstance(error, EngineMissing) else Missing.FAILED
            return Unknown(str(error), missing)
        listed: list[str] = []
        if can.first("--list-devices"):
            remote = ["--rpc", ",".join(rpc_servers)] if rpc_servers and can.first("--rpc", "-rpc") else []
            outcome, listed = self._ask([*remote, "--list-devices"], cancel)
            if outcome.exit_code != 0:
                return Unknown(str(self._explained(outcome, marked("listing its devices"))))
        devices = llama_bench_help.devices(listed)
        facts = EngineFacts(
            name=NAME,
            version=self._version(can, cancel) or UNKNOWN_VERSION,
            build=self._build(),
            system_info="",
            python=str(self.program),
            gpu_offload=any(device.kind == "gpu" for device in devices),
            devices=devices,
            variables=steering(self.environment),
        )
        return Known(facts, Basis.READ, tr("the program itself"))

    def why_not(self, test: TestSpec) -> str:
        """Why it cannot run a test; empty when it can."""
        return tr(STREAMS) if test.n_streams > 1 else ""

    def probe(self, request: Mapping[str, Any], on_phase: Callable[[str], None], cancel: CancelToken) -> Probed:
        """The ceilings, by our own worker on the same device; the notes say so.

        Raises:
            EngineError: when nothing could be measured, which is so on a device that our own engine cannot use.
            Cancelled: when stopped.
        """
        try:
            probed = self.ceilings.probe(request, on_phase, cancel)
        except EngineError as error:
            raise EngineError(
                tr(
                    "llama-bench cannot measure ceilings, and this Python's engine could not either: {error}",
                    error=error.sentence,
                ),
                tr("Name a Python whose llama-cpp-python is built for this device: --engine PATH/TO/ITS/ENVIRONMENT"),
                error.fields,
            ) from error
        own = tr("they rest on the engine and the arithmetic of this Python, not on llama-bench")
        return replace(probed, notes=(own, *probed.notes))

    def measure(self, job: Job, limits: Limits, power: Power, listening: Listening, cancel: CancelToken) -> Measured:
        """Run the tests of a job, one process for neighbours of equal settings."""
        unfit = next((why for spec in job.specs if (why := self.why_not(spec))), "")
        if unfit:
            return Measured((), EngineError(f"{capital(unfit)}.", tr(UPDATE_HINT)), False, None)
        try:
            can = self._abilities(cancel)
        except AdvisorError as error:
            return Measured((), error, False, None)
        if job.mode >= EngineMode.NO_EXTRA_BUFFERS and not without_extra_buffers(can):
            job = replace(job, notes=(*job.notes, tr("this llama-bench cannot leave its extra buffers out")))
        job = replace(
            job,
            notes=(*job.notes, *(tr("llama-bench warns of {warning}", warning=warning) for warning in can.warnings)),
        )
        run = PhaseRun(job, power, listening)
        for group in groups(job):
            wrong, early = self._run(group, job, can, run, limits, cancel)
            if wrong is not None:
                return Measured(run.results(), wrong, early, None)
        return Measured(run.results(), None, False, None)

    def _run(
        self, group: Group, job: Job, can: Abilities, run: PhaseRun, limits: Limits, cancel: CancelToken
    ) -> tuple[AdvisorError | None, bool]:
        """One process; why it did not do all, and whether its own code crashed before decoding."""
        try:
            words = arguments(group, job.model, job.mode, job.placement, can)
        except EngineError as error:
            return error, False
        talk = BenchTalk(group, job.device, bool(can.first("--progress")))
        for message in talk.begin():
            run.take(message)
        speech = Speech(b"", b"", talk.understand, talk.overhear, LOG_MARKER, strict=True)
        outcome = supervise(speech, self._launch(words), limits, run.take, cancel)
        if outcome.ending is Ending.LEFT and outcome.exit_code == 0 and talk.is_complete:
            return None, False
        if outcome.ending is Ending.LEFT and any("failed to load model" in line for line in outcome.log):
            return self._load_error(words, job.model, cancel), False
        return self._explained(outcome, run.stage), run.before_decode and failures.is_engine_fault(outcome)

    def _load_error(self, words: Sequence[str], model: Path, cancel: CancelToken) -> AdvisorError:
        """Without ``-v`` the program keeps llama.cpp's reasons to itself, so it is asked once more."""
        outcome, _ = self._ask([*words, "-v", "-p", "1", "-n", "0", "-r", "1"], cancel, LOAD_LIMITS)
        lines = [line.replace(str(model), model.name) for line in outcome.log]
        code, sentence, hint = load_failure(lines, UPDATE_HINT)
        fields = {"log": lines[-20:], "stage": "loading the model", "reason": code}
        return EngineError(translated(sentence), translated(hint), fields)

    def _explained(self, outcome: Outcome, stage: str) -> AdvisorError:
        if outcome.ending is Ending.NOT_STARTED:
            return EngineMissing(
                tr("{program} could not be started: {detail}.", program=self.program.name, detail=outcome.detail),
                tr("It may be built for another system or processor; check that it runs in a terminal."),
            )
        missing = missing_library(outcome, self.program.name)
        if missing is not None:
            return missing
        error = failures.explain(outcome, stage)
        if "pip install" in error.hint:  # the way to mend another engine
            hint = tr("Build llama.cpp on this machine and name that build.")
            return type(error)(error.sentence, hint, error.fields)
        return error

    def _abilities(self, cancel: CancelToken) -> Abilities:
        """What this version can be asked for. Raises EngineError, EngineMissing, Cancelled."""
        outcome, said = self._ask(["--help"], cancel)
        can = llama_bench_help.abilities("\n".join([*said, *outcome.log]))
        if outcome.ending is not Ending.LEFT or outcome.exit_code != 0:
            raise self._explained(outcome, marked("telling its options"))
        if not can.first("-p", "--n-prompt"):
            raise EngineError(
                tr("{program} is not llama-bench: its help names none of its options.", program=self.program.name)
            )
        return can

    def _version(self, can: Abilities, cancel: CancelToken) -> str:
        asked = [self.program] if can.first("--version") else []
        for program in (*asked, *(self.program.with_name(name + self.program.suffix) for name in _SISTERS)):
            if program.is_file():
                outcome, said = replace(self, program=program)._ask(["--version"], cancel)
                found = llama_bench_help.version([*said, *outcome.log])
                if found:
                    return found
        return ""

    def _ask(self, words: Sequence[str], cancel: CancelToken, limits: Limits = ASK_LIMITS) -> tuple[Outcome, list[str]]:
        """Run the program for its words alone: the lines of its standard output."""
        said: list[str] = []

        def hear(line: bytes) -> Iterator[dict[str, Any]]:
            said.append(line.decode("utf-8", "replace").rstrip())
            yield {"kind": protocol.PROGRESS}

        return supervise(Speech(b"", b"", hear), self._launch(words), limits, lambda _message: None, cancel), said

    def _launch(self, words: Sequence[str]) -> Launch:
        return Launch((*self.before, str(self.program), *words), self.environment)

    def _build(self) -> str:
        """Twelve hex digits over the program and the native libraries that lie with it."""
        folders = (self.program.parent, self.program.parent.parent / "lib")
        libraries = {
            path.resolve()
            for folder in folders
            for part in ("ggml", "llama")
            for path in folder.glob(f"*{part}*")
            if path.suffix in (".dll", ".dylib", ".metallib") or ".so" in path.name
        }
        digest = hashlib.sha256()
        for path in sorted({self.program.resolve(), *libraries}):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()[:12]
