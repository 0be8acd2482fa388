# SPDX-License-Identifier: BSD-3-Clause
"""Programs that replace the launcher, that it waits for, or that are part of it."""

import functools
import os
import signal
import sys

from analysis.launcher.messages import Ended, Failure


def python(module, *arguments):
    """A Python command line. -P: modules in the working directory must not hide ours."""
    return [sys.executable, "-P", "-m", module, *arguments]


def become(command):
    """Replaces this process by the program, with default handling of the signals that Python ignores."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execv(command[0], command)
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}") from None


def analyse(*arguments):
    """The exit status of a command of `analysis`, which runs in this process."""
    add_packages()
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    from analysis.__main__ import main

    return main(list(arguments))


@functools.cache
def add_packages():
    """Makes the installed packages importable, without which the launcher starts sooner."""
    import site

    site.main()


def attend(command, **options):
    """The exit status of a command that ends with this process. A signal to this process ends both
    with the signal's status."""
    import subprocess

    from analysis.attendance import Attendance

    with Attendance() as attendance:
        status = attendance.run(command, **{"stdout": None, "stdin": subprocess.DEVNULL} | options)
    if attendance.is_ended:
        raise Ended(128 + attendance.ended_by)
    return status


def use_large_pages():
    """Enables large pages for the programs that this process starts or becomes."""
    os.environ |= with_large_pages(os.environ)


def with_large_pages(environment):
    """The environment with large pages: with thousands of links, the address translation of small
    pages takes a sixth of the time at 1 024 workers."""
    others = environment.get("GLIBC_TUNABLES")
    return {**environment, "GLIBC_TUNABLES": f"{others}:" * bool(others) + "glibc.malloc.hugetlb=1"}
