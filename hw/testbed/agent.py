# SPDX-License-Identifier: BSD-3-Clause
"""The part of `./ina testbed --machines` that runs on each machine: starts and ends processes, and
forwards their output. ssh starts it from its text, so it uses only the standard library.

Requests arrive as lines of JSON on standard input, and answers and events leave as lines of JSON on
standard output. Standard input is the life line: when it ends, or when nothing has arrived for
LIFE_LINE_S, the agent kills all processes, removes its folder and ends.

Request: {"do": NAME, ...}, with "id" if an answer is expected: {"id": ..., "answer": ...} or
{"id": ..., "error": TEXT}. The methods of Agent whose names begin with "do_" are the requests.
"""

import base64
import contextlib
import ctypes
import fcntl
import json
import os
import platform
import selectors
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import zlib

LIFE_LINE_S = 5.0
TICK_S = 0.25  # interval at which carriers and files are looked at
READ_BYTES = 2**16
MOST_WAITING_BYTES = 2**20  # output of processes is not read while this much waits to be sent
PREFIX = "ina-testbed-"
MARKER = ".ina-scratch"
PR_SET_PDEATHSIG = 1
SIOCGIFFLAGS = 0x8913
IFF_RUNNING = 0x40
LIBC = ctypes.CDLL(None)


class Refused(Exception):
    """An error that is reported in one line."""


def packed(data):
    return base64.b64encode(zlib.compress(data, 1)).decode()


def unpacked(text):
    return zlib.decompress(base64.b64decode(text))


class Child:
    """A process that the agent has started. `number`: its name in requests and events."""

    def __init__(self, number, popen, watched):
        self.number = number
        self.popen = popen
        self.watched = watched  # a file whose content is reported when it changes
        self.seen = None
        self.end = os.pidfd_open(popen.pid)


