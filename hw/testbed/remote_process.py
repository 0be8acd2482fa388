# SPDX-License-Identifier: BSD-3-Clause
"""A process on another machine, with the methods of subprocess.Popen that the testbed uses."""

import contextlib
import os
import signal
import subprocess
import threading


class RemoteProcess:
    """A process on another machine. `stdout` and `stderr` are pipes that Machines fills."""

    def __init__(self, machine, number, label, forwards_errors):
        self.machine = machine
        self.number = number
        self.label = label
        self.ended = threading.Event()
        self.status = None
        self.failure = None  # the reason if the process could not be started, or is lost
        self.stdin = RemoteInput(machine, number)
        self.sinks = {1: Sink(machine.machines, self.sink_closed)}
        if not forwards_errors:
            self.sinks[2] = Sink(machine.machines, self.sink_closed)
        self.stdout = self.sinks[1].reader
        self.stderr = self.sinks[2].reader if 2 in self.sinks else None
        self.errors = LinePrinter(f"{label}: ")
        self.end = Sink(machine.machines)  # its reader is at its end when the process has ended
        self.watched = None  # local copy of a watched file

    def take(self, stream, data):
        if stream in self.sinks:
            self.sinks[stream].write(data)
        else:
            self.errors.take(data)

    def take_end(self, status=None, failure=None):
        if self.ended.is_set():
            return
        self.status, self.failure = status, failure
        self.errors.close()
        self.ended.set()
        for sink in self.sinks.values():
            sink.close()

    def sink_closed(self):
        """Reports the end when all output is in the pipes."""
        if all(sink.writer is None for sink in self.sinks.values()):
            self.end.close()

    def poll(self):
        return self.status if self.ended.is_set() else None

    def wait(self, timeout=None):
        """The status of the process. Raises CommandError if it is lost with its machine."""
        if not self.ended.wait(timeout):
            raise subprocess.TimeoutExpired(self.label, timeout)
        if self.failure:
            raise self.failure
        return self.status

    def send_signal(self, number):
        self.machine.send({"do": "signal", "process": self.number, "signal": int(number)})

    def kill(self):
        self.send_signal(signal.SIGKILL)


class RemoteInput:
    def __init__(self, machine, number):
        self.machine = machine
        self.number = number

    def write(self, data, at_ns=0):
        text = data.decode()
        self.machine.send({"do": "input", "process": self.number, "data": text, "at": at_ns})

    def close(self):
        self.machine.send({"do": "input", "process": self.number})


class Sink:
    """A pipe that is filled without waiting for its reader."""

    def __init__(self, machines, when_closed=lambda: None):
        self.machines = machines
        self.when_closed = when_closed
        reader, self.writer = os.pipe()
        self.reader = open(reader, "rb", buffering=0)
        os.set_blocking(self.writer, False)
        self.waiting = bytearray()
        self.closing = False

    def write(self, data):
        self.waiting += data
        self.flush()

    def flush(self):
        """Writes what the pipe takes. Closes it when everything is written."""
        if self.writer is None:
            return
        try:
            while self.waiting:
                del self.waiting[: os.write(self.writer, self.waiting)]
        except BlockingIOError:
            self.machines.slow_sinks.add(self)
            return
        except OSError:  # no reader any more
            self.waiting.clear()
        self.machines.slow_sinks.discard(self)
        if self.closing:
            os.close(self.writer)
            self.writer = None
            self.when_closed()

    def close(self):
        self.closing = True
        self.flush()


class LinePrinter:
    """Prints the lines of a process on standard error, with a prefix."""

    def __init__(self, prefix):
        self.prefix = prefix.encode()
        self.unfinished = b""

    def take(self, data):
        *lines, self.unfinished = (self.unfinished + data).split(b"\n")
        text = b"".join(self.prefix + line + b"\n" for line in lines)
        with contextlib.suppress(OSError):
            os.write(2, text)

    def close(self):
        if self.unfinished:
            self.take(b"\n")
