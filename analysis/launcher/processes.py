# SPDX-License-Identifier: BSD-3-Clause
"""Programs that the launcher becomes, or waits for."""

import os
import signal
import sys

from analysis.launcher.messages import Ended, Failure


def python(module, *arguments):
    """A command. -P: modules of the working directory must not hide ours."""
    return [sys.executable, "-P", "-m", module, *arguments]


def become(command):
    """The program gets the signals that Python ignores."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execv(command[0], command)
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}") from None


def attend(command, **options):
    """The status of a command that ends when we do. After a signal to us, that signal's status ends us."""
    import subprocess

    from analysis.attendance import Attendance

    with Attendance() as attendance:
        status = attendance.run(command, **{"stdout": None, "stdin": subprocess.DEVNULL} | options)
    if attendance.is_ended:
        raise Ended(128 + attendance.ended_by)
    return status


def use_large_pages():
    """Of the programs that this process starts or becomes."""
    os.environ |= with_large_pages(os.environ)


def with_large_pages(environment):
    """An environment with large pages. Thousands of links take more memory than the processor knows
    the addresses of in small pages: at 1 024 workers a sixth of the time goes there."""
    others = environment.get("GLIBC_TUNABLES")
    return {**environment, "GLIBC_TUNABLES": f"{others}:" * bool(others) + "glibc.malloc.hugetlb=1"}
