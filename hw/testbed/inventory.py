# SPDX-License-Identifier: BSD-3-Clause
"""The inventory of a laboratory: its machines, and the processes and ports on each of them. The file's
schema is lab.schema.json, and docs/how-to/several-machines.md describes it."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.json_input import only_keys, read_json, refuse

FOLDER = "/var/tmp/ina"
# Destinations of ssh. The first character is no "-", because ssh would take the word for an option.
DESTINATION = r"(?!-)(ssh://)?[A-Za-z0-9_.@:%\[\]-]{1,255}"
NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
PATH = r"/[A-Za-z0-9_./+-]{0,200}"
PCI = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
INTERFACE = r"(?!\.{1,2}$)[A-Za-z0-9_.-]{1,15}"
DRIVER = r"[A-Za-z0-9_-]{1,64}"
ADDRESS = r"[A-Za-z0-9_.\[\]:-]{1,255}:\d{1,5}"
MOST_CORE = 1023
MOST_HUGEPAGES = 2**20
AF_PACKET_FRAMES = 1024  # capacity of an interface per direction: windows that wait for their reader


@dataclass(frozen=True)
class Placed:
    """A process of the scenario on a machine. `ports`: interfaces or PCI addresses by the name of
    the peer; a host has the only peer "". `cores`: empty if the process is not pinned."""

    name: str
    ports: dict
    cores: tuple

    @property
    def is_switch(self):
        return "" not in self.ports

    def uses_nics(self):
        return any(is_pci(port) for port in self.ports.values())


@dataclass(frozen=True)
class MachineEntry:
    name: str
    ssh: str
    processes: dict  # Placed by name
    programs: str | None  # folder of installed programs; None: they are copied
    driver: str | None  # expected driver of ports that are given by PCI address
    hugepages: int | None  # required free ones, of 2 MB; None: computed

    def ports(self):
        return [port for placed in self.processes.values() for port in placed.ports.values()]

    def cores(self):
        return [core for placed in self.processes.values() for core in placed.cores]


@dataclass(frozen=True)
class Tofino:
    """A hardware switch. `cabling`: path of its cabling file."""

    name: str
    bfrt: str
    cabling: Path


@dataclass(frozen=True)
class Inventory:
    path: Path
    machines: dict  # by name
    tofinos: dict = field(default_factory=dict)  # by name of the switch
    ssh_config: Path | None = None
    folder: str = FOLDER

    def machine_of(self, process):
        """The machine of a process, or None."""
        for machine in self.machines.values():
            if process in machine.processes:
                return machine
        return None


def is_pci(port):
    return re.fullmatch(PCI, port) is not None


def device_of(port, number, queues=1):
    """DPDK device of a port."""
    if is_pci(port):
        return port
    return f"net_af_packet{number},iface={port},framecnt={AF_PACKET_FRAMES},qpairs={queues}"


def read_inventory(path):
    """Raises CommandError."""
    content = only_keys(
        read_json(path, "an inventory of machines"),
        f"{path}",
        ["machines"],
        ["$schema", "ssh_config", "folder", "tofinos"],
    )
    if "$schema" in content and not isinstance(content["$schema"], str):
        refuse(f"{path}: /$schema", content["$schema"], "a text")
    machines = {}
    entries = object_of(content["machines"], f"{path}: /machines", "an object with a machine for each name")
    for name, fields in entries.items():
        machines[name] = read_machine(name, fields, f"{path}: /machines/{name}")
    inventory = Inventory(
        path,
        machines,
        read_tofinos(content.get("tofinos", {}), path),
        read_file(content["ssh_config"], path, "/ssh_config") if "ssh_config" in content else None,
        text_of(content.get("folder", FOLDER), f"{path}: /folder", PATH, "an absolute path"),
    )
    check_folder(inventory.folder, f"{path}: /folder")
    check_names(inventory)
    return inventory


def object_of(found, place, allowed):
    if not isinstance(found, dict) or not found:
        refuse(place, found, allowed)
    return found


def text_of(found, place, pattern, allowed):
    if not isinstance(found, str) or not re.fullmatch(pattern, found, flags=re.ASCII):
        refuse(place, found, allowed)
    return found


def read_file(found, path, pointer):
    """The path of an existing file, relative to the inventory."""
    place = f"{path}: {pointer}"
    if not isinstance(found, str) or not found or "\0" in found:
        refuse(place, found, "the path of a file, relative to the inventory")
    file = path.parent / found
    if not file.is_file():
        refuse(place, found, "the path of an existing file, relative to the inventory")
    return file


def check_folder(folder, place):
    """Runs have folders below this one; it must not be a system folder itself."""
    if folder.strip("/").count("/") < 1 or ".." in folder.split("/"):
        refuse(place, folder, f'a folder of its own, such as "{FOLDER}"')


def read_machine(name, fields, place):
    if not re.fullmatch(NAME, name, flags=re.ASCII):
        refuse(place, name, "names of letters, digits, _, . and -")
    fields = only_keys(fields, place, ["ssh", "processes"], ["programs", "driver", "hugepages"])
    ssh = text_of(fields["ssh"], f"{place}/ssh", DESTINATION, "a destination of ssh, such as root@server0")
    optional = {
        "programs": (PATH, "an absolute path of a folder"),
        "driver": (DRIVER, "the name of a driver, such as vfio-pci"),
    }
    texts = {
        key: text_of(fields[key], f"{place}/{key}", *rule) if key in fields else None
        for key, rule in optional.items()
    }
    processes = {}
    entries = object_of(
        fields["processes"], f"{place}/processes", "an object with host0, ps0 ..., or names of switches"
    )
    for process, placed in entries.items():
        processes[process] = read_placed(process, placed, f"{place}/processes/{process}")
    pages = fields.get("hugepages")
    if pages is not None and not (type(pages) is int and 1 <= pages <= MOST_HUGEPAGES):
        refuse(f"{place}/hugepages", pages, f"a whole number from 1 to {MOST_HUGEPAGES}")
    machine = MachineEntry(name, ssh, processes, texts["programs"], texts["driver"], pages)
    check_once(machine, place)
    return machine


def read_placed(name, fields, place):
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name, flags=re.ASCII):
        refuse(place, name, "host0, ps0 ..., or the name of a switch")
    is_host = re.fullmatch(r"(host|ps)(0|[1-9]\d{0,4})", name, flags=re.ASCII) is not None
    fields = only_keys(fields, place, ["port" if is_host else "ports"], ["cores"])
    if is_host:
        ports = {"": read_port(fields["port"], f"{place}/port")}
    else:
        allowed = "an object with the port to host0, ps0 ..., or to another switch, for each"
        entries = object_of(fields["ports"], f"{place}/ports", allowed)
        ports = {peer: read_port(port, f"{place}/ports/{peer}") for peer, port in entries.items()}
    cores = read_cores(fields.get("cores", []), f"{place}/cores")
    if is_host and len(cores) > 1:
        refuse(f"{place}/cores", list(cores), "one core: a worker or server has one thread")
    return Placed(name, ports, cores)


def read_port(found, place):
    allowed = "an interface, such as eth0, or a PCI address, such as 0000:01:00.0"
    return text_of(found, place, f"{PCI}|{INTERFACE}", allowed)


def read_cores(found, place):
    if not isinstance(found, list):
        refuse(place, found, "a list of numbers of processors")
    for at, core in enumerate(found):
        if type(core) is not int or not 0 <= core <= MOST_CORE:
            refuse(f"{place}/{at}", core, f"0 to {MOST_CORE}")
        if core in found[:at]:
            refuse(f"{place}/{at}", core, "each processor once")
    return tuple(found)


def check_once(machine, place):
    """Checks that no port and no core has two uses on the machine."""
    used = {}
    for placed in machine.processes.values():
        key = "ports" if placed.is_switch else "port"
        uses = [(f"port {port}", f"{key}/{peer}".rstrip("/"), port) for peer, port in placed.ports.items()]
        uses += [(f"core {core}", f"cores/{at}", core) for at, core in enumerate(placed.cores)]
        for use, pointer, found in uses:
            if use in used:
                where = f"{place}/processes/{placed.name}/{pointer}"
                refuse(where, found, f"one that {used[use]} does not have")
            used[use] = placed.name


def read_tofinos(found, path):
    place = f"{path}: /tofinos"
    if not isinstance(found, dict):
        refuse(place, found, "an object with a switch for each name")
    tofinos = {}
    for name, fields in found.items():
        own = f"{place}/{name}"
        text_of(name, own, r"[A-Za-z0-9_-]{1,64}", "the name of a switch")
        fields = only_keys(fields, own, ["bfrt", "cabling"])
        bfrt = text_of(fields["bfrt"], f"{own}/bfrt", ADDRESS, "HOST:PORT")
        tofinos[name] = Tofino(name, bfrt, read_file(fields["cabling"], path, f"/tofinos/{name}/cabling"))
    return tofinos


def check_names(inventory):
    """Checks that each process and each destination is named once."""
    owners = {name: f"/tofinos/{name}" for name in inventory.tofinos}
    destinations = {}
    for machine in inventory.machines.values():
        place = f"{inventory.path}: /machines/{machine.name}"
        if machine.ssh in destinations:
            allowed = f"one machine for each destination; {destinations[machine.ssh]} has this one"
            refuse(f"{place}/ssh", machine.ssh, allowed)
        destinations[machine.ssh] = machine.name
        for name in machine.processes:
            if name in owners:
                refuse(f"{place}/processes/{name}", name, f"each process once; {owners[name]} has it, too")
            owners[name] = f"/machines/{machine.name}"


def check_complete(inventory, needed):
    """Checks that the inventory has the processes of a run with all of their ports. `needed`: the
    names of the peers, by name of each process; those of a host are empty."""
    needed = {name: peers for name, peers in needed.items() if name not in inventory.tofinos}
    for name, peers in needed.items():
        if inventory.machine_of(name) is None:
            where = "/tofinos or /machines/*/processes" if peers else "/machines/*/processes"
            allowed = f"an entry in {where} for each process of the scenario"
            raise CommandError(f"{inventory.path}: no {name}; allowed: {allowed}")
    for name, peers in needed.items():
        machine = inventory.machine_of(name)
        ports = machine.processes[name].ports
        if missing := [peer for peer in peers if peer not in ports]:
            place = f"{inventory.path}: /machines/{machine.name}/processes/{name}/ports"
            raise CommandError(f"{place}: no {', '.join(missing)}; allowed: a port for each link of the switch")
