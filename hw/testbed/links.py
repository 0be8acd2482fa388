# SPDX-License-Identifier: BSD-3-Clause
"""What joins the processes of a run: for each kind of link the DPDK devices at its ends, and where
a process has to be started to find them."""

import contextlib

from hw.testbed.namespaces import HOST_INTERFACE, Namespaces, links_of

# Rings that stay in the cache: 2^9 buffers, which hold any frame, and of a size that is no power of
# two, so that they do not all fall into the same sets of it.
MEMIF_RINGS = "rsize=9,bsize=1152"
AF_PACKET_FRAMES = 1024  # that a port holds each way: windows that wait for their reader


class Memif:
    """Shared memory: no kernel in the path, any user. One socket for all, in the run's folder."""

    name = "memif"

    @classmethod
    def joining(cls, _experiment):
        return contextlib.nullcontext(cls())

    def at_switch(self, folder, _link, host):
        return self.device(folder, host, "server")

    def at_host(self, folder, host):
        """Without copies, which only clients can do: the switch reads and writes their buffers."""
        return self.device(folder, host, "client") + ",zero-copy=yes"

    def device(self, folder, host, role):
        """The socket's path must be absolute."""
        socket = f"socket={folder}/memif.sock,socket-abstract=no"
        return f"net_memif{host},role={role},id={host},{MEMIF_RINGS},{socket}"

    def command(self, _link, command):
        return command


class Veth:
    """Veth pairs between network namespaces, by AF_PACKET sockets."""

    name = "veth"

    def __init__(self, spaces):
        self.spaces = spaces

    @classmethod
    @contextlib.contextmanager
    def joining(cls, experiment):
        """Namespaces that are up stay up; others are there for as long as this is entered."""
        spaces = Namespaces(experiment["name"])
        links = links_of(experiment)
        with contextlib.ExitStack() as stack:
            if not spaces.exist():
                stack.enter_context(spaces.made(links))
            stack.enter_context(spaces.claimed())
            spaces.require(links)
            yield cls(spaces)

    def at_switch(self, _folder, link, host):
        return self.device(host, link)

    def at_host(self, _folder, host):
        return self.device(host, HOST_INTERFACE)

    def device(self, host, interface):
        return f"net_af_packet{host},iface={interface},framecnt={AF_PACKET_FRAMES}"

    def command(self, link, command):
        return self.spaces.command(link, command)


KINDS = {kind.name: kind for kind in (Memif, Veth)}
