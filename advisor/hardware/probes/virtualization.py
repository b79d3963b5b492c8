"""Which hypervisor or container this runs in, from files that anyone may read. By hand: ``systemd-detect-virt``."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import text_or_empty

DMI_NAMES: Final = (
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute", "Google Compute Engine"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Parallels", "Parallels"),
    ("Microsoft Corporation Virtual Machine", "Hyper-V"),
    ("Apple Virtualization", "Apple Virtualization"),
    ("QEMU", "QEMU/KVM"),
    ("KVM", "KVM"),
    ("Xen", "Xen"),
    ("OpenStack", "OpenStack"),
    ("DigitalOcean", "DigitalOcean"),
    ("Hetzner", "Hetzner"),
)
"""Whole words in DMI's vendor and product -> name, the first that occurs wins; a Xenia is a laptop."""

CONTAINER_MARKS: Final = (
    ("kubepods", "Kubernetes"),
    ("docker", "Docker"),
    ("libpod", "Podman"),
    ("lxc", "LXC"),
)
"""Part of a control group's path -> name."""

MOUNT_MARKS: Final = (
    (re.compile(r"^(?:\S+ ){3}\S*/kubelet/pods/\S* /etc/hosts ", re.MULTILINE), "Kubernetes"),
    (re.compile(r"^(?:\S+ ){4}(?:/var)?/run/secrets/kubernetes\.io\b", re.MULTILINE), "Kubernetes"),
    (re.compile(r"^(?:\S+ ){4}/proc/\S+ .* - fuse\.lxcfs ", re.MULTILINE), "LXC"),
)
"""Lines of mountinfo inside a container -> name; the host has the same things hung up elsewhere."""


@dataclass(frozen=True, slots=True)
class Traces:
    """The texts in which a hypervisor or container shows; "" where missing."""

    dmi: str = ""
    hypervisor_type: str = ""
    clock_source: str = ""
    kernel_version: str = ""
    cgroup: str = ""
    container_manager: str = ""
    docker_file: bool = False
    podman_file: bool = False
    mounts: str = ""


def parse(traces: Traces, hypervisor_flag: bool) -> Fact[str]:
    """The name of what this runs in ("KVM", "Docker container in a virtual machine").

    Args:
        traces: the texts.
        hypervisor_flag: whether the processor says that it is virtual.
    """
    machine, container = _machine(traces), _container(traces)
    source = tr("container files, DMI, CPU flags")
    if container and machine:
        return Known(tr("{container} container in {machine}", container=container, machine=machine), Basis.READ, source)
    if container and hypervisor_flag:
        return Known(tr("{container} container in a virtual machine", container=container), Basis.READ, source)
    if container:
        return Known(tr("{container} container", container=container), Basis.READ, tr("container files"))
    if machine or hypervisor_flag:
        return Known(machine or tr("virtual machine"), Basis.READ, tr("DMI, clock source, CPU flags"))
    return Unknown(tr("no sign of a virtual machine or container"), Missing.NOT_APPLICABLE)


def read(hypervisor_flag: bool, root: Path = Path("/")) -> Fact[str]:
    """The name of what this Linux system runs in."""
    return parse(_traces(root), hypervisor_flag)


def in_container(root: Path = Path("/")) -> bool:
    """Whether this Linux system shares its kernel with a host, whose clocks it then sees."""
    return _container(_traces(root)) is not None


def _traces(root: Path) -> Traces:
    dmi = root / "sys/class/dmi/id"
    return Traces(
        dmi=f"{text_or_empty(dmi / 'sys_vendor')} {text_or_empty(dmi / 'product_name')}",
        hypervisor_type=text_or_empty(root / "sys/hypervisor/type"),
        clock_source=text_or_empty(root / "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        kernel_version=text_or_empty(root / "proc/version"),
        cgroup=text_or_empty(root / "proc/self/cgroup"),
        container_manager=text_or_empty(root / "run/systemd/container"),
        docker_file=(root / ".dockerenv").exists(),
        podman_file=(root / "run/.containerenv").exists(),
        mounts=text_or_empty(root / "proc/self/mountinfo"),
    )


def _machine(traces: Traces) -> str | None:
    if re.search(r"microsoft|wsl2", traces.kernel_version, re.IGNORECASE):
        return "WSL"
    # Amazon's machines without a hypervisor are named so ("c5.metal", "m7i.metal-24xl")
    bare_metal = re.search(r"\.metal(?:-|$)", traces.dmi) is not None
    for mark, name in DMI_NAMES:
        if re.search(rf"\b{mark}(?![a-z])", traces.dmi, re.IGNORECASE) and not bare_metal:
            return name
    if traces.hypervisor_type:
        return traces.hypervisor_type.capitalize()
    clock = traces.clock_source
    return "KVM" if clock == "kvm-clock" else "Hyper-V" if clock.startswith("hyperv") else None


def _container(traces: Traces) -> str | None:
    for mark, name in CONTAINER_MARKS:
        if mark in traces.cgroup:
            return name
    # With version 2 the path says nothing inside a container; what its manager hung into it does.
    hung = next((name for pattern, name in MOUNT_MARKS if pattern.search(traces.mounts)), None)
    if hung is not None:
        return hung
    if traces.podman_file:
        return "Podman"
    if traces.docker_file:
        return "Docker"
    return traces.container_manager or None
