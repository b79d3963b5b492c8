import pytest

from advisor.core.evidence import Missing, Unknown
from advisor.hardware.probes.system import parse_os_release
from advisor.hardware.probes.virtualization import Traces, parse

KUBELET = "812 790 8:1 /var/lib/kubelet/pods/6d0e/etc-hosts /etc/hosts rw,relatime - ext4 /dev/sda1 rw"
LXCFS = "470 401 0:46 /proc/cpuinfo /proc/cpuinfo rw,nosuid,nodev,relatime - fuse.lxcfs lxcfs rw,user_id=0"


@pytest.mark.parametrize(
    ("traces", "flag", "name"),
    [
        (Traces(dmi="QEMU Standard PC (Q35 + ICH9, 2009)"), True, "QEMU/KVM"),
        (Traces(dmi="VMware, Inc. VMware Virtual Platform"), True, "VMware"),
        (Traces(dmi="innotek GmbH VirtualBox"), True, "VirtualBox"),
        (Traces(dmi="Microsoft Corporation Virtual Machine"), True, "Hyper-V"),
        (Traces(dmi="Amazon EC2 c7g.large"), False, "Amazon EC2"),
        (Traces(clock_source="kvm-clock"), True, "KVM"),
        (Traces(clock_source="hyperv_clocksource_tsc_page"), True, "Hyper-V"),
        (Traces(hypervisor_type="xen"), True, "Xen"),
        (Traces(), True, "virtual machine"),
        (Traces(kernel_version="Linux version 5.15.167.4-microsoft-standard-WSL2"), True, "WSL"),
        (Traces(docker_file=True), False, "Docker container"),
        (Traces(podman_file=True), False, "Podman container"),
        (Traces(cgroup="0::/kubepods.slice/pod1"), False, "Kubernetes container"),
        (Traces(container_manager="systemd-nspawn"), False, "systemd-nspawn container"),
        (Traces(docker_file=True), True, "Docker container in a virtual machine"),
        (Traces(cgroup="0::/", mounts=f"{KUBELET}\n"), False, "Kubernetes container"),
        (Traces(cgroup="0::/", mounts=f"{LXCFS}\n"), False, "LXC container"),
        (Traces(kernel_version="Linux version 6.6.87-custom-WSL2+ (me@there)"), True, "WSL"),
        (Traces(docker_file=True, clock_source="kvm-clock"), True, "Docker container in KVM"),
    ],
)
def test_names(traces: Traces, flag: bool, name: str) -> None:
    assert parse(traces, flag).or_none() == name


@pytest.mark.parametrize(
    "dmi",
    [
        "LENOVO 21CB000000", "Microsoft Corporation Surface Laptop 7", "Amazon EC2 c5.metal",
        "Amazon EC2 m7i.metal-24xl", "XPG XENIA 15",
        "ATEN KVMP", " ",
    ],
)
def test_bare_metal(dmi: str) -> None:
    fact = parse(Traces(dmi=dmi, clock_source="tsc"), False)
    assert isinstance(fact, Unknown)
    assert fact.kind is Missing.NOT_APPLICABLE


@pytest.mark.parametrize(
    "mounts",
    [
        "470 28 0:46 / /var/lib/lxcfs rw,nosuid,nodev,relatime - fuse.lxcfs lxcfs rw,user_id=0\n",
        "812 28 0:71 / /var/lib/kubelet/pods/6d0e/volumes/kubernetes.io~projected/x rw - tmpfs tmpfs rw\n",
    ],
)
def test_the_host_of_containers_is_none(mounts: str) -> None:
    assert isinstance(parse(Traces(cgroup="0::/user.slice", mounts=mounts), False), Unknown)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('NAME="X"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n', "Debian GNU/Linux 12 (bookworm)"),
        ("PRETTY_NAME='Arch Linux'", "Arch Linux"),
        ("PRETTY_NAME=\n", None),
        ("", None),
    ],
)
def test_os_release(text: str, name: str | None) -> None:
    assert parse_os_release(text) == name
