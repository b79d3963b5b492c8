"""The arguments of every command."""

import argparse
import os
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final, NoReturn

from advisor import __version__
from advisor.cli.argument_types import above_zero, at_least, bandwidth, day, file, filled, numbers, seconds, within
from advisor.cli.choose import add_options as add_choose
from advisor.cli.examples import examples_words
from advisor.cli.placing import add_engine, add_placement, add_rpc, add_wait
from advisor.cli.what_if import add_options as add_what_if
from advisor.core.errors import UsageError

PROGRAM: Final = "two-machines"
WITHOUT_WINDOW: Final = "python -m advisor"
"""How the command line is called where nothing of the window is installed."""

WORKLOADS: Final = ("chat", "rag", "summarise", "coding", "long-writing", "many-users")
"""Ids of the presets; a test holds them against ``advisor.diagnosis.workload.PRESETS``, which is slow to import."""

PLANS: Final = ("quick", "standard", "thorough")
PAPERS: Final = ("a4", "letter")
CURVES: Final = ("threads", "batch", "depth")
CHUNK: Final = "chunk"
"""The stutter experiment, which is no curve of single tests."""
FLASH_ATTENTION: Final = ("auto", "on", "off")
KV_TYPE_NAMES: Final = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
"""Values of enumerations and tables of the engine, likewise held against them by a test."""


UNRECOGNISED: Final = "nrecognized arguments"
NAMING: Final = frozenset({"--gpu", "--unified", "--device", "--rpc-device", "--price"})
"""Options whose words are names of devices, which have spaces."""
LLAMA_BENCH: Final = (
    "write the measurements as llama-bench does: as its JSON, JSON lines, CSV or SQL where FILE ends in .json, .jsonl, "
    ".csv or .sql, else its table"
)


class _Lines(argparse.HelpFormatter):
    """Leaves the lines of examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("example") else super()._fill_text(text, width, indent)


class _Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that every error reaches the user the same way."""

    def error(self, message: str) -> NoReturn:
        words = message.replace("--json=-", "--json")
        raise UsageError(f"{words[:1].upper()}{words[1:]}.", f"See: {self.prog} --help")


def parse(argv: Sequence[str], program: str = PROGRAM) -> argparse.Namespace:
    """The arguments as a namespace with ``command``; raises UsageError. ``--help`` and ``--version`` exit."""
    try:
        return parser(program).parse_args(_json_targets(list(argv)))
    except UsageError as error:
        words = _name_in_pieces(list(argv))
        if words and UNRECOGNISED in error.sentence:
            raise UsageError(error.sentence, f'A name with spaces stands in quotes: {words[0]} "{words[1]}"') from error
        name = _meant_for_json(list(argv))
        if name is None:
            raise
        hint = f"Write --json {name}.json, or --json={name} to take the name as it is."
        raise UsageError(f"The file of --json must end in .json, and “{name}” does not.", hint) from error


def _name_in_pieces(argv: list[str]) -> tuple[str, str] | None:
    """An option that takes a device's name, and the words behind it that the shell has parted; None without such."""
    for position, option in enumerate(argv):
        if option in NAMING:
            words = list(takewhile(lambda word: not word.startswith("-"), argv[position + 1 :]))
            words = [word for word in words if not word.endswith(".gguf") and not os.path.exists(word)]  # noqa: PTH110
            if len(words) > 1:
                return option, " ".join(words)
    return None


def _meant_for_json(argv: list[str]) -> str | None:
    """The word behind a bare ``--json`` that makes sense as its file and not otherwise; None where there is none."""
    at = argv.index("--json") if "--json" in argv else len(argv)
    name = argv[at + 1] if at + 1 < len(argv) else ""
    if not name or name.startswith("-") or name.lower().endswith((".json", ".gguf")):
        return None
    try:
        parser().parse_args([*argv[:at], f"--json={name}", *argv[at + 2 :]])
    except UsageError:
        return None
    return name


