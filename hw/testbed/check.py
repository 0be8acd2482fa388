# SPDX-License-Identifier: BSD-3-Clause
"""Checks the machines of an inventory before a run: `ina testbed check`. It changes nothing on them."""

import platform
import re
import shlex
import subprocess

from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed import agent
from hw.testbed.inventory import is_pci
from hw.testbed.lab import PROGRAMS, digests_of, other_programs
from hw.testbed.machines import Machines
from hw.testbed.namespaces import MTU
from hw.testbed.probe import Finding, links_to_probe, probe, probe_by_programs

LEAST_FREE_BYTES = 16 * 2**20  # for programs and reports
MOST_CLOCK_ERROR_NS = 1_000_000
MOST_BUSY = 0.2  # share of the time in which a named core may be busy
# Drivers of ports for DPDK. Those of NVIDIA remain with the kernel.
DRIVERS = ("vfio-pci", "igb_uio", "uio_pci_generic", "mlx4_core", "mlx5_core")
PAGES_OF_PROCESS = 32  # of 2 MB
PAGES_OF_PORT = 2  # for each core


def check(inventory, programs):
    """Returns the findings of all machines, and the names of links that were not probed."""
    with Machines(inventory, list(inventory.machines)) as machines:
        findings = [unreachable(machine) for machine in machines.all.values() if machine.lost]
        reached = {name: one for name, one in machines.all.items() if not one.lost}
        libraries = needed_libraries(programs)
        requests = {name: facts_request(one.entry, inventory, libraries) for name, one in reached.items()}
        facts = machines.ask_all(requests)
        for name, machine in reached.items():
            findings += OneCheck(machine, facts[name], inventory, programs).findings()
        probed, others = links_to_probe(inventory, facts)
        findings += probe(machines, probed)
        found, not_probed = probe_by_programs(machines, programs, others)
        findings += found
    return findings, not_probed


def facts_request(entry, inventory, libraries):
    return {"do": "facts", "ports": entry.ports(), "libraries": libraries, "folder": inventory.folder}


def unreachable(machine):
    entry, text = machine.entry, str(machine.lost).partition(": ")[2]
    ssh = " ".join(["ssh", *config_of(machine), entry.ssh])
    mends = {
        "Permission denied": f"ssh-copy-id {' '.join([*copy_config_of(machine), entry.ssh])}",
        "Host key verification failed": f"{ssh}  # compare the key that it shows, and accept it",
        "HOST IDENTIFICATION HAS CHANGED": f"ssh-keygen -R {entry.ssh.rpartition('@')[2]}  # if that is right",
        "sudo:": f"{ssh} -t 'echo \"$USER ALL=(root) NOPASSWD: ALL\" | sudo tee /etc/sudoers.d/ina'",
        "python3": f"{ssh} -t 'sudo apt-get install -y python3'",
    }
    mend = next((mend for words, mend in mends.items() if words in text), f"{ssh} -v true  # shows why")
    return Finding(entry.name, text, mend)


def config_of(machine):
    config = machine.inventory.ssh_config
    return ["-F", shlex.quote(str(config))] if config else []


def copy_config_of(machine):
    return ["-o", f"-F{machine.inventory.ssh_config}"] if machine.inventory.ssh_config else []


