# SPDX-License-Identifier: BSD-3-Clause
"""Other machines on which processes of a run start, reached by an agent over SSH. A Machine has the
methods of ThisMachine."""

import base64
import contextlib
import json
import os
import selectors
import shlex
import signal
import subprocess
import threading
import time
import traceback
import zlib
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.interrupts import begin_child, undisturbed
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed.clock import Clock
from hw.testbed.remote_process import RemoteProcess

CONNECT_S = 5
START_S = 30  # from the start of ssh to the agent's first message
EVERY_S = 1.0  # interval of pings
SILENCE_S = 5.0  # longest silence of an agent
END_S = 5.0
PINGS = 20  # of a measurement of the clock
MOST_LINE_BYTES = 2**27
RUN = "run"  # folder of a run on each machine, below the agent's
SSH = (
    "ssh", "-T", "-x", "-a",
    "-o", "BatchMode=yes",
    "-o", "StrictHostKeyChecking=yes",
    "-o", f"ConnectTimeout={CONNECT_S}",
    "-o", "ConnectionAttempts=1",
    "-o", "ServerAliveInterval=2",
    "-o", "ServerAliveCountMax=2",
    "-o", "ClearAllForwardings=yes",
    "-o", "ControlPath=none",
    "-o", "RemoteCommand=none",
    "-o", "LogLevel=ERROR",
)  # fmt: skip
AGENT = Path(__file__).with_name("agent.py")


class MachineError(CommandError):
    """A machine that is lost: further runs would fail, too."""

    def __init__(self, machine, message):
        super().__init__(message, ENVIRONMENT_ERROR)
        self.machine = machine


def unpacked(text):
    return zlib.decompress(base64.b64decode(text))


def packed(data):
    return base64.b64encode(zlib.compress(data, 1)).decode()


def ssh_command(entry, inventory):
    """The command that starts the agent. The remote shell gets a constant text: everything that
    users choose is sent to the agent."""
    text = base64.b64encode(zlib.compress(AGENT.read_bytes(), 9)).decode()
    python = f"/usr/bin/python3 -I -c \"import base64,zlib;exec(zlib.decompress(base64.b64decode('{text}')))\""
    script = (
        f'if [ "$(id -u)" = 0 ]; then exec {python} "$SSH_CONNECTION"; '
        f'else exec sudo -n {python} "$SSH_CONNECTION" sudo; fi'
    )
    config = ["-F", str(inventory.ssh_config)] if inventory.ssh_config else []
    return [*SSH, *config, "--", entry.ssh, f"exec sh -c {shlex.quote(script)}"]