def _json_targets(argv: list[str]) -> list[str]:
    """``--json`` means standard output unless a file name ending in .json follows."""
    result = []
    for position, given in enumerate(argv):
        following = argv[position + 1] if position + 1 < len(argv) else ""
        if given == "-" and position and argv[position - 1] == "--json":
            continue  # standard output, said as other options say it
        bare = given == "--json" and not following.lower().endswith(".json")
        result.append("--json=-" if bare else given)
    return result


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """The parser of everything; ``parse`` is the door for a command line. ``program`` is how it was called."""
    result = _Parser(
        prog=program,
        description="Says which half of a local language model is slow, prefill or decode, and what to do about it.",
        epilog="Without a command the window opens." if program == PROGRAM else f"The window: {PROGRAM}",
    )
    result.add_argument("--version", action="version", version=f"Two Machines {__version__}")
    commands = result.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    def add(
        name: str, text: str, model: bool = False, first: Callable[[argparse.ArgumentParser], None] | None = None
    ) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = commands.add_parser(
            name, help=text, description=f"{text}.", epilog=examples_words(name, program), formatter_class=_Lines
        )
        if first is not None:
            first(command)
        if model:
            command.add_argument("model", type=file, metavar="MODEL", help="a GGUF file")
        command.add_argument("--json", metavar="FILE", help="JSON to standard output, or to FILE (ending in .json)")
        return command

    machine = add("machine", "What this machine is")
    add_engine(machine)
    add_rpc(machine)
    add("inspect", "What the model is: contents, bytes and FLOPs per token, memory", model=True)

    ceilings = add("ceilings", "Both ceilings of a model on this machine", model=True)
    ceilings.add_argument(
        "--depth", type=at_least(0), default=0, metavar="N", help="tokens already in the KV cache (0)"
    )
    ceilings.add_argument("--batch", type=at_least(1), default=1, metavar="B", help="streams decoded together (1)")
    ceilings.add_argument("--fresh", action="store_true", help="measure again what is known from an earlier run")

    add_engine(ceilings)
    add_wait(ceilings)

    bench = add("bench", "Measure prefill and decode as llama-bench names them", model=True)
    bench.add_argument(
        "-p", "--n-prompt", type=at_least(0), default=512, metavar="N", help="prompt tokens, 0 for none (512)"
    )
    bench.add_argument(
        "-n", "--n-gen", type=at_least(0), default=128, metavar="N", help="written tokens, 0 for none (128)"
    )
    bench.add_argument(
        "-d", "--n-depth", type=at_least(0), default=0, metavar="N", help="tokens already in the KV cache (0)"
    )
    bench.add_argument("-r", "--repetitions", type=at_least(1), default=5, metavar="N", help="repetitions (5)")
    bench.add_argument(
        "-s", "--streams", type=within(1, 256), default=1, metavar="N", help="sequences written together (1)"
    )
    _settings(bench)

    sweep = add(
        "sweep", "One curve: speed over threads, streams or depth, or pauses over the pieces a prompt is read in",
        first=_curve, model=True,
    )  # fmt: skip
    sweep.add_argument(
        "-d", "--depth", "--depths", dest="depths", type=numbers(1, 10_000_000), metavar="N,N,...",
        help="depths of the depth curve (1024,2048,4096); one for the batch curve (0) and for chunk (256)",
    )
    sweep.add_argument(
        "--streams", type=numbers(1, 256), metavar="N,N,...",
        help="streams of the batch curve (1,2,3,4,8,16,32); one number for chunk (4)",
    )
    sweep.add_argument(
        "--comfort", type=above_zero, metavar="TOKENS_PER_S",
        help="what each of many people should get (5.3, as one reads)",
    )
    _chunk(sweep)
    sweep.add_argument("-r", "--repetitions", type=at_least(1), default=5, metavar="N", help="at most so many (5)")
    _settings(sweep)
    for measuring in (bench, sweep):
        add_engine(measuring)
        add_placement(measuring)
        add_wait(measuring)

    diagnose = add("diagnose", "The whole job: ceilings, benchmark, verdict, advice, report", model=True)
    _workload(diagnose)
    diagnose.add_argument(
        "--plan", choices=PLANS, default=PLANS[0],
        help="how much to measure: quick (about 20 s), standard (about 80 s), thorough (quick)",
    )  # fmt: skip
    diagnose.add_argument(
        "--budget", type=seconds, metavar="SECONDS", help="an own time for the tests instead of the plan's"
    )
    _settings(diagnose)
    _reports(diagnose)
    diagnose.add_argument("--csv", type=file, metavar="FILE", help="write the measurements as CSV")
    diagnose.add_argument("--llama-bench", type=file, metavar="FILE", help=LLAMA_BENCH)

    add_engine(diagnose)
    add_placement(diagnose)
    add_wait(diagnose)

    trying = add("try", "Measure one advice, before and after, by turns", model=True)
    trying.add_argument("advice", nargs="?", metavar="ADVICE", help="its id; without it, what can be tried is listed")
    _workload(trying)
    trying.add_argument("--rounds", type=within(3, 99), default=5, metavar="N", help="rounds at most, at least 3 (5)")
    trying.add_argument(
        "--budget", type=seconds, default=60.0, metavar="SECONDS",
        help="begin no further round after this; making a quantised file comes on top (60)",
    )
    trying.add_argument(
        "--draft", type=file, metavar="FILE", help="for speculate: a small model of the same family that guesses"
    )
    trying.add_argument("--fresh", action="store_true", help="measure both phases again, whatever was measured before")
    _settings(trying)
    add_engine(trying)
    add_placement(trying)
    add_wait(trying)

    rehearsing = add(
        "rehearse", "How fast a model that is not here would be: a few of its layers, measured and scaled",
        first=_shape,
    )  # fmt: skip
    _workload(rehearsing)
    rehearsing.add_argument(
        "--budget", type=seconds, default=18.0, metavar="SECONDS", help="time for all of it (18)"
    )
    add_engine(rehearsing)
    add_wait(rehearsing)

    add("server", "Measure a running server: first token, speeds, users, stutter", first=_server)

    log = add("server-log", "Which phase hurt in real use, from the log that llama-server, Ollama or vLLM writes")
    log.add_argument("file", type=file, metavar="FILE", help="the log file")
    log.add_argument("--watch", type=seconds, metavar="SECONDS", help="then follow what is added to it for so long")

    engines = add("engines", "Engines that are already on this machine: their version, build and devices")
    engines.add_argument("--check", action="store_true", help="let each measure the sample model for two seconds")

    models = add("models", "Models that are already on this machine")
    models.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="look here, too")

    _add_history(add("history", "What was measured here before"), program)

    comparing = add("compare", "Results held against each other: runs, machines, engines, models, other tools' figures")
    comparing.add_argument(
        "results", nargs="+", type=filled, metavar="RESULT",
        help="a run's number or label, or a file: our JSON, or another tool's",
    )
    comparing.add_argument("--md", type=file, metavar="FILE", help="write the comparison as Markdown")

    importing = add("import", "Another tool's figures: llama-bench, llama.cpp, koboldcpp, Ollama, LM Studio")
    importing.add_argument("file", type=filled, metavar="FILE", help="text as saved or pasted; - for standard input")
    importing.add_argument(
        "--device", metavar="NAME", help="the device that it was measured on, as the accelerator table names it"
    )
    importing.add_argument(
        "--bandwidth", type=bandwidth, metavar="GB_PER_S", help="or its memory bandwidth, for a device of your own"
    )
    importing.add_argument(
        "--tflops", type=above_zero, metavar="TFLOP_PER_S", help="and its 16-bit arithmetic, without sparsity"
    )
    importing.add_argument("--show-only", action="store_true", help="read it, and keep nothing in the history")
    _workload(importing)

    choosing = add("choose", "What could be run here for a work, before it is downloaded")
    add_choose(choosing)
    _workload(choosing)
    add_engine(choosing)
    add_wait(choosing)

    what_if = add("what-if", "Other hardware for this model and this work, before it is bought", model=True)
    add_what_if(what_if)
    _workload(what_if)
    add_engine(what_if)
    add_wait(what_if)

    sample = add("sample", "Put the sample model together and print where it is")
    sample.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="where to put it (the user's cache folder)")

    selftest = add("selftest", "What works here: engine, devices, window, PDF")
    selftest.add_argument(
        "--forget", action="store_true", help="forget which engines must run in safe mode, and test anew"
    )

    add_engine(selftest)

    menu = commands.add_parser(
        "desktop", help="Entry in the menu, icons, and .gguf files that open with the program",
        description="Put the program into this user's menu and let it open .gguf files, or take both away.",
        epilog=examples_words("desktop", program), formatter_class=_Lines,
    )  # fmt: skip
    menu.add_argument("action", choices=("install", "remove"), help="what to do")

    about = add("about", "Version, engine, and the licences of all parts")
    about.add_argument("--licences", action="store_true", help="the whole notices of the parts")

    window = commands.add_parser(
        "gui", help="Open the window", description="Open the window.", epilog=examples_words("gui", program),
        formatter_class=_Lines,
    )  # fmt: skip
    window.add_argument("model", nargs="?", type=Path, metavar="MODEL", help="a GGUF file, or a result to open")
    window.add_argument("--new-window", action="store_true", help="a further window, where one is open already")
    return result


