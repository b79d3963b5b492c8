"""Where an engine puts models, as the user sets it and as words: devices, layers, experts, split, other machines."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineDevice, EngineFacts
from advisor.benchmarks.placing import servers, shares
from advisor.core.errors import UsageError
from advisor.core.numbers import plural
from advisor.core.translation import marked, tr, trn
from advisor.report import formatting as fmt
from ui.viewmodels.rows import bare

CPU: Final = "CPU"
EXPERTS_TO_CPU: Final = ("exps", CPU)
AS_MANY_AS_FIT: Final = -1
GRAPHICS: Final = ("gpu", "igpu")

NO_GRAPHICS: Final = marked(
    "This engine has no graphics processor to compute on. How to get one:\n"
    "1. Install the driver of your card (NVIDIA: CUDA; AMD: ROCm; any: Vulkan). Apple's Metal is there already.\n"
    "2. Build the engine for it in an environment of its own: "
    "CMAKE_ARGS=-DGGML_CUDA=on pip install llama-cpp-python (-DGGML_HIP=on for AMD, -DGGML_VULKAN=on for any card).\n"
    "3. Press “Add a folder…” below and pick that environment, or the folder of a llama.cpp build for your card."
)


@dataclass(frozen=True, slots=True)
class PlacementForm:
    """What is set: ``devices`` are the ticked ones, and none of them means the processor alone.

    Attributes:
        own_choice: the engine chooses its devices, and ``devices`` says nothing.
        gpu_layers: layers off the CPU; -1 for as many as fit.
        split: shares of the devices as typed, "3,1".
        rpc: addresses of RPC servers as typed.
    """

    own_choice: bool = True
    devices: tuple[str, ...] = ()
    gpu_layers: int = AS_MANY_AS_FIT
    experts_on_cpu: bool = False
    split: str = ""
    rpc: str = ""


@dataclass(frozen=True, slots=True)
class DeviceTick:
    """A device that can be ticked."""

    name: str
    words: str
    ticked: bool


@dataclass(frozen=True, slots=True)
class PlacementState:
    """What the form shows.

    Attributes:
        note: what is the matter, or how to get a graphics processor; empty where nothing is to be said.
        wrong: what cannot be understood, a sentence; then nothing can be applied.
        can_split: there are several devices to share a model.
        can_apply: what is set differs from what is used, and can be used now; ``apply_tip`` says why not.
        can_join: the servers named can be asked for their devices now.
    """

    form: PlacementForm
    devices: tuple[DeviceTick, ...]
    note: str
    wrong: str
    can_split: bool
    can_apply: bool
    apply_words: str
    apply_tip: str
    can_join: bool


def placement_of(form: PlacementForm) -> Placement:
    """The placement that is set. Raises UsageError where what is typed cannot be understood."""
    return Placement(
        devices=() if form.own_choice else form.devices or (CPU,),
        gpu_layers=form.gpu_layers,
        tensor_overrides=(EXPERTS_TO_CPU,) if form.experts_on_cpu else (),
        tensor_split=shares(form.split),
        rpc_servers=servers(form.rpc),
    )


def present_placement(
    form: PlacementForm,
    facts: EngineFacts,
    used: Placement | None,
    joined: tuple[str, ...],
    may_apply: bool,
    may_ask: bool,
    why_not: str,
) -> PlacementState:
    """The form's state.

    Args:
        form: what is set.
        facts: of its engine.
        used: where the window's models go with this engine; None where it measures with another.
        joined: RPC servers whose devices ``facts`` holds.
        may_apply: nothing is being measured; else ``why_not`` says what.
        may_ask: engines may be asked now.
        why_not: see ``may_apply``.
    """
    wanted, wrong = OWN_CHOICE, ""
    try:
        wanted = placement_of(form)
    except UsageError as error:
        wrong = str(error)
    others = [device for device in facts.devices if device.kind in GRAPHICS]
    ticks = tuple(DeviceTick(one.name, _device_words(one), one.name in form.devices) for one in others)
    unknown = not wrong and wanted.rpc_servers != joined
    if not wrong and not unknown:
        wrong = _why_not_possible(wanted, facts)
    changed = used is None or wanted != used
    tip = wrong or (tr("Look for the servers' devices first") if unknown else "") or ("" if may_apply else why_not)
    if not tip and not changed:
        tip = tr("This is how it is used already")
    return PlacementState(
        form=form,
        devices=ticks,
        note="" if others else tr(NO_GRAPHICS),
        wrong=wrong,
        can_split=len(others) > 1,
        can_apply=not tip,
        apply_words=tr("Use like this") if used is None else tr("Apply"),
        apply_tip=tip or tr("Put models there from now on, until the window is closed"),
        can_join=unknown and may_ask,
    )


def placement_words(placement: Placement) -> str:
    """What was set apart from the engine's own choice, for the status bar; empty where nothing was."""
    said = []
    if placement.devices:
        said.append(tr("processor alone") if placement.devices == (CPU,) else "+".join(placement.devices))
    if placement.gpu_layers != AS_MANY_AS_FIT:
        said.append(tr("{layers} off the CPU", layers=plural(placement.gpu_layers, "layer", "layers")))
    if EXPERTS_TO_CPU in placement.tensor_overrides:
        said.append(tr("experts on the CPU"))
    if placement.tensor_split:
        said.append(tr("split {shares}", shares=":".join(bare(share) for share in placement.tensor_split)))
    if placement.rpc_servers:
        said.append(tr("with {servers}", servers=", ".join(placement.rpc_servers)))
    return " · ".join(said)


def _why_not_possible(wanted: Placement, facts: EngineFacts) -> str:
    known = {device.name for device in facts.devices}
    missing = [name for name in wanted.devices if name not in known and name != CPU]
    if missing:
        return tr("{device} is not there any more. Tick another device.", device=missing[0])
    number = (
        len([name for name in wanted.devices if name != CPU])
        if wanted.devices
        else len([device for device in facts.devices if device.kind in GRAPHICS])
    )
    if wanted.tensor_split and len(wanted.tensor_split) > max(1, number):
        return trn(
            "{shares} for {n}\u00a0device. Give one number for each.",
            "{shares} for {n}\u00a0devices. Give one number for each.",
            number, shares=plural(len(wanted.tensor_split), "share", "shares"), n=fmt.count(number),
        )  # fmt: skip
    return ""


def _device_words(device: EngineDevice) -> str:
    words, link = f"{device.name}: {device.description}", device.link.or_none()
    if link is not None:
        there_and_back = tr("{time} there and back", time=fmt.milliseconds(link.round_trip_s))
        words += f", {there_and_back}, {fmt.bandwidth(link.bytes_per_s)}"
    return words
