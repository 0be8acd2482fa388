# SPDX-License-Identifier: BSD-3-Clause
"""Links of kind `machines`: the processes of a run are on the machines of an inventory, whose ports
are cabled."""

import contextlib
import os
import stat
import time
import zlib
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed import topology
from hw.testbed.commands import BINDING
from hw.testbed.hardware import loaded, tofinos_of
from hw.testbed.inventory import check_complete, device_of, is_pci
from hw.testbed.links import Links
from hw.testbed.machines import RUN, Machines, packed, unpacked

COPY = "copy"  # the user's folder
MARGIN_NS = 50_000_000  # from the decision to begin to the beginning, in addition to round trips
PROGRAMS = ("ina-worker", "ina-ps", "ina-switch")
PART_BYTES = 2**20  # of a file that is copied


class LabLinks(Links):
    """The machines of an inventory, connected."""

    name = "machines"
    in_namespaces = False

    def __init__(self, inventory, machines, names=None):
        """`names`: the machines that are used (default: all)."""
        self.inventory = inventory
        self.machines = machines
        self.used = {name: machines.all[name] for name in names or machines.all}
        self.clocks = {}  # measured before the run, by name of the machine

    @classmethod
    @contextlib.contextmanager
    def connected(cls, inventory, experiment, programs, copied=()):
        """Connects to the machines of an experiment within this context, and copies the programs.
        `copied`: further pairs of local path and path below the folder of the agent."""
        with Machines(inventory, machines_of(inventory, experiment)) as machines:
            machines.require()
            lab = cls(inventory, machines)
            lab.open()
            lab.check_programs(programs)
            lab.install(programs, copied)
            yield lab

    def open(self):
        """Makes the folder of this command on each machine."""
        answers = self.ask_all({"do": "open", "folder": self.inventory.folder})
        for name, folder in answers.items():
            self.used[name].folder = folder

    def install(self, programs, copied):
        """Copies the programs to machines on which they are not installed, and other files to all."""
        own = [(Path(programs.path(name)), f"bin/{name}") for name in PROGRAMS]
        lacking = [name for name, one in self.used.items() if not one.entry.programs]
        self.copy(own, lacking)
        self.copy(copied, list(self.used))

    def copy(self, files, names):
        for path, there in files:
            for request in parts_of(path, there):
                self.machines.ask_all(dict.fromkeys(names, request))

    def check_programs(self, programs):
        """Refuses installed programs of another build."""
        own = digests_of(programs)
        for machine in self.used.values():
            for name, found in other_programs(machine, own):
                what = "another build" if found else "no such file"
                raise CommandError(
                    f"{machine.name}: {machine.entry.programs}/{name}: {what}; allowed: the build in "
                    f"{programs.folder}, or an inventory without /machines/{machine.name}/programs",
                    ENVIRONMENT_ERROR,
                )

    def ask_all(self, request):
        return self.machines.ask_all(dict.fromkeys(self.used, request))

    def start_commands_in_copy(self):
        for machine in self.used.values():
            machine.folder_of_commands = COPY

    def placed(self, name):
        return self.inventory.machine_of(name).processes[name]

    # ---- as the other kinds of links

    def machine_of(self, name):
        return self.machines.all[self.inventory.machine_of(name).name]

    def cores_of(self, name):
        return self.placed(name).cores

    def options_of(self, name):
        placed = self.placed(name)
        return ["--hugepages"] * placed.uses_nics() + ["--poll"] * bool(placed.cores)

    def is_hardware(self, switch):
        return switch.name in self.inventory.tofinos

    def hardware(self, planned):
        return loaded(self.inventory, planned)

    def above(self, _folder, link, cores):
        port = self.placed(link.above.name).ports[link.name]
        return device_of(port, link.number, cores)

    def below(self, _folder, link, cores=1):
        placed = self.placed(link.name)
        port = placed.ports[link.above.name if placed.is_switch else ""]
        return device_of(port, link.number, cores)

    def command(self, _space, command):
        return command

    def folder_of_run(self, _folder):
        return RUN

    def prepare(self, folder):
        """Copies the run's cluster file to an empty folder on each machine."""
        self.ask_all({"do": "clear", "path": RUN})
        self.ask_all({"do": "clear", "path": f"{RUN}/reports"})
        self.copy([(folder / "cluster.json", f"{RUN}/cluster.json")], list(self.used))

    def beginning_ns(self):
        """Measures the clocks. Returns a time at which all machines can begin."""
        for name, machine in self.used.items():
            self.clocks[name] = machine.clock = machine.measure_clock()
            interfaces = [port for port in machine.entry.ports() if not is_pci(port)]
            machine.send({"do": "watch_carriers", "interfaces": interfaces})
        longest = max(clock.error_ns for clock in self.clocks.values())
        return time.monotonic_ns() + 4 * longest + MARGIN_NS

    def collect(self, folder):
        """Fetches the reports of a run into the local folder. Returns the machines' clocks."""
        for files in self.ask_all({"do": "get", "path": f"{RUN}/reports"}).values():
            for name, data in files.items():
                if "/" not in name:
                    (folder / "reports" / name).write_bytes(unpacked(data))
        return {name: self.clock_of(machine) for name, machine in self.used.items()}

    def clock_of(self, machine):
        """The clock of a machine during a run, measured again at its end."""
        before, after = self.clocks[machine.name], machine.measure_clock()
        drift, drift_error = after.drift_since(before)
        return {
            "error_us": round(max(before.error_ns, after.error_ns) / 1000, 3),
            "drift_ppm": round(drift, 3),
            "drift_error_ppm": round(drift_error, 3),
        }