def _add_history(history: argparse.ArgumentParser, program: str) -> None:
    history.add_argument("--limit", type=at_least(1), default=20, metavar="N", help="newest runs to list (20)")
    history.add_argument("--model", default="", metavar="TEXT", help="only models with this in their name")
    history.add_argument(
        "--text", default="", metavar="TEXT",
        help="only runs with these words in model, machine, engine, work, label or note",
    )
    history.add_argument("--since", type=day, metavar="DATE", help="from this day on (2026-11-30)")
    history.add_argument("--deleted", action="store_true", help="list the deleted runs instead")
    actions = history.add_subparsers(dest="action", metavar="ACTION", parser_class=_Parser)
    for name, text in (
        ("show", "Everything about one run"),
        ("export", "Write a run as a report or for another tool; - instead of FILE prints it"),
        ("label", "Give a run a name; without TEXT, show the present one"),
        ("note", "Write a note to a run; without TEXT, show the present one"),
        ("delete", "Hide a run"),
        ("restore", "Show a deleted run again"),
    ):
        action = actions.add_parser(
            name, help=text, description=f"{text}.", epilog=examples_words(f"history {name}", program),
            formatter_class=_Lines,
        )  # fmt: skip
        action.add_argument("run", type=at_least(1), metavar="RUN", help="its number in the list")
        if name in ("label", "note"):
            action.add_argument("text", nargs="*", metavar="TEXT", help=f"the new {name}")
            action.add_argument("--clear", action="store_true", help=f"take the {name} away")
        if name == "export":
            _export(action)
        # Not given here, it keeps what was given before the action.
        action.add_argument("--json", metavar="FILE", default=argparse.SUPPRESS, help="as above")


