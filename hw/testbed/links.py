# SPDX-License-Identifier: BSD-3-Clause
"""What joins the processes of a run: for each kind of link the DPDK devices at its ends, at the switch
above and at what hangs there, where a process has to be started to find them, and what joins them
when all are there."""

import contextlib
import os
import tempfile

from hw.commands.errors import CommandError
from hw.testbed.namespaces import MTU, TAP, Namespaces, call, links_of
from hw.testbed.scratch import bytes_of_paths_in
from hw.testbed.topology import SWITCH, switches_of

# Rings that stay in the cache: 2^9 buffers, of a size that is no power of two, so that they do not
# all fall into the same sets of it. Each holds any frame, up to an MTU: if one buffer is free and a
# frame takes two, DPDK's eth_memif_tx counts the free ones below 0, and the reader gets old frames.
MEMIF_RINGS = "rsize=9,bsize=1664"
MOST_SOCKET_BYTES = 107  # longest path of a Unix socket, without the 0 at its end
OF_DRIVER = ".dpdk"  # suffix of the second socket that ina-switch makes, for DPDK's driver
AF_PACKET_FRAMES = 1024  # that a port holds each way: windows that wait for their reader


# Bridges that learn nothing: reminders and SwitchML's updates have their sender's address as their
# destination, and would be dropped by one that knows where that is.
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
    """A kind of links. `name`: of --links."""

    name = ""
    in_namespaces = True

    @classmethod
    def check(cls, _experiment):
        """Refuses a folder for temporary files on which something depends."""

    def join(self, _links):
        """Joins the devices of processes that run."""


class Memif(Links):
    """Shared memory: no kernel in the path, any user. A socket a switch, in the run's folder."""

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
        """The socket's path must be absolute."""
        socket = f"socket={folder}/{self.socket_name(link.above)},socket-abstract=no"
        return f"net_memif{link.number},role={role},id={link.number},{MEMIF_RINGS},{socket}"

    def command(self, _space, command):
        return command


class Veth(Links):
    """Veth pairs between network namespaces, by AF_PACKET sockets, of which the switch has one for
    each of its cores."""

    name = "veth"

    def __init__(self, spaces):
        self.spaces = spaces

    @classmethod
    @contextlib.contextmanager
    def joining(cls, experiment):
        """Namespaces that are up stay up; others are there for as long as this is entered."""
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
    """Interfaces that the processes make themselves, in one network namespace, joined pair by pair
    by bridges."""

    name = "tap"

    def __init__(self, space):
        self.space = space

    @classmethod
    @contextlib.contextmanager
    def joining(cls, experiment):
        """The namespace is there for as long as this is entered."""
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
        """Taps go with their processes, but the bridges of the run before have stayed."""
        call(self.space.command(SWITCH, ["sh", "-ec", REMOVE_BRIDGES]))
        for link in links:
            call(self.space.command(SWITCH, ["sh", "-ec", BRIDGE, "sh", str(link.number)]))


KINDS = {kind.name: kind for kind in (Memif, Veth, Tap)}
