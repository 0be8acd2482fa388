#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A laboratory of namespaces in place of machines: each has its own network, mounts, processes, host name
and clocks, an SSH server, and a small file system for its files. As a program, it makes a laboratory
and keeps it until it is interrupted:

    laboratory.py FOLDER [--workers 8] [--servers 1]
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MTU = 1502
DAY_S = 86400
FILES_MB = 32
NETWORK = "10.213"  # prefix of the management networks, one for each laboratory
PORT = 2222

# The first process of a machine. $1: its name, $2: its folder, $3: size of its files.
BEGIN = """
set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs -o size=$3,mode=755 tmpfs "$2/files"
mount -t tmpfs tmpfs /run
mkdir -p /run/sshd /var/tmp "$2/files/home"
mount --bind "$2/files" /var/tmp
mount --bind "$2/files/home" /root
hostname "$1"
ip link set lo up
trap : TERM
echo ready
read -r _
exec /usr/sbin/sshd -D -f "$2/sshd_config" -E "$2/sshd.log"
"""


def missing():
    """The reason why there can be no laboratory here, or nothing."""
    if os.geteuid() != 0:
        return "not root"
    for tool in ("sshd", "ssh", "ssh-keygen", "unshare", "nsenter", "ip", "ps", "pkill"):
        if not shutil.which(tool, path=PATH):
            return f"no {tool}"
    own = ["unshare", "--net", "--mount", "--pid", "--uts", "--time", "--fork", "--mount-proc"]
    done = subprocess.run([*own, "true"], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def call(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")


class NamespaceMachine:
    """`pid`: the first process of the machine, its SSH server."""

    def __init__(self, name, folder, address, offset_s, files_mb):
        self.name = name
        self.folder = folder / name
        self.address = address
        (self.folder / "files").mkdir(parents=True)
        self.write_configuration(folder)
        own = ["unshare", "--net", "--mount", "--pid", "--uts", "--time", "--fork", "--kill-child"]
        if offset_s:
            own += ["--monotonic", str(offset_s), "--boottime", str(offset_s)]
        words = [*own, "sh", "-c", BEGIN, "sh", name, str(self.folder), f"{files_mb}m"]
        self.popen = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # unshare complains when its child is killed
            text=True,
            start_new_session=True,
        )
        if self.popen.stdout.readline() != "ready\n":
            raise RuntimeError(f"{name}: its namespaces cannot be made")
        children = Path(f"/proc/{self.popen.pid}/task/{self.popen.pid}/children").read_text()
        self.pid = int(children.split()[0])

    def write_configuration(self, folder):
        key = self.folder / "host_key"
        call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        (self.folder / "sshd_config").write_text(
            f"Port {PORT}\nListenAddress {self.address}\nHostKey {key}\nPidFile none\n"
            f"AuthorizedKeysFile {folder}/user_key.pub\nStrictModes no\nPermitRootLogin yes\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nUseDNS no\nPrintMotd no\n"
        )

    def start_sshd(self):
        self.popen.stdin.write("\n")
        self.popen.stdin.flush()

    def command(self, *words):
        """A command that runs on the machine."""
        return ["nsenter", f"--target={self.pid}", "--all", "--", *map(str, words)]

    def call(self, *words):
        call(*self.command(*words))

    def output(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, check=True).stdout

    def processes(self):
        """The command lines of the machine's processes, except the SSH server's."""
        listed = self.output("ps", "-eo", "args", "--no-headers").splitlines()
        others = ("ps -eo", "sshd", "/usr/sbin/sshd")
        return [line for line in listed if not line.startswith(others)]

    def kill(self):
        """Kills the first process of the machine, and with it all others."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.popen.wait()

    def end(self):
        self.kill()
        self.popen.stdin.close()
        self.popen.stdout.close()


class Laboratory:
    """A context. One machine runs the software switch, and has a cable to each of the other machines."""

    def __init__(self, folder, workers=8, servers=1, offsets_s=None, files_mb=FILES_MB):
        self.folder = Path(folder).resolve()
        self.hosts = [f"host{number}" for number in range(workers)]
        self.hosts += [f"ps{number}" for number in range(servers)]
        self.offsets_s = offsets_s or {}
        self.files_mb = files_mb
        self.machines = {}
        self.bridge = None
        self.network = None
        self.inventory = self.folder / "lab.json"

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def make(self):
        self.folder.mkdir(exist_ok=True)
        call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "user_key")
        self.add_bridge()
        names = [*(f"server-{host}" for host in self.hosts), "server-switch"]
        for number, name in enumerate(names):
            offset = self.offsets_s.get(name, 0)
            address = f"{self.network}.{number + 2}"
            machine = NamespaceMachine(name, self.folder, address, offset, self.files_mb)
            self.machines[name] = machine
            self.connect(machine, number)
        for host in self.hosts:
            self.cable(host)
        for machine in self.machines.values():
            machine.start_sshd()
        self.write_files()
        self.wait_for_servers()

    def add_bridge(self):
        """Makes the management network, under a number that no other laboratory has."""
        for number in range(256):
            with contextlib.suppress(RuntimeError):
                call("ip", "link", "add", f"inalab{number}", "type", "bridge")
                self.bridge, self.network = f"inalab{number}", f"{NETWORK}.{number}"
                break
        call("ip", "address", "add", f"{self.network}.1/24", "dev", self.bridge)
        call("ip", "link", "set", self.bridge, "up")

    def connect(self, machine, number):
        """Connects a machine to the management network."""
        here = f"{self.bridge}.{number}"
        call("ip", "link", "add", here, "type", "veth", "peer", "name", "mgmt", "netns", machine.pid)
        call("ip", "link", "set", here, "master", self.bridge, "up")
        machine.call("ip", "address", "add", f"{machine.address}/24", "dev", "mgmt")
        machine.call("ip", "link", "set", "mgmt", "up")

    def cable(self, host):
        """Connects a host's port `data` to the switch's port with the host's name."""
        switch, machine = self.machines["server-switch"], self.machines[f"server-{host}"]
        call(
            *("ip", "link", "add", host, "netns", switch.pid, "mtu", MTU, "type", "veth"),
            *("peer", "name", "data", "netns", machine.pid, "mtu", MTU),
        )
        for one, interface in ((switch, host), (machine, "data")):
            one.call("sh", "-c", f"echo 1 >/proc/sys/net/ipv6/conf/{interface}/disable_ipv6 || true")
            one.call("ip", "link", "set", interface, "arp", "off", "up")

    def write_files(self):
        config, known = [], []
        for name, machine in self.machines.items():
            config += [f"Host {name}", f"  HostName {machine.address}"]
            key = (machine.folder / "host_key.pub").read_text()
            known.append(f"[{machine.address}]:{PORT} {key}")
        config += ["Host *", "  User root", f"  Port {PORT}", f"  IdentityFile {self.folder}/user_key"]
        config += ["  IdentitiesOnly yes", f"  UserKnownHostsFile {self.folder}/known_hosts"]
        (self.folder / "ssh_config").write_text("\n".join(config) + "\n")
        (self.folder / "known_hosts").write_text("".join(known))
        self.write_inventory()

    def content(self):
        machines = {
            f"server-{host}": {"ssh": f"server-{host}", "processes": {host: {"port": "data"}}}
            for host in self.hosts
        }
        ports = {host: host for host in self.hosts}
        machines["server-switch"] = {"ssh": "server-switch", "processes": {"switch": {"ports": ports}}}
        return {"ssh_config": "ssh_config", "machines": machines}

    def write_inventory(self, content=None):
        text = json.dumps(content or self.content(), indent=2)
        self.inventory.write_text(text + "\n")

    def ssh(self, name, *words):
        command = ["ssh", "-F", self.folder / "ssh_config", "-o", "BatchMode=yes", name, *words]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)

    def wait_for_servers(self):
        until = time.monotonic() + 60
        for name in self.machines:
            while (done := self.ssh(name, "true")).returncode != 0:
                if time.monotonic() > until:
                    raise RuntimeError(f"{name}: {done.stderr.strip()}")
                time.sleep(0.1)

    def end(self):
        for machine in self.machines.values():
            machine.end()
        if self.bridge:
            call("ip", "link", "delete", self.bridge)


def main():
    parser = argparse.ArgumentParser(description="Makes a laboratory of namespaces until it is interrupted.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="new folder for its files")
    parser.add_argument("--workers", metavar="NUMBER", type=int, default=8)
    parser.add_argument("--servers", metavar="NUMBER", type=int, default=1)
    options = parser.parse_args()
    if reason := missing():
        sys.exit(f"laboratory: {reason}")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        with Laboratory(options.folder, options.workers, options.servers) as laboratory:
            print(f"{laboratory.inventory}", flush=True)
            while True:
                time.sleep(3600)


if __name__ == "__main__":
    main()