def _export(action: argparse.ArgumentParser) -> None:
    """What ``cli.exporting`` reads."""
    action.add_argument("--pdf", type=file, metavar="FILE", help="the report as PDF")
    action.add_argument("--paper", choices=PAPERS, default="", help="the PDF's paper (your country's)")
    action.add_argument("--html", type=file, metavar="FILE", help="the report as one HTML file with charts")
    action.add_argument("--md", type=file, metavar="FILE", help="the report as Markdown, for issues and forums")
    action.add_argument("--csv", type=file, metavar="FILE", help="the measurements as CSV")
    action.add_argument("--llama-bench", type=file, metavar="FILE", help=LLAMA_BENCH)
    action.add_argument(
        "--workload", choices=WORKLOADS, help="answer for this work instead of the one that the run was made for"
    )


def _curve(command: argparse.ArgumentParser) -> None:
    command.add_argument("curve", choices=(*CURVES, CHUNK), help="what is varied")


def _shape(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "shape", nargs="?", type=filled, metavar="MODEL",
        help="a name of the catalogue, a config.json, or a GGUF file here or at an https address",
    )
    command.add_argument(
        "--quant", metavar="TYPE", help="Q8_0, Q6_K, Q4_K_M, MXFP4 ... (Q4_K_M; a GGUF file's own types)"
    )
    command.add_argument("--list", action="store_true", help="the models of the catalogue")
    command.add_argument("--insecure", action="store_true", help="take an http address, too")


def _server(command: argparse.ArgumentParser) -> None:
    """What ``cli.server`` reads; no option takes a key, since command lines can be read by others."""
    command.add_argument("url", metavar="URL", help="its address: http://HOST:PORT, with or without /v1")
    command.add_argument("--model", metavar="NAME", help="which of its models (the first)")
    command.add_argument("--key-env", metavar="VARIABLE", help="the environment variable that holds the key")
    command.add_argument("--ask-key", action="store_true", help="type the key, unseen")
    command.add_argument("--insecure", action="store_true", help="take any certificate, for a server of your own")
    command.add_argument(
        "--prompts", type=numbers(1, 10_000_000), default=(64, 512, 1024), metavar="N,N,...",
        help="prompt tokens (64,512,1024)",
    )
    command.add_argument("--answer", type=within(8, 4096), default=64, metavar="N", help="answer tokens (64)")
    command.add_argument("-r", "--repetitions", type=within(1, 99), default=3, metavar="N", help="at most so many (3)")
    command.add_argument(
        "--users", type=numbers(0, 256), default=(1, 2, 4, 8), metavar="N,N,...",
        help="people at once, 0 for none (1,2,4,8)",
    )
    command.add_argument(
        "--streams", type=within(0, 64), default=3, metavar="N", help="steady streams of the stutter, 0 for none (3)"
    )
    command.add_argument(
        "--stutter-prompt", type=at_least(16), default=2048, metavar="N",
        help="the prompt that comes in between (2048)",
    )
    command.add_argument(
        "--stall", type=above_zero, default=0.2, metavar="SECONDS", help="longest comfortable pause in a stream (0.2)"
    )
    command.add_argument(
        "--wait", type=above_zero, default=10.0, metavar="SECONDS", help="longest comfortable wait (10)"
    )
    command.add_argument(
        "--slowest", type=above_zero, default=5.3, metavar="TOKENS_PER_S", help="slowest comfortable stream (5.3)"
    )
    command.add_argument("--budget", type=seconds, default=60.0, metavar="SECONDS", help="time for all of it (60)")
    _reports(command)
    add_wait(command)
    command.add_argument(
        "--timeout", type=seconds, default=60.0, metavar="SECONDS", help="how long it may be silent (60)"
    )


