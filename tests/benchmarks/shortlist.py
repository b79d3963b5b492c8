"""What ``choose`` reckons from kernels against rehearsals: ``python -m tests.benchmarks.shortlist [NAME:RECIPE ...]``.

The kernels are those of the two yardstick models; each model is then rehearsed on the real engine. Both phases, at the
work's own sizes. The wait and the stream of the list are meant to be within 20 % of the rehearsal's. It needs a quiet
machine: kernels and rehearsal are measured one after the other.
"""

import argparse
import sys
from collections.abc import Sequence

from advisor.core.evidence import Known
from advisor.core.progress import CancelToken
from advisor.core.stats import median
from advisor.diagnosis.workload import preset
from advisor.rehearsal.catalogue import find
from advisor.session.pipeline import Pipeline
from advisor.session.shortlisting import place_here, rehearse_choice
from advisor.shortlist.choosing import choices_of

USUAL = ("Gemma-3-270M:Q4_K_M", "Qwen2.5-0.5B:Q8_0", "Qwen3-0.6B:Q4_K_M", "Llama-3.2-1B:Q4_K_M", "Llama-3.2-1B:Q6_K",
         "Qwen2.5-1.5B:IQ4_XS", "gpt-oss-20b:MXFP4_MOE")  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=USUAL, metavar="NAME:RECIPE")
    parser.add_argument("--workload", default="rag", help="one without turns: a rehearsal tells one request")
    options = parser.parse_args(arguments)
    work, cancel, pipeline = preset(options.workload), CancelToken(), Pipeline()
    place = place_here(pipeline, lambda _event: None, cancel)
    if place.disturbed:
        print(f"Kernels disturbed: {place.disturbed}.")
    print("| model | wait, reckoned | rehearsed | off by | stream, reckoned | rehearsed | off by |")
    print("|---|---|---|---|---|---|---|")
    errors: list[float] = []
    for text in options.models:
        name, _, recipe = text.partition(":")
        choice = next(one for one in choices_of(find(name), work, place) if one.recipe == recipe)
        done = rehearse_choice(pipeline, name, recipe, work, lambda _event: None, cancel)
        cells = [f"{name} {recipe}"]
        for reckoned, rehearsed in (("wait", done.wait), ("stream", done.stream)):
            if not isinstance(choice.expected, Known) or not isinstance(rehearsed, Known):
                cells += ["unknown", "unknown", ""]
                continue
            guess, seen = getattr(choice.expected.value, reckoned).middle_s, rehearsed.value.middle_s
            errors.append(guess / seen - 1)
            cells += [f"{guess:.2f} s", f"{seen:.2f} s", f"{guess / seen - 1:+.0%}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    if errors:
        print(f"\nMedian {median([abs(one) for one in errors]):.0%}, worst {max(errors, key=abs):+.0%}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
