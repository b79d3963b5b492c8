"""How many threads are worth starting, and which limit decided; pure."""

import math
from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Fact, Known
from advisor.core.numbers import form, written
from advisor.core.translation import tr, trn

MOST_THREADS: Final = 64
"""With 65 threads and more, runs on machines of 128 cores were seen to give no token at all (case B20)."""


@dataclass(frozen=True, slots=True)
class Usable:
    """Threads for one job, at least 1, and the limit that decided, in the user's language."""

    threads: int
    because: str


def usable_threads(
    logical: int,
    in_mask: int | None,
    cores: int | None,
    cores_in_mask: int | None,
    fast_in_mask: int | None,
    quota_cpus: Fact[float],
    processor_groups: int = 1,
) -> Usable:
    """Distinct cores inside the affinity mask, the fast ones only on a hybrid, capped by the quota.

    Matrix work is shared out evenly and waits for the slowest thread, so a second thread on a core, a slow core,
    or one thread more than a quota feeds makes all of them wait.

    Args:
        logical: logical CPUs of the system, at least 1.
        in_mask: logical CPUs in the affinity mask; None where there is no mask.
        cores: cores of the whole system; None where the topology is hidden.
        cores_in_mask: distinct cores inside the mask; None where the topology is hidden.
        fast_in_mask: those of the fast kind; None or 0 where all cores are alike or none is in the mask.
        quota_cpus: the cgroup's grant; rounded down.
        processor_groups: of Windows; a program that does not ask for more runs on one of them.
    """
    usable = _by_cores(logical, in_mask, cores, cores_in_mask, fast_in_mask)
    if processor_groups > 1:
        usable = Usable(
            max(1, usable.threads // processor_groups), tr("one of {n} processor groups only", n=processor_groups)
        )
    if usable.threads > MOST_THREADS:
        usable = Usable(
            MOST_THREADS,
            tr("{n} of {because}: more were seen to hang the engine", n=MOST_THREADS, because=usable.because),
        )
    if isinstance(quota_cpus, Known) and math.floor(quota_cpus.value) < usable.threads:
        shown = format(quota_cpus.value, ".3g")
        return Usable(
            max(1, math.floor(quota_cpus.value)),
            trn(
                "cgroup quota of {n} CPU", "cgroup quota of {n} CPUs",
                form(float(shown)), n=written(shown),
            ),
        )
    return usable


def _by_cores(
    logical: int, in_mask: int | None, cores: int | None, cores_in_mask: int | None, fast_in_mask: int | None
) -> Usable:
    masked = in_mask is not None and in_mask < logical
    if not cores_in_mask:
        threads = max(1, in_mask if in_mask is not None else logical)
        cpus = trn("{n} logical CPU", "{n} logical CPUs", threads, n=threads)
        if masked:
            return Usable(threads, tr("{cpus} (in the affinity mask, the cores behind them are hidden)", cpus=cpus))
        return Usable(threads, tr("{cpus} (the cores behind them are hidden)", cpus=cpus))
    held = trn("{n} core", "{n} cores", cores_in_mask, n=cores_in_mask)
    if fast_in_mask and fast_in_mask < cores_in_mask:
        fast = trn("{n} performance core", "{n} performance cores", fast_in_mask, n=fast_in_mask)
        return Usable(fast_in_mask, tr("{fast} of {cores}", fast=fast, cores=held))
    if masked and cores is not None and cores_in_mask < cores:
        return Usable(cores_in_mask, tr("affinity mask of {cores}, of {all}", cores=held, all=cores))
    return Usable(cores_in_mask, held)