class Agent:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.children = {}
        self.input = b""
        self.waiting = bytearray()  # bytes to be sent
        self.delayed = []  # (time in ns of the monotonic clock, number of the process, bytes)
        self.interfaces = {}  # those whose carrier is watched, with the last known state
        self.folder = None
        self.lock = None
        self.heard_at = self.ticked_at = time.monotonic()
        self.throttled = False

    # ---- the loop

    def run(self):
        os.set_blocking(0, False)
        os.set_blocking(1, False)
        self.selector.register(0, selectors.EVENT_READ, self.read_requests)
        self.send({"hello": 1, "pid": os.getpid()})
        while self.is_alive():
            self.set_output()
            for key, _ in self.selector.select(self.time_left_s()):
                if key.data() is False:
                    return
            self.write_delayed()
            self.tick()

    def is_alive(self):
        """Whether something arrived lately, or waits to be read after this process got no time."""
        return time.monotonic() - self.heard_at < LIFE_LINE_S or bool(select_readable([0], 0))

    def time_left_s(self):
        until = self.heard_at + LIFE_LINE_S
        if self.interfaces or any(child.watched for child in self.children.values()):
            until = min(until, self.ticked_at + TICK_S)
        if self.delayed:
            until = min(until, self.delayed[0][0] / 1e9)
        return max(until - time.monotonic(), 0)

    def set_output(self):
        """Writes what the connection takes, and reads output of processes only if not too much waits."""
        with contextlib.suppress(BlockingIOError):
            while self.waiting:
                del self.waiting[: os.write(1, self.waiting)]
        is_registered = 1 in self.selector.get_map()
        if bool(self.waiting) != is_registered:
            if self.waiting:
                self.selector.register(1, selectors.EVENT_WRITE, lambda: None)
            else:
                self.selector.unregister(1)
        if (len(self.waiting) > MOST_WAITING_BYTES) != self.throttled:
            self.throttled = not self.throttled
            for child in self.children.values():
                for stream, pipe in streams_of(child):
                    if self.throttled:
                        self.forget(pipe)
                    elif not pipe.closed:
                        self.listen(child, stream, pipe)

    def send(self, message):
        self.waiting += json.dumps(message).encode() + b"\n"

    def read_requests(self):
        """Returns False at the end of the life line."""
        try:
            data = os.read(0, READ_BYTES)
        except BlockingIOError:
            return True
        if not data:
            return False
        self.heard_at = time.monotonic()
        *lines, self.input = (self.input + data).split(b"\n")
        for line in lines:
            self.obey(json.loads(line))
        return True

    def obey(self, request):
        try:
            answer = getattr(self, f"do_{request['do']}")(request)
        except Refused as error:
            answer = {"error": str(error)}
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            answer = {"error": f"{where}{error.strerror}"}
        else:
            answer = {"answer": answer}
        if "id" in request:
            self.send({"id": request["id"], **answer})

    # ---- requests

    def do_ping(self, request):
        """Answers with the time of the monotonic clock."""
        self.send({"pong": request["sent"], "at": time.monotonic_ns()})

    def do_open(self, request):
        """Makes the agent's folder below `request["folder"]`, and returns its path. Removes folders
        of agents that were killed."""
        parent = request["folder"]
        os.makedirs(parent, mode=0o755, exist_ok=True)
        check_owner(parent)
        remove_orphans(parent)
        self.folder = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
        self.lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        # Written after the lock, so that a marked folder is always locked.
        write_file(os.path.join(self.folder, MARKER), marker_of(self.folder), 0o600)
        return self.folder

    def do_put(self, request):
        """Makes a file, or appends a further part to it."""
        path = self.inside(request["path"])
        if request.get("appends"):
            with open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW), "wb") as file:
                file.write(unpacked(request["data"]))
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_file(path, unpacked(request["data"]), request["mode"])

    def do_clear(self, request):
        """Makes an empty folder, in place of what is there."""
        path = self.inside(request["path"])
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)

    def do_get(self, request):
        """The files in a folder, by name."""
        path = self.inside(request["path"])
        files = {}
        for name in os.listdir(path):
            with open(os.path.join(path, name), "rb") as file:
                files[name] = packed(file.read())
        return files

    def do_start(self, request):
        """Starts a process. Its end is reported even if it could not be started."""
        number = request["process"]
        cores = request.get("cores")

        def begin():
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != own:
                os._exit(1)
            if cores:
                os.sched_setaffinity(0, cores)

        own = os.getpid()
        folder = request.get("folder")
        try:
            popen = subprocess.Popen(
                request["words"],
                cwd=os.path.expanduser("~") if folder is None else self.inside(folder),
                env=os.environ | request.get("environment", {}),
                stdin=subprocess.PIPE if request.get("input") else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                preexec_fn=begin,
            )
        except (OSError, subprocess.SubprocessError) as error:
            why = error.strerror if isinstance(error, OSError) else f"cannot start on cores {cores}"
            self.send({"process": number, "error": f"{request['words'][0]}: {why}"})
            return
        watched = request.get("watched")
        child = self.children[number] = Child(number, popen, watched and self.inside(watched))
        for stream, pipe in streams_of(child):
            os.set_blocking(pipe.fileno(), False)
            self.listen(child, stream, pipe)
        self.selector.register(child.end, selectors.EVENT_READ, lambda: self.reap(child))

    def do_input(self, request):
        """Writes to a process, or closes its standard input. `request["at"]`: not before this time
        of the monotonic clock, in ns."""
        child = self.children.get(request["process"])
        if child is None or child.popen.stdin is None:
            return
        if "data" not in request:
            child.popen.stdin.close()
        else:
            self.delayed.append((request.get("at", 0), child.number, request["data"].encode()))
            self.delayed.sort(key=lambda one: one[0])

    def do_signal(self, request):
        """Sends a signal to a process, or SIGKILL to all processes of its session."""
        child = self.children.get(request["process"])
        if child is None:
            return
        if request["signal"] == signal.SIGKILL:
            kill_group(child.popen)
        else:
            child.popen.send_signal(request["signal"])

    def do_watch_carriers(self, request):
        self.interfaces = dict.fromkeys(request["interfaces"], True)

    def do_facts(self, request):
        """Facts about the machine. `request["interfaces"]` and `request["cores"]` are of interest."""
        return facts(request)

    def do_digests(self, request):
        return digests(request["folder"], request["names"])

    def do_probe(self, request):
        """Sends frames on each interface, and returns which were received where."""
        return probe(request["interfaces"], request["sizes"], request["seconds"])

    # ---- processes

    def listen(self, child, stream, pipe):
        self.selector.register(
            pipe, selectors.EVENT_READ, lambda: self.forward(child, stream, pipe)
        )

    def forget(self, pipe):
        with contextlib.suppress(KeyError, ValueError):
            self.selector.unregister(pipe)

    def forward(self, child, stream, pipe):
        """Forwards available output. Returns True at its end."""
        try:
            data = os.read(pipe.fileno(), READ_BYTES)
        except BlockingIOError:
            return None
        if data:
            text = base64.b64encode(data).decode()
            self.send({"process": child.number, "stream": stream, "data": text})
            return None
        self.forget(pipe)
        pipe.close()
        return True

    def reap(self, child):
        """Reports the end of a process, after its output."""
        for stream, pipe in streams_of(child):
            if not pipe.closed:
                left = waiting_in(pipe)  # others may hold the pipe open and write to it
                while left > 0:
                    data = os.read(pipe.fileno(), min(left, READ_BYTES))
                    left -= len(data)
                    text = base64.b64encode(data).decode()
                    self.send({"process": child.number, "stream": stream, "data": text})
                self.forget(pipe)
                pipe.close()
        self.report_watched(child)
        self.selector.unregister(child.end)
        os.close(child.end)
        if child.popen.stdin:
            with contextlib.suppress(OSError):
                child.popen.stdin.close()
        del self.children[child.number]
        self.send({"process": child.number, "status": child.popen.wait()})

    def write_delayed(self):
        while self.delayed and self.delayed[0][0] <= time.monotonic_ns():
            _, number, data = self.delayed.pop(0)
            child = self.children.get(number)
            if child and not child.popen.stdin.closed:
                with contextlib.suppress(BrokenPipeError):  # its end is reported
                    child.popen.stdin.write(data)

    def tick(self):
        if time.monotonic() - self.ticked_at < TICK_S:
            return
        self.ticked_at = time.monotonic()
        for child in self.children.values():
            self.report_watched(child)
        for interface, was_up in self.interfaces.items():
            is_up = has_carrier(interface)
            self.interfaces[interface] = is_up
            if was_up and not is_up:
                self.send({"interface": interface})

    def report_watched(self, child):
        if child.watched is None:
            return
        with contextlib.suppress(FileNotFoundError):
            with open(child.watched, "rb") as file:
                content = file.read()
            if content != child.seen:
                child.seen = content
                self.send({"process": child.number, "watched": packed(content)})

    # ---- the end

    def end(self):
        for child in self.children.values():
            kill_group(child.popen)
        for child in self.children.values():
            child.popen.wait()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
            with contextlib.suppress(OSError):  # others are in it
                os.rmdir(os.path.dirname(self.folder))

    # ---- files

    def inside(self, path):
        """The absolute path of a file in the agent's folder."""
        if self.folder is None or os.path.isabs(path) or ".." in path.split("/"):
            raise Refused(f"{path}: not below the folder of the run")
        return os.path.join(self.folder, path)


