# SPDX-License-Identifier: BSD-3-Clause
"""Program that test_links, which starts and kills its switch, runs as every worker. Prints its
observations."""

import sys

import ina
import numpy as np

COUNT = 50_000


def refused(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except ina.InaError as error:
        return error
    raise AssertionError("not refused")


def say(word):
    print(word, flush=True)


def add_up():
    assert (ina.allreduce(np.full(COUNT, 3, np.int32)) == 3 * ina.workers()).all()


def starts_before_the_switch():
    for _ in range(2):
        error = refused(ina.init, seconds=0.1)
        assert error.status == ina.TIMEOUT, error
        assert "the link is not up after 0.1 s" in str(error), error
        assert refused(ina.allreduce, np.ones(1, np.int32)).status == ina.WRONG_INPUT
    say("refused")
    ina.init(seconds=None)
    add_up()
    ina.finalize()


def outlives_switches():
    """Survives as many switches as its argument says. Each is killed while sums are under way."""
    for _ in range(int(sys.argv[2])):
        ina.init(seconds=None)
        add_up()
        say("joined")
        error = refused(add_up_for_ever)
        assert error.status == ina.TROUBLE, error
        assert ": link down: " in str(error), error
        say("down")
        assert refused(ina.submit, np.ones(1, np.int32)).status == ina.TROUBLE
        assert refused(ina.init).status == ina.WRONG_INPUT  # the worker has not left the job
        refused(ina.finalize, 0)
    ina.init(seconds=None)
    add_up()
    ina.finalize()


def add_up_for_ever():
    while True:
        add_up()


def waits_for_a_sum_that_nobody_else_submits():
    ina.init(seconds=None)
    add_up()
    request = ina.submit(np.ones(1, np.int32)) if ina.rank() == 0 else None
    say("joined")
    if request is not None:
        error = refused(request.wait)
        assert error.status == ina.TROUBLE, error
        assert ": link down: " in str(error), error
    else:
        sys.stdin.read()  # the other worker's sum may still need this worker's packets


WHAT = {
    work.__name__: work
    for work in (
        starts_before_the_switch,
        outlives_switches,
        waits_for_a_sum_that_nobody_else_submits,
    )
}

WHAT[sys.argv[1]]()