class Machine:
    """A connection to the agent of a machine. Its methods for users may be called by one thread,
    while the thread of Machines reads and writes."""

    def __init__(self, entry, inventory, machines):
        self.entry = entry
        self.name = entry.name
        self.inventory = inventory
        self.machines = machines
        self.lock = machines.lock
        self.changed = machines.changed
        self.output = bytearray()
        self.input = b""
        self.errors = b""  # last lines of ssh
        self.said_hello = False
        self.lost = None  # MachineError
        self.heard_at = time.monotonic()
        self.answers = {}
        self.requests = 0
        self.processes = {}
        self.started = 0
        self.pongs = []  # (sent, at the agent, received), in ns
        self.folder = None  # of the agent
        self.folder_of_commands = None  # below it; None: the user's home
        self.clock = None
        self.popen = subprocess.Popen(
            ssh_command(entry, inventory),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=begin_child,
        )
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            os.set_blocking(pipe.fileno(), False)

    # ---- for users

    def label(self, name):
        return f"{self.name}: {name}"

    def program(self, _programs, name):
        if self.entry.programs:
            return f"{self.entry.programs}/{name}"
        return f"{self.folder}/bin/{name}"

    def send(self, request):
        with self.lock:
            if self.lost:
                return
            self.output += json.dumps(request).encode() + b"\n"
            self.write()
            rest = bool(self.output)
        if rest:
            self.machines.wake()

    def ask(self, request, timeout_s=60.0):
        """Sends a request and waits for its answer. Raises CommandError."""
        return self.answer_to(self.begin_request(request), timeout_s)

    def begin_request(self, request):
        with self.lock:
            self.requests += 1
            number = self.requests
        self.send(request | {"id": number})
        return number

    def answer_to(self, number, timeout_s=60.0):
        with self.changed:
            self.changed.wait_for(lambda: number in self.answers or self.lost, timeout_s)
            if number in self.answers:
                answer = self.answers.pop(number)
            elif self.lost:
                raise self.lost
            else:
                raise MachineError(self.name, f"{self.name}: no answer within {timeout_s:g} s")
        if "error" in answer:
            raise CommandError(f"{self.name}: {answer['error']}", ENVIRONMENT_ERROR)
        return answer["answer"]

    def start(self, command, folder, name, cores, captures_errors=False):
        """Starts a process in a folder of the agent. Its errors are printed here, or in a pipe."""
        process = self.new_process(name, forwards_errors=not captures_errors)
        self.send(
            {"do": "start", "process": process.number, "words": command, "folder": folder}
            | {"cores": list(cores), "input": True}
        )
        return process

    def new_process(self, name, forwards_errors):
        with self.lock:
            self.started += 1
            process = RemoteProcess(self, self.started, self.label(name), forwards_errors)
            self.processes[process.number] = process
            if self.lost:
                process.take_end(failure=self.lost)
        return process

    def start_command(self, words, environment, name, presence, _piped, cores):
        """Starts a command in a process namespace, which ends with it."""
        process = self.new_process(name, forwards_errors=False)
        process.watched = presence
        own = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--", *words]
        self.send(
            {"do": "start", "process": process.number, "words": own, "folder": self.folder_of_commands}
            | {"cores": list(cores), "environment": environment}
            | {"watched": f"{RUN}/{presence.name}"}
        )
        return process

    def path_in_run(self, _folder, name):
        return f"{self.folder}/{RUN}/{name}"

    def library(self, _programs):
        installed = self.entry.programs
        return f"{installed}/../lib/libina.so" if installed else f"{self.folder}/lib/libina.so"

    def environment(self, defaults, ours, _binding):
        return defaults | ours | {"PYTHONPATH": f"{self.folder}/python"}

    @contextlib.contextmanager
    def end_of(self, command):
        yield command.end.reader

    def kill_session(self, command):
        command.kill()

    def begin(self, process, beginning_ns):
        """Starts the run's clock in the process, at a time of this command's monotonic clock."""
        own = beginning_ns + self.clock.offset_ns
        process.popen.stdin.write(f"start {own}\n".encode(), own)

    def measure_clock(self):
        """Measures the difference between the machine's monotonic clock and this one's, over the
        round trip that took the shortest time."""
        with self.lock:
            self.pongs.clear()
        for number in range(PINGS):
            self.send({"do": "ping", "sent": time.monotonic_ns()})
            with self.changed:
                self.changed.wait_for(lambda: len(self.pongs) > number or self.lost, SILENCE_S)
                if self.lost:
                    raise self.lost
        with self.lock:
            if not self.pongs:
                raise MachineError(self.name, f"{self.name}: no answer within {SILENCE_S:g} s")
            return Clock.of(self.pongs)

    # ---- for the thread

    def read(self):
        """Reads and obeys messages. Returns False at the end of the connection."""
        try:
            data = os.read(self.popen.stdout.fileno(), 2**18)
        except BlockingIOError:
            return True
        now = time.monotonic_ns()
        if not data:
            return False
        self.heard_at = time.monotonic()
        self.input += data
        if len(self.input) > MOST_LINE_BYTES:
            self.lose("found too long a line from the agent")
            return False
        *lines, self.input = self.input.split(b"\n")
        for line in lines:
            self.obey(line, now)
        return True

    def obey(self, line, now):
        if not self.said_hello:  # a login shell may print other lines
            self.said_hello = line.startswith(b'{"hello": 1')
            return
        try:
            message = json.loads(line)
        except ValueError:
            self.lose("found a line from the agent that is not JSON")
            return
        if "id" in message:
            self.answers[message["id"]] = message
        elif "pong" in message:
            self.pongs.append((message["pong"], message["at"], now))
        elif "interface" in message:
            self.lose_carrier(message["interface"])
        elif process := self.processes.get(message.get("process")):
            self.tell(process, message)

    def tell(self, process, message):
        if "stream" in message:
            process.take(message["stream"], base64.b64decode(message["data"]))
        elif "watched" in message:
            with contextlib.suppress(OSError):
                Path(process.watched).write_bytes(unpacked(message["watched"]))
        elif "error" in message:
            text = f"{process.label}: {message['error']}"
            process.take_end(failure=CommandError(text, ENVIRONMENT_ERROR))
        else:
            process.take_end(message["status"])
            del self.processes[process.number]

    def lose_carrier(self, interface):
        for placed in self.entry.processes.values():
            for peer, port in placed.ports.items():
                if port == interface:
                    to = f" to {peer}" if peer else ""
                    text = f"{self.label(placed.name)}: the port{to}, {port}, has no carrier any more"
        self.end_processes(CommandError(text, ENVIRONMENT_ERROR))

    def read_errors(self):
        try:
            data = os.read(self.popen.stderr.fileno(), 2**16)
        except BlockingIOError:
            return True
        self.errors = (self.errors + data)[-4096:]
        return bool(data)

    def write(self):
        before = len(self.output)
        try:
            while self.output:
                del self.output[: os.write(self.popen.stdin.fileno(), self.output[: 2**16])]
        except BlockingIOError:
            # Answers to pings wait behind a long transfer, which only continues if the agent reads.
            if len(self.output) < before:
                self.heard_at = time.monotonic()
        except OSError:
            self.output.clear()  # the end of ssh is noticed elsewhere

    def lose(self, why):
        if self.lost:
            return
        names = ", ".join(process.label.partition(": ")[2] for process in self.processes.values())
        there = f"; lost there: {names}" if names else ""
        self.lost = MachineError(self.name, f"{self.name}: {why}{there}")
        self.output.clear()
        self.end_processes(self.lost)

    def end_processes(self, error):
        for process in list(self.processes.values()):
            process.take_end(failure=error)

    def why_ended(self):
        """The reason why ssh has ended, from its last lines."""
        lines = [line.strip() for line in self.errors.decode(errors="replace").splitlines()]
        said = [line for line in lines if line]
        text = "; ".join("".join(c if c.isprintable() else "?" for c in line) for line in said[-2:])
        if self.said_hello:
            return f"the connection ended{f' ({text})' if text else ''}"
        return f"ssh {self.entry.ssh}: {text or f'ended with status {self.popen.poll()}'}"


