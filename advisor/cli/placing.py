"""The options that choose an engine and say where it puts the model."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.benchmarks.engines.engine import Engine
    from advisor.benchmarks.job import Placement
    from advisor.benchmarks.model import EngineFacts
    from advisor.core.evidence import Fact
    from advisor.core.progress import CancelToken
    from advisor.session.pipeline import Pipeline


def add_engine(command: argparse.ArgumentParser) -> None:
    """``--engine``."""
    command.add_argument(
        "--engine",
        metavar="ENGINE",
        help="a name that the command engines lists, a Python environment, or a llama.cpp build (this Python)",
    )


def add_rpc(command: argparse.ArgumentParser) -> None:
    """``--rpc``."""
    command.add_argument("--rpc", metavar="HOST:PORT[,…]", help="use the devices of these llama.cpp RPC servers, too")


def add_placement(command: argparse.ArgumentParser) -> None:
    """Everything that ``placement_from`` reads."""
    command.add_argument(
        "--device", metavar="NAME[,NAME]", help="devices to use, as the engine names them; CPU for none"
    )
    command.add_argument(
        "-ngl", "--gpu-layers", metavar="N", help="layers that go to graphics processors (as many as fit)"
    )
    command.add_argument(
        "-ot", "--override-tensor", metavar="PATTERN=BUFFER[,…]", help="where single tensors go, such as exps=CPU"
    )
    command.add_argument("-ts", "--tensor-split", metavar="N[,N]", help="share of the layers for each device, as 3,1")
    add_rpc(command)


def add_wait(command: argparse.ArgumentParser) -> None:
    """``--no-wait``."""
    command.add_argument(
        "--no-wait", action="store_true",
        help="measure at once, also while another measurement of this program runs; the figures carry that mark",
    )  # fmt: skip


def pipeline_for(arguments: argparse.Namespace) -> "Pipeline":
    """The pipeline with the engine of ``--engine``, which waits for its turn unless told not to. Raises UsageError."""
    from advisor.session.pipeline import Pipeline

    return Pipeline(engine_for(arguments), wait=not arguments.no_wait)


def engine_for(arguments: argparse.Namespace) -> "Engine | None":
    """The engine of ``--engine``; None for this Python's own. Raises UsageError."""
    if arguments.engine is None:
        return None
    from advisor.benchmarks.engines.choosing import engine_from

    return engine_from(arguments.engine)


def facts_reader(arguments: argparse.Namespace) -> "Callable[[CancelToken], Fact[EngineFacts]]":
    """What asks the chosen engine what it is; for this Python's own it imports no measuring. Raises UsageError."""
    from advisor.benchmarks.placing import servers

    chosen, rpc_servers = engine_for(arguments), servers(arguments.rpc)
    if chosen is not None:
        return lambda cancel: chosen.read_facts(cancel, rpc_servers)
    from advisor.benchmarks.engines.facts import read_facts
    from advisor.benchmarks.launch import Launch

    return lambda cancel: read_facts(Launch(), cancel, rpc_servers)


def placement_from(arguments: argparse.Namespace) -> "Placement":
    """The placement that the options describe. Raises UsageError."""
    from advisor.benchmarks import placing
    from advisor.benchmarks.job import Placement

    return Placement(
        devices=placing.words(arguments.device),
        gpu_layers=placing.layers(arguments.gpu_layers),
        tensor_overrides=placing.overrides(arguments.override_tensor),
        tensor_split=placing.shares(arguments.tensor_split),
        rpc_servers=placing.servers(arguments.rpc),
    )
