# SPDX-License-Identifier: BSD-3-Clause
"""The machine of this command, on which processes of a run start unless they have another one."""

import contextlib
import os
import signal
import subprocess

from hw.commands.interrupts import begin_child


class ThisMachine:
    """The machine of this command."""

    def label(self, name):
        """A process of this machine, in messages."""
        return name

    def program(self, programs, name):
        return programs.path(name)

    def start(self, command, folder, **_):
        # The process has a session of its own: this process forwards an interrupt of the terminal,
        # in order.
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=begin_child,
        )

    def begin(self, process, beginning_ns):
        """Starts the run's clock in the process, at a time of this machine's monotonic clock."""
        process.send(f"start {beginning_ns}")

    # ---- commands of the user

    def start_command(self, words, environment, _name, _presence, piped, _cores):
        pipe = subprocess.PIPE if piped else None
        return subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
            preexec_fn=begin_child,
        )

    def path_in_run(self, folder, name):
        """The path of a file of the run."""
        return folder / name

    def library(self, programs):
        return programs.library()

    def environment(self, defaults, ours, binding):
        path = os.pathsep.join(filter(None, (str(binding), os.environ.get("PYTHONPATH"))))
        return defaults | os.environ | ours | {"PYTHONPATH": path}

    @contextlib.contextmanager
    def end_of(self, command):
        """A file that can be read when the command has ended."""
        end = os.pidfd_open(command.pid)
        try:
            yield end
        finally:
            os.close(end)

    def kill_session(self, command):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)


HERE = ThisMachine()
