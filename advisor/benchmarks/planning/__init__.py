"""What to measure, in which order and in how much time: settings, prediction, sweeps, and the plan made of them."""

from advisor.benchmarks.model import PlanKind as PlanKind
from advisor.benchmarks.planning.plan import Plan as Plan
from advisor.benchmarks.planning.plan import make_plan as make_plan
from advisor.benchmarks.planning.plan import sweep_plan as sweep_plan
from advisor.benchmarks.planning.plan import two_phases as two_phases
from advisor.benchmarks.planning.settings import BenchSettings as BenchSettings
from advisor.benchmarks.planning.settings import Purpose as Purpose
from advisor.benchmarks.planning.settings import threads as threads
