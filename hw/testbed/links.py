# SPDX-License-Identifier: BSD-3-Clause
"""Links between the processes of a run. Each kind of links defines the DPDK devices at both ends
(at the switch above, and at the switch or host below), the namespaces to start the processes in,
and a way to join the devices once all processes run."""

import contextlib
import os
import tempfile
import time

from hw.commands.errors import CommandError
from hw.testbed.namespaces import MTU, TAP, Namespaces, call, links_of
from hw.testbed.scratch import bytes_of_paths_in
from hw.testbed.this_machine import HERE
from hw.testbed.topology import SWITCH, switches_of

# Rings that fit into the cache: 2^9 buffers, of a size that is not a power of two, so that they do
# not all map to the same cache sets. Each buffer holds any frame, up to an MTU. Smaller buffers are
# unsafe: if one is free and a frame takes two, DPDK's eth_memif_tx lets its count of free buffers
# wrap below 0, and the reader gets old frames.
MEMIF_RINGS = "rsize=9,bsize=1664"
MOST_SOCKET_BYTES = 107  # longest path of a Unix socket, without the terminating 0
OF_DRIVER = ".dpdk"  # suffix of ina-switch's second socket, which it makes for DPDK's driver
AF_PACKET_FRAMES = 1024  # capacity of a port per direction: windows that wait for their reader


# Bridges do not learn addresses. Reminders and SwitchML's updates have their sender's address as
# destination, so a bridge that knows its location would drop them.
BRIDGE = f"""
ip link add "b$1" type bridge forward_delay 0 mcast_snooping 0
for end in "s$1" "h$1"; do
    ip link set "$end" mtu {MTU} master "b$1"
    bridge link set dev "$end" learning off
done
ip link set "b$1" up
"""

REMOVE_BRIDGES = """
ip -o link show type bridge | while IFS=': ' read -r _ bridge _; do
    ip link delete "$bridge"
done
"""


class Links:
    """A kind of links. `name`: value of --links."""

    name = ""
    in_namespaces = True

    @classmethod
    def check(cls, _experiment):
        """Refuses folders for temporary files that this kind of links cannot use."""

    def join(self, _links):
        """Joins the devices of running processes."""

    # ---- the machines of the processes; on this one unless the kind says otherwise

    def machine_of(self, _name):
        """The machine on which a process runs."""
        return HERE

    def cores_of(self, _name):
        """The processors to which a process is pinned; empty: any."""
        return ()

    def options_of(self, _name):
        """Further options of a process's program."""
        return []

    def is_hardware(self, _switch):
        """Whether the switch is no process of the testbed."""
        return False

    def folder_of_run(self, folder):
        """The folder of a run on the machines. `folder`: that of this command."""
        return folder

    def prepare(self, _folder):
        """Prepares the folders on the machines."""

    def beginning_ns(self):
        """The time of the monotonic clock at which a run begins whose processes are ready."""
        return time.monotonic_ns()

    def hardware(self, _planned):
        """A context in which the hardware switches serve a planned run."""
        return contextlib.nullcontext()

    def collect(self, _folder):
        """Fetches the reports of a run into `folder`. Returns the clocks of other machines, by name."""
        return {}


class Memif(Links):
    """Shared memory: no kernel in the path, available to any user. Each switch has a socket in the
    run's folder."""

    name = "memif"
    in_namespaces = False

    @classmethod
    def joining(cls, _experiment):
        return contextlib.nullcontext(cls())

    @classmethod
    def check(cls, experiment):
        """Refuses a TMPDIR whose path cannot be part of a socket's path or of a device."""
        parent = tempfile.gettempdir()
        shown = "".join(one if one.isprintable() else "?" for one in parent)
        if {",", "="} & set(parent):
            raise CommandError(
                f'TMPDIR: "{shown}"; allowed: a path without commas and equals signs, which DPDK takes '
                "for parts of a memif device"
            )
        switches = (one for run in experiment["runs"] for one in switches_of(run["cluster"]))
        longest = max(len(f"/{cls.socket_name(one)}{OF_DRIVER}") for one in switches)
        most = MOST_SOCKET_BYTES - longest - bytes_of_paths_in("")
        if (found := len(os.fsencode(parent))) > most:
            raise CommandError(
                f'TMPDIR: "{shown}" has {found} bytes; allowed: at most {most}, because the sockets '
                f"below it have paths of at most {MOST_SOCKET_BYTES}"
            )

    @staticmethod
    def socket_name(switch):
        return f"{switch.number}.sock"

    def above(self, folder, link, _cores):
        return self.device(folder, link, "server")

    def below(self, folder, link, _cores=1):
        return self.device(folder, link, "client")

    def device(self, folder, link, role):
        """Name of a device. The path of its socket must be absolute."""
        socket = f"socket={folder}/{self.socket_name(link.above)},socket-abstract=no"
        return f"net_memif{link.number},role={role},id={link.number},{MEMIF_RINGS},{socket}"

    def command(self, _space, command):
        return command


class Veth(Links):
    """Veth pairs between network namespaces, through AF_PACKET sockets. The switch has one socket
    per core."""

    name = "veth"

    def __init__(self, spaces):
        self.spaces = spaces

    @classmethod
    @contextlib.contextmanager
    def joining(cls, experiment):
        """Makes namespaces that exist only within this context, unless they are up already."""
        spaces = Namespaces(experiment["name"])
        with spaces.taken_over(links_of(experiment)):
            yield cls(spaces)

    def above(self, _folder, link, cores):
        return self.device(link, link.space, cores)

    def below(self, _folder, link, cores=1):
        return self.device(link, link.above.space, cores)

    def device(self, link, interface, queues):
        options = f"framecnt={AF_PACKET_FRAMES},qpairs={queues}"
        return f"net_af_packet{link.number},iface={interface},{options}"

    def command(self, space, command):
        return self.spaces.command(space, command)


class Tap(Links):
    """Interfaces that the processes make themselves in one network namespace. Bridges join them in
    pairs."""

    name = "tap"

    def __init__(self, space):
        self.space = space

    @classmethod
    @contextlib.contextmanager
    def joining(cls, experiment):
        """Makes a namespace that exists only within this context."""
        space = Namespaces(experiment["name"], TAP)
        with space.made_anew():
            yield cls(space)

    def above(self, _folder, link, _cores):
        return f"net_tap{link.number},iface=s{link.number}"

    def below(self, _folder, link, _cores=1):
        return f"net_tap{link.number},iface=h{link.number}"

    def command(self, _space, command):
        return self.space.command(SWITCH, command)

    def join(self, links):
        """Replaces the bridges of the previous run. Its taps have ended with their processes."""
        call(self.space.command(SWITCH, ["sh", "-ec", REMOVE_BRIDGES]))
        for link in links:
            call(self.space.command(SWITCH, ["sh", "-ec", BRIDGE, "sh", str(link.number)]))


KINDS = {kind.name: kind for kind in (Memif, Veth, Tap)}