def streams_of(child):
    return ((1, child.popen.stdout), (2, child.popen.stderr))


def waiting_in(pipe):
    waiting = bytearray(4)
    fcntl.ioctl(pipe.fileno(), 0x541B, waiting)  # FIONREAD
    return struct.unpack("i", waiting)[0]


def kill_group(popen):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(popen.pid, signal.SIGKILL)


def write_file(path, data, mode):
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with open(os.open(path, flags, mode), "wb") as file:
        file.write(data)


def check_owner(folder):
    """Refuses a folder in which another user could replace files that the agent runs."""
    there = os.lstat(folder)
    if not stat.S_ISDIR(there.st_mode) or there.st_uid != os.geteuid() or there.st_mode & 0o022:
        raise Refused(f"{folder}: not a folder of the agent's user alone; allowed: one that only root may write")


def marker_of(folder):
    """The marker contains the folder's path, because a copied or renamed folder belongs to the user."""
    return b"folder of ina testbed: " + os.fsencode(os.path.realpath(folder)) + b"\n"


def remove_orphans(parent):
    """Removes the folders of agents that no longer live."""
    for name in os.listdir(parent):
        folder = os.path.join(parent, name)
        if not name.startswith(PREFIX):
            continue
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with open(os.open(MARKER, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=lock), "rb") as marker:
                if marker.read() == marker_of(folder):
                    shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # its agent lives, or it is not an agent's
        finally:
            os.close(lock)


