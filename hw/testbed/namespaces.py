# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces, one per switch and host of an experiment, joined by veth pairs. They carry
only the programs' frames: no addresses, no ARP, no IPv6."""

import contextlib
import fcntl
import os
import subprocess
import sys
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.interrupts import undisturbed
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed import topology
from hw.testbed.topology import SWITCH

FOLDER = Path("/run/netns")  # folder of `ip netns`, which locks it
LOCK = Path("/run/ina-testbed.lock")

# MTU of the interfaces. The largest frames are SwitchML's with 366 values, 1516 bytes.
MTU = 1502

SET_UP = f"""
ipv6=/proc/sys/net/ipv6/conf/all/disable_ipv6
[ ! -e $ipv6 ] || echo 1 >$ipv6
for interface; do ip link set "$interface" mtu {MTU} arp off up || exit; done
"""


PERMITTED = "allowed: root, or in a user namespace (unshare -Urnm) with a tmpfs on /run"

VETH = "ina"
TAP = "ina-tap"


class Namespaces:
    """The namespaces of an experiment for one kind of links. An interface has the name of the
    namespace that it leads to. A process that makes or claims namespaces is their only user
    until it ends."""

    def __init__(self, experiment, kind=VETH):
        self.experiment = experiment
        self.kind = kind

    def named(self, space):
        return f"{self.kind}.{self.experiment}.{space}"

    def existing(self):
        if not FOLDER.is_dir():
            return []
        ours = self.named("")
        return sorted(
            path.name for path in FOLDER.iterdir() if path.name.rpartition(".")[0] + "." == ours
        )

    def exist(self):
        return self.existing() != []

    def up(self, links):
        """Makes the namespaces and their links, or nothing. They stay until down()."""
        if self.exist():
            raise CommandError(f"{self.experiment}: already up; allowed: ina testbed down, then up")
        with self.made(links) as undoing:
            undoing.pop_all()

    @contextlib.contextmanager
    def made(self, links):
        """Makes and claims the namespaces within this context. Yields the stack that removes
        them."""
        with contextlib.ExitStack() as undoing:
            with changing():
                if self.exist():
                    raise self.in_use()
                with undisturbed():
                    call(["ip", "netns", "add", self.named(SWITCH)])
                    undoing.enter_context(self.claimed())
                    undoing.callback(self.delete_in_turn)
            self.add_spaces(links)
            yield undoing

    @contextlib.contextmanager
    def taken_over(self, links):
        """Claims existing namespaces, or makes them within this context."""
        with contextlib.ExitStack() as stack:
            try:
                with changing():
                    stack.enter_context(self.claimed())
            except FileNotFoundError:
                stack.enter_context(self.made(links))
            self.require(links)
            yield

    @contextlib.contextmanager
    def made_anew(self):
        """Makes the switch's namespace within this context. Replaces namespaces that a killed
        process has left behind."""
        self.remove()
        with self.made([]):
            yield

    def remove(self):
        """Removes the namespaces unless another process has claimed them. Returns whether there
        were any."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(changing())
            if not self.exist():
                return False
            with contextlib.suppress(FileNotFoundError):  # the switch's is not among them
                stack.enter_context(self.claimed())
            self.delete()
            return True

    def add_spaces(self, links):
        interfaces = {SWITCH: []}  # by namespace
        for space in spaces_of(links):
            call(["ip", "netns", "add", self.named(space)])
            interfaces[space] = []
        for link in links:
            above, below = link.above.space, link.space
            call(
                ["ip", "link", "add", below, "netns", self.named(above), "type", "veth"]
                + ["peer", "name", above, "netns", self.named(below)]
            )
            interfaces[above].append(below)
            interfaces[below].append(above)
        for space, names in interfaces.items():
            self.set_up(space, names)

    def set_up(self, space, interfaces):
        call(self.command(space, ["sh", "-c", SET_UP, "sh", *interfaces]))

    def delete_in_turn(self):
        with undisturbed(), changing():
            self.delete()

    def delete(self):
        """Removes the existing namespaces, and with them their interfaces. The switch's is made
        first and removed last: a process that has claimed it has all of them."""
        with undisturbed():
            for name in sorted(self.existing(), key=self.named(SWITCH).__eq__):
                call(["ip", "netns", "delete", name])

    def require(self, links):
        """Raises CommandError if the namespaces are up for other links than these."""
        if missing := sorted(set(map(self.named, spaces_of(links))) - set(self.existing())):
            raise CommandError(
                f"{self.experiment}: up without {', '.join(missing)}; allowed: ina testbed down, "
                "and up with the same options as run"
            )

    @contextlib.contextmanager
    def claimed(self):
        """Keeps other processes from using the namespaces within this context. Raises
        FileNotFoundError if there are none."""
        with open(FOLDER / self.named(SWITCH), "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise self.in_use() from None
            yield

    def in_use(self):
        return CommandError(f"{self.experiment}: another run uses the namespaces; allowed: one run at a time")

    def command(self, space, command):
        """The command, extended to run in the namespace."""
        return ["nsenter", f"--net={FOLDER / self.named(space)}", *command]


@contextlib.contextmanager
def changing():
    """Keeps other testbeds from adding, claiming or removing namespaces within this context."""
    try:
        lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        text = f"namespaces: {LOCK}: {error.strerror}; {PERMITTED}"
        raise CommandError(text, ENVIRONMENT_ERROR) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def spaces_of(links):
    """The namespaces at the ends of the links, except SWITCH, which needs no link."""
    ends = (space for link in links for space in (link.above.space, link.space))
    return [space for space in dict.fromkeys(ends) if space != SWITCH]


def links_of(experiment):
    """The links of all runs between namespaces. Two runs may have the same link under different
    numbers."""
    return list(
        {
            (link.space, link.above.space): link
            for run in experiment["runs"]
            for link in topology.links_of(run["cluster"])
        }.values()
    )


def call(command):
    # The command has a session of its own, so that an interrupt of the terminal reaches only this
    # process. This process waits for the command, whose new namespaces would otherwise be left
    # behind.
    with undisturbed():
        done = subprocess.run(
            command,
            env=os.environ | {"LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
    if done.returncode != 0:
        reason = done.stderr.strip().replace("\n", "; ")
        forbidden = "not permitted" in reason or "Permission denied" in reason
        allowed = f"; {PERMITTED}" if forbidden else ""
        raise CommandError(f"namespaces: {reason}{allowed}", ENVIRONMENT_ERROR)


def enter_user_namespace():
    """Continues as root of a user namespace, in which any user may make namespaces. They all end
    with the process."""
    own = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    tried = subprocess.run([*own, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise CommandError(
            f"--links veth or tap: {tried.stderr.strip()}; allowed: as root, or a kernel that lets users "
            "make namespaces",
            ENVIRONMENT_ERROR,
        )
    script = 'mount -t tmpfs tmpfs /run && exec "$@"'
    os.execvp(own[0], [*own, "sh", "-c", script, "sh", *sys.orig_argv])