def machines_of(inventory, experiment):
    """The names of the machines that the runs need. Raises CommandError if the inventory lacks
    processes or ports."""
    names = {}
    for run in experiment["runs"]:
        tofinos_of(inventory, run)
        needed = needed_ports(run["cluster"])
        check_complete(inventory, needed)
        names |= {inventory.machine_of(one).name: None for one in needed if one not in inventory.tofinos}
    return list(names)


def needed_ports(cluster):
    """Names of the peers to which a process has ports, by its name. Those of hosts are not named."""
    needed = {switch.name: [] for switch in topology.switches_of(cluster)}
    for link in topology.links_of(cluster):
        needed[link.above.name].append(link.name)
        if link.name in needed:
            needed[link.name].append(link.above.name)
        else:
            needed[link.name] = []
    return needed


def placement_of(inventory, experiment):
    """The processes of each machine, for the manifest."""
    return {name: sorted(inventory.machines[name].processes) for name in machines_of(inventory, experiment)}


def digests_of(programs):
    """Checksums of the programs that run on machines, by name."""
    try:
        return {name: f"{zlib.crc32(Path(programs.path(name)).read_bytes()):08x}" for name in PROGRAMS}
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}", ENVIRONMENT_ERROR) from None


def other_programs(machine, own):
    """Name and checksum of each program installed on a machine whose checksum is not that in `own`.
    A missing file has no checksum."""
    folder = machine.entry.programs
    found = machine.ask({"do": "digests", "folder": folder, "names": list(own)}) if folder else own
    return [(name, found[name]) for name in own if found[name] != own[name]]


def parts_of(path, there):
    """Requests to write a copy of a local file, in parts between which the agent answers others."""
    try:
        with open(path, "rb") as file:
            mode = 0o755 if os.fstat(file.fileno()).st_mode & stat.S_IXUSR else 0o644
            request = {"do": "put", "path": there, "mode": mode, "data": packed(file.read(PART_BYTES))}
            yield request
            while data := file.read(PART_BYTES):
                yield request | {"data": packed(data), "appends": True}
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", ENVIRONMENT_ERROR) from None


def files_of_commands(programs, folder):
    """The files that commands of the user need, and those of their folder, if there is one."""
    files = [(Path(programs.library()), "lib/libina.so")]
    files += [(path, f"python/{path.name}") for path in sorted(BINDING.glob("*.py"))]
    return files + (files_below(folder) if folder else [])


def files_below(folder):
    """Pairs of local path and path below COPY, of all files in the user's folder."""
    if not folder.is_dir():
        raise CommandError(f"--copy: {folder}; allowed: a folder")
    pairs = []
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(parent, name)
            if not path.is_file():
                raise CommandError(f"--copy: {path}; allowed: folders and regular files")
            pairs.append((path, f"{COPY}/{path.relative_to(folder)}"))
    return pairs