class OneCheck:
    """The checks of one machine."""

    def __init__(self, machine, facts, inventory, programs):
        self.machine = machine
        self.entry = machine.entry
        self.facts = facts
        self.inventory = inventory
        self.programs = programs

    def findings(self):
        parts = (self.build, self.libraries, self.hugepages, self.space, self.clock, self.cores)
        for part in parts:
            yield from part()
        for placed in self.entry.processes.values():
            for peer, port in placed.ports.items():
                key = f"ports/{peer}" if placed.is_switch else "port"
                yield from self.port(port, f"/machines/{self.entry.name}/processes/{placed.name}/{key}")

    def finding(self, text, mend):
        return Finding(self.entry.name, text, mend)

    def on_machine(self, command):
        """A command that runs `command` on the machine."""
        command = f"sudo {command}" if self.facts["by_sudo"] else command
        return " ".join(["ssh", *config_of(self.machine), self.entry.ssh, shlex.quote(command)])

    def in_inventory(self, pointer, what):
        return f"in {self.inventory.path}, set {pointer} to {what}"

    def build(self):
        facts = self.facts
        if facts["architecture"] != platform.machine():
            yield self.finding(
                f"its processors are {facts['architecture']}, the programs are for {platform.machine()}",
                "build on such a machine",
            )
        elif is_native(self.programs):
            if missing := sorted(set(agent.processor_flags()) - set(facts["flags"])):
                yield self.finding(
                    f"the programs are built for this machine's processor (INA_NATIVE); missing on "
                    f"{facts['processor']}: {' '.join(missing[:5])}",
                    "INA_PRESET=release ./ina build",
                )
        if folder := self.entry.programs:
            wrong = [name for name, _ in other_programs(self.machine, digests_of(self.programs))]
            if wrong:
                source = " ".join(shlex.quote(self.programs.path(name)) for name in wrong)
                config = " ".join(config_of(self.machine))
                yield self.finding(
                    f"{folder}: not the same build: {', '.join(wrong)}",
                    f"scp {config + ' ' if config else ''}{source} {self.entry.ssh}:{folder}/",
                )

    def libraries(self):
        if missing := self.facts["missing_libraries"]:
            yield self.finding(
                f"libraries of the programs are missing: {', '.join(missing)}",
                self.on_machine("apt-get install -y --no-install-recommends libdpdk-dev libfmt-dev"),
            )

    def hugepages(self):
        using = [placed for placed in self.entry.processes.values() if placed.uses_nics()]
        needed = self.entry.hugepages or sum(pages_of(placed) for placed in using)
        if not needed:
            return
        if (free := self.facts["free_hugepages"]) < needed:
            path = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
            yield self.finding(
                f"{free} free hugepages of 2 MB; needed: {needed}",
                self.on_machine(f"sh -c 'echo $(($(cat {path}) + {needed - free})) >{path}'"),
            )
        if not self.facts["hugetlbfs"]:
            mount = "mkdir -p /dev/hugepages && mount -t hugetlbfs -o pagesize=2M none /dev/hugepages"
            yield self.finding("no hugetlbfs is mounted", self.on_machine(f"sh -c '{mount}'"))

    def space(self):
        if (free := self.facts["free_bytes"]) < LEAST_FREE_BYTES:
            yield self.finding(
                f"{self.inventory.folder}: {free // 2**20} MB free; needed: {LEAST_FREE_BYTES // 2**20} MB",
                self.in_inventory("/folder", "a folder with more space"),
            )

    def clock(self):
        error = self.machine.measure_clock().error_ns
        if error > MOST_CLOCK_ERROR_NS:
            yield self.finding(
                f"the connection measures its clock only within {error / 1e6:.1f} ms; needed: "
                f"{MOST_CLOCK_ERROR_NS / 1e6:g} ms",
                f"ping -c 20 {self.entry.ssh.rpartition('@')[2]}  # shows the round trips",
            )

    def cores(self):
        for placed in self.entry.processes.values():
            pointer = f"/machines/{self.entry.name}/processes/{placed.name}/cores"
            for core in placed.cores:
                if core not in self.facts["cores"]:
                    there = ", ".join(map(str, self.facts["cores"]))
                    yield self.finding(f"no core {core}", self.in_inventory(pointer, f"some of {there}"))
                elif (busy := self.facts["busy"].get(str(core), 0)) > MOST_BUSY:
                    yield self.finding(
                        f"core {core} of {placed.name} is busy for {busy:.0%} of the time",
                        self.on_machine(f"ps -eo psr,pcpu,pid,args --sort -pcpu | awk '$1 == {core}' | head")
                        + "  # and end these processes, or name another core",
                    )

    def port(self, port, pointer):
        facts = self.facts["ports"][port]
        if facts is None:
            what = "lspci -D" if is_pci(port) else "ip -br link"
            yield self.finding(
                f"no port {port}", f"{self.in_inventory(pointer, 'a port')} that `{what}` lists there"
            )
        elif port in self.facts["ssh_port"]:
            yield self.finding(f"{port} is the port that SSH uses", self.in_inventory(pointer, "another port"))
        elif is_pci(port):
            yield from self.nic(port, facts)
        else:
            yield from self.interface(port, facts)

    def nic(self, port, facts):
        driver = facts["driver"]
        if self.entry.driver and driver != self.entry.driver or driver not in DRIVERS:
            wanted = self.entry.driver or DRIVERS[0]
            yield self.finding(
                f"{port} has {f'the driver {driver}' if driver else 'no driver'}; needed: {wanted}",
                self.on_machine(f"dpdk-devbind.py --bind {wanted} {port}"),
            )
        elif driver == "vfio-pci" and not self.facts["iommu"]:
            grub = 's/^GRUB_CMDLINE_LINUX="/&intel_iommu=on iommu=pt /'
            yield self.finding(
                f"{port}: vfio-pci needs an IOMMU, which is off",
                self.on_machine(f"sh -c \"sed -i '{grub}' /etc/default/grub && update-grub && reboot\""),
            )

    def interface(self, port, facts):
        if facts["mtu"] < MTU:
            yield self.finding(
                f"{port} has an MTU of {facts['mtu']}; needed: {MTU}",
                self.on_machine(f"ip link set {port} mtu {MTU}"),
            )
        if not facts["up"]:
            yield self.finding(f"{port} is down", self.on_machine(f"ip link set {port} up"))
        elif not facts["carrier"]:
            yield self.finding(f"{port} has no carrier", "plug in its cable, or start the other end")
        if facts["addresses"]:
            yield self.finding(
                f"{port} has addresses, to which the kernel would answer: {', '.join(facts['addresses'])}",
                self.on_machine(f"ip address flush dev {port}"),
            )


def pages_of(placed):
    cores = max(len(placed.cores), 1)
    return PAGES_OF_PROCESS + PAGES_OF_PORT * len(placed.ports) * cores


def is_native(programs):
    try:
        cache = (programs.folder.parent / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(r"^INA_NATIVE:BOOL=(ON|1|TRUE)$", cache, flags=re.MULTILINE) is not None


def needed_libraries(programs):
    """Names of the shared libraries of the programs."""
    names = set()
    for program in PROGRAMS:
        printed = subprocess.run(
            ["ldd", programs.path(program)], capture_output=True, text=True, check=False
        )
        if printed.returncode != 0:
            raise CommandError(f"{programs.path(program)}: {printed.stderr.strip()}", ENVIRONMENT_ERROR)
        lines = (line.split() for line in printed.stdout.splitlines())
        names |= {words[0] for words in lines if "=>" in words}
    return sorted(names)