def has_carrier(interface):
    """Whether the interface exists, is up and has a carrier."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", interface.encode()[:15], 0)
        try:
            flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))[1]
        except OSError:
            return False
    return bool(flags & IFF_RUNNING)


# ---- facts about the machine, for `./ina testbed check`


def facts(request):
    """`request["interfaces"]`: names and PCI addresses of ports."""
    before = processor_times()
    began = time.monotonic()
    found = {
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "processor": processor_model(),
        "flags": processor_flags(),
        "cores": sorted(os.sched_getaffinity(0)),
        "missing_libraries": missing_libraries(request["libraries"]),
        "free_hugepages": number_in("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"),
        "hugetlbfs": any(line.split()[2] == "hugetlbfs" for line in lines_of("/proc/mounts")),
        "iommu": bool(names_in("/sys/class/iommu")),
        "ports": {port: port_facts(port) for port in request["ports"]},
        "ssh_port": port_of_address(sys.argv[1:2]),
        "free_bytes": free_bytes(request["folder"]),
        "by_sudo": "sudo" in sys.argv[2:],
    }
    time.sleep(max(0.3 - (time.monotonic() - began), 0))
    found["busy"] = busy_cores(before, processor_times())
    return found


def lines_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def names_in(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def number_in(path):
    lines = lines_of(path)
    return int(lines[0]) if lines else 0


def field_of_processor(*keys):
    for line in lines_of("/proc/cpuinfo"):
        key, _, value = line.partition(":")
        if key.strip() in keys:
            return value.strip()
    return ""


def processor_model():
    return field_of_processor("model name", "CPU part")


def processor_flags():
    return sorted(field_of_processor("flags", "Features").split())


def processor_times():
    """(busy, all) jiffies since the start, by core."""
    times = {}
    for line in lines_of("/proc/stat"):
        name, *counts = line.split()
        if name.startswith("cpu") and name[3:].isdigit():
            counts = [int(count) for count in counts[:8]]
            times[int(name[3:])] = (sum(counts) - counts[3] - counts[4], sum(counts))
    return times


def busy_cores(before, after):
    """Shares of the time in which cores were busy."""
    shares = {}
    for core, (busy, total) in after.items():
        first_busy, first_total = before.get(core, (busy, total))
        shares[str(core)] = (busy - first_busy) / max(total - first_total, 1)
    return shares


def missing_libraries(names):
    printed = subprocess.run(
        ["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    ).stdout.decode(errors="replace")
    there = {line.split()[0] for line in printed.splitlines() if line.startswith("\t")}
    return [name for name in names if name not in there]


def digests(folder, names):
    """Checksums of files; None: there is no such file."""
    found = {}
    for name in names:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = f"{zlib.crc32(file.read()):08x}"
        except OSError:
            found[name] = None
    return found


def free_bytes(folder):
    """Free bytes for the files of a run, in the nearest existing parent folder."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    there = os.statvfs(folder)
    return there.f_bavail * there.f_frsize


def is_pci_address(port):
    return ":" in port


def port_facts(port):
    """Facts about a port, given by its interface or PCI address; None: there is none."""
    if is_pci_address(port):
        device = f"/sys/bus/pci/devices/{port}"
        if not os.path.isdir(device):
            return None
        return {"driver": driver_of(device), "interfaces": names_in(f"{device}/net")}
    if port not in interfaces():
        return None
    return {
        "driver": driver_of(f"/sys/class/net/{port}/device"),
        "mtu": interface_number(port, 0x8921),  # SIOCGIFMTU
        "up": bool(interface_number(port, SIOCGIFFLAGS, "H") & 1),  # IFF_UP
        "carrier": has_carrier(port),
        "addresses": addresses().get(port, []),
    }


