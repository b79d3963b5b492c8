"""A chat as its average turn, so that advice counts what every turn costs and not the first one alone."""

from dataclasses import replace

from advisor.diagnosis.model import Timeline, Workload


def average_turn(workload: Workload, timeline: Timeline) -> tuple[Workload, Timeline]:
    """One request as long as the turns are on average, and its seconds; both unchanged for a single request.

    Where the program keeps what was read, only what is new in each turn is a prompt to read; where it does not, what
    was there before is the part that is the same.
    """
    turns = timeline.turns
    if len(turns) < 2:
        return workload, timeline
    number = len(turns)
    if workload.prefix_kept:
        prompt, shared = sum(turn.new_tokens for turn in turns) / number, 0.0
        wait_s = sum(turn.wait_kept.middle_s for turn in turns) / number
    else:
        prompt = sum(turn.prompt_tokens for turn in turns) / number
        shared = sum(turn.prompt_tokens - turn.new_tokens for turn in turns) / number
        wait_s = sum(turn.wait.middle_s for turn in turns) / number
    stream_s = sum(turn.stream.middle_s for turn in turns) / number
    return (
        replace(workload, prompt_tokens=round(prompt), shared_tokens=round(shared), turns=1, prefix_kept=False),
        replace(
            timeline,
            wait_s=wait_s,
            stream_s=stream_s,
            total_s=wait_s + stream_s,
            prefill_tokens_per_s=prompt / wait_s,
            decode_tokens_per_s=workload.answer_tokens / stream_s,
        ),
    )