def _reports(command: argparse.ArgumentParser) -> None:
    """Files to write the report to."""
    command.add_argument("--pdf", type=file, metavar="FILE", help="write the report as PDF")
    command.add_argument(
        "--paper", choices=PAPERS, default="", help="the PDF's paper (the one of your country's printers)"
    )
    command.add_argument("--md", type=file, metavar="FILE", help="write the report as Markdown")
    command.add_argument("--html", type=file, metavar="FILE", help="write the report as one HTML file with charts")


def _chunk(command: argparse.ArgumentParser) -> None:
    """What only ``sweep chunk`` reads."""
    command.add_argument(
        "-P", "--prompt", type=within(1, 1_000_000), metavar="N",
        help="chunk: tokens of the prompt that arrives (2048, or what the model holds)",
    )
    command.add_argument(
        "--chunks", type=numbers(0, 10_000_000), metavar="N,N,...",
        help="chunk: prompt tokens per step, 0 for all in one go (64,128,256,512,0)",
    )
    command.add_argument(
        "--stall", type=above_zero, default=0.2, metavar="SECONDS",
        help="chunk: longest pause of a stream that you accept (0.2)",
    )


def _workload(command: argparse.ArgumentParser) -> None:
    """What ``workload_from`` reads."""
    command.add_argument("--workload", metavar="NAME", help=f"one of {', '.join(WORKLOADS)} (rag)")
    command.add_argument("--prompt", type=at_least(1), metavar="N", help="prompt tokens")
    command.add_argument("--shared", type=at_least(0), metavar="N", help="prompt tokens that are the same every time")
    command.add_argument("--answer", type=at_least(1), metavar="N", help="answer tokens")
    command.add_argument("--users", type=at_least(1), metavar="N", help="people at once")
    command.add_argument("--turns", type=within(1, 1000), metavar="N", help="turns of a chat (1; chat: 6)")
    command.add_argument(
        "--keeps-prefix", action=argparse.BooleanOptionalAction,
        help="whether your program keeps what was read from one turn to the next (chat: yes)",
    )
    command.add_argument(
        "--wait", type=above_zero, metavar="SECONDS",
        help="longest comfortable wait (the workload's: 10, many-users 2)",
    )
    command.add_argument(
        "--slowest", type=above_zero, metavar="TOKENS_PER_S",
        help="slowest comfortable stream (the workload's: 5.3 as one reads, 10 where one waits for the whole)",
    )
    command.add_argument(
        "--prompt-file", type=file, metavar="FILE", help="a prompt as text, counted with the model's own tokenizer"
    )


def _settings(command: argparse.ArgumentParser) -> None:
    """How the engine is set while it measures, spelled as llama-bench spells it."""
    command.add_argument(
        "-t", "--threads", type=at_least(1), metavar="N", help="threads of decode (what this process may use)"
    )
    command.add_argument(
        "-tb", "--threads-prefill", type=at_least(1), metavar="N", help="threads of prefill (those of decode)"
    )
    command.add_argument(
        "-b", "--batch-size", type=at_least(1), default=2048, metavar="N", help="tokens given at once (2048)"
    )
    command.add_argument(
        "-ub", "--ubatch-size", type=at_least(1), default=512, metavar="N", help="tokens computed at once (512)"
    )
    command.add_argument("-fa", "--flash-attention", choices=FLASH_ATTENTION, default="auto", help="(auto)")
    command.add_argument(
        "-ctk", "-ctv", "--kv-type", choices=KV_TYPE_NAMES, default="f16", help="type of the KV cache (f16)"
    )