class Machines:
    """A context: connections to machines, which a thread serves. All agents have removed their
    folders when it ends, as far as they can be reached."""

    def __init__(self, inventory, names):
        self.inventory = inventory
        self.names = names
        self.all = {}  # by name
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.slow_sinks = set()
        self.wake_reader, self.wake_writer = os.pipe()
        os.set_blocking(self.wake_writer, False)
        os.set_blocking(self.wake_reader, False)
        self.closing = False
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        try:
            with undisturbed():
                for name in self.names:
                    self.all[name] = Machine(self.inventory.machines[name], self.inventory, self)
                self.thread.start()
            self.wait_for_agents()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def wait_for_agents(self):
        until = time.monotonic() + START_S
        with self.changed:
            for machine in self.all.values():
                while not (machine.said_hello or machine.lost):
                    left = until - time.monotonic()
                    if left <= 0:
                        text = f"ssh {machine.entry.ssh}: no agent within {START_S} s"
                        machine.lose(text)
                        break
                    self.changed.wait(min(left, 0.5))

    def lost(self):
        return [machine.lost for machine in self.all.values() if machine.lost]

    def require(self):
        """Raises the errors of lost machines as one."""
        if lost := self.lost():
            others = f"; not reached either: {', '.join(one.machine for one in lost[1:])}"
            raise MachineError(lost[0].machine, f"{lost[0]}{others if lost[1:] else ''}")

    def ask_all(self, requests, timeout_s=60.0):
        """Answers by name of the machine. `requests`: by name of the machine."""
        numbers = {name: self.all[name].begin_request(one) for name, one in requests.items()}
        return {name: self.all[name].answer_to(number, timeout_s) for name, number in numbers.items()}

    def close(self):
        with undisturbed():
            with self.lock:
                self.closing = True
            self.wake()
            if self.thread.is_alive():
                self.thread.join()
            until = time.monotonic() + END_S
            for machine in self.all.values():
                with contextlib.suppress(OSError):
                    machine.popen.stdin.close()
            for machine in self.all.values():
                self.end_ssh(machine, until)
            for descriptor in (self.wake_reader, self.wake_writer):
                if descriptor is not None:
                    os.close(descriptor)
            self.wake_reader = self.wake_writer = None

    def end_ssh(self, machine, until):
        """Waits until the agent has ended, which ends ssh."""
        os.set_blocking(machine.popen.stdout.fileno(), True)
        try:
            if machine.lost:
                machine.popen.kill()
            machine.popen.wait(max(until - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            machine.popen.kill()
            machine.popen.wait()
        machine.popen.stdout.close()
        machine.popen.stderr.close()

    def wake(self):
        with contextlib.suppress(BlockingIOError, TypeError):
            os.write(self.wake_writer, b"1")

    # ---- the thread

    def serve(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
        pinged_at = 0.0
        while True:
            with self.lock:
                if self.closing:
                    return
                if time.monotonic() - pinged_at >= EVERY_S:
                    pinged_at = time.monotonic()
                    self.ping_all()
            try:
                self.turn()
            except Exception as error:  # a bug must not leave users waiting
                traceback.print_exc()
                self.lose_all(f"{type(error).__name__}: {error}")
                return

    def lose_all(self, why):
        with self.changed:
            for machine in self.all.values():
                machine.lose(why)
            self.changed.notify_all()

    def ping_all(self):
        for machine in self.all.values():
            if machine.lost or not machine.said_hello:
                continue
            machine.output += json.dumps({"do": "ping", "sent": time.monotonic_ns()}).encode() + b"\n"
            silent = time.monotonic() - machine.heard_at > SILENCE_S
            if silent and not select_now(machine.popen.stdout):  # else this process got no time
                machine.lose(f"silent for {SILENCE_S:g} s")
                self.changed.notify_all()

    def turn(self):
        """Waits for work, at most for a part of a second, and does it."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.wake_reader, selectors.EVENT_READ, None)
            with self.lock:
                for machine in self.all.values():
                    if machine.lost:
                        continue
                    selector.register(machine.popen.stdout, selectors.EVENT_READ, machine.read)
                    selector.register(machine.popen.stderr, selectors.EVENT_READ, machine.read_errors)
                    if machine.output:
                        selector.register(machine.popen.stdin, selectors.EVENT_WRITE, machine.write)
                for sink in self.slow_sinks:
                    selector.register(sink.writer, selectors.EVENT_WRITE, sink.flush)
            ready = selector.select(EVERY_S / 4)
        with self.lock:
            for key, _ in ready:
                if key.data is None:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self.wake_reader, 2**12)
                    continue
                key.data()
            for machine in self.all.values():
                if not machine.lost and machine.popen.poll() is not None:
                    while machine.read_errors():
                        if not select_now(machine.popen.stderr):
                            break
                    machine.lose(machine.why_ended())
            self.changed.notify_all()


def select_now(pipe):
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        return bool(selector.select(0))