def driver_of(device):
    try:
        return os.path.basename(os.readlink(f"{device}/driver"))
    except OSError:
        return ""


def interfaces():
    return [name for _, name in socket.if_nameindex()]


def interface_number(interface, request, form="i"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        given = struct.pack("16s24x", interface.encode()[:15])
        found = fcntl.ioctl(any_socket, request, given)
        return struct.unpack_from(form, found, 16)[0]


def addresses():
    """The addresses of interfaces, as texts."""
    done = subprocess.run(
        ["ip", "-j", "address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        return {}
    return {
        one["ifname"]: [info["local"] for info in one.get("addr_info", []) if "local" in info]
        for one in json.loads(done.stdout or b"[]")
        if "ifname" in one
    }


def port_of_address(connection):
    """The interface of this machine that SSH uses, and its PCI address if it has one. `connection`:
    the variable SSH_CONNECTION."""
    words = connection[0].split() if connection else []
    if len(words) != 4:
        return []
    address = words[2].partition("%")[0]
    for interface, own in addresses().items():
        if address in own:
            device = os.path.realpath(f"/sys/class/net/{interface}/device")
            return [interface, os.path.basename(device)]
    return []


# ---- the probe of links

PROBE_TYPE = 0x88B5  # an EtherType for local experiments
PROBE_DESTINATION = bytes.fromhex("02000000fffd")  # an address that no port has
BROADCAST = bytes.fromhex("ffffffffffff")  # destination of the smallest frames
SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP = 1
PACKET_MR_PROMISC = 1
PROBE_EVERY_S = 0.1


def probe(names, sizes, seconds):
    """`names`: identifications of this machine's interfaces, by interface. Returns, for each
    interface, [identification, size] of the received frames, or the error as text."""
    with contextlib.ExitStack() as stack:
        received = {interface: [] for interface in names}
        errors = {}
        sockets = {}
        for interface in names:
            try:
                sockets[interface] = stack.enter_context(probe_socket(interface))
            except OSError as error:
                errors[interface] = error.strerror
        until = time.monotonic() + seconds
        while (now := time.monotonic()) < until:
            for interface, one in sockets.items():
                for size in sizes:
                    try:
                        destination = BROADCAST if size == min(sizes) else PROBE_DESTINATION
                        one.send(probe_frame(destination, names[interface], size))
                    except OSError as error:
                        errors.setdefault(interface, f"{size} bytes: {error.strerror}")
            turn = min(now + PROBE_EVERY_S, until)
            while (left := turn - time.monotonic()) > 0:
                ready = select_readable(sockets.values(), left)
                for interface, one in sockets.items():
                    if one in ready:
                        note_frame(one, received[interface])
        return {"received": received, "errors": errors}


def select_readable(sockets, seconds):
    with selectors.DefaultSelector() as selector:
        for one in sockets:
            selector.register(one, selectors.EVENT_READ)
        return [key.fileobj for key, _ in selector.select(seconds)]


def probe_socket(interface):
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(PROBE_TYPE))
    try:
        one.bind((interface, PROBE_TYPE))
        index = socket.if_nametoindex(interface)
        member = struct.pack("iHH8s", index, PACKET_MR_PROMISC, 0, b"")
        one.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, member)
        one.setblocking(False)
    except OSError:
        one.close()
        raise
    return one


def probe_frame(destination, identification, frame_bytes):
    head = destination + bytes.fromhex("020000000001") + struct.pack("!H", PROBE_TYPE)
    return (head + json.dumps(identification).encode() + b"\n").ljust(frame_bytes, b"\0")


def note_frame(one, received):
    try:
        data, address = one.recvfrom(READ_BYTES)
    except OSError:
        return
    if address[2] == socket.PACKET_OUTGOING:
        return
    try:
        found = [json.loads(data[14:].partition(b"\n")[0]), len(data)]
    except ValueError:
        return
    if found not in received:
        received.append(found)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    agent = Agent()
    try:
        agent.run()
    except BrokenPipeError:
        pass  # the connection has ended
    finally:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        agent.end()


if __name__ == "__main__":
    main()
