# SPDX-License-Identifier: BSD-3-Clause
"""Commands as workers."""

import os
import signal
import subprocess

import pytest

from hw.testbed.line_output import LineOutput
from hw.testbed.tests.support import (
    PATIENCE_S,
    SMALL,
    assert_nothing_is_left_after,
    command,
    environment,
    ina_testbed,
    set_keys,
    start_testbed,
)

ONE = set_keys(system="atp")


def run_command(temporary, *words):
    return ina_testbed(temporary, "exec", SMALL, *ONE, "--", *words)


def test_each_worker_is_told_who_it_is(temporary):
    tell = 'echo "$INA_JOB $INA_RANK of $INA_WORKERS $INA_HOST $1"; test -f "$INA_CLUSTER" '
    done = run_command(temporary, "sh", "-c", tell + '&& test -f "$INA_LIBRARY"', "sh", "--out=x")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "[0] 0 0 of 2 0 --out=x",
        "[1] 0 1 of 2 1 --out=x",
    ]


def test_workers_give_way_to_each_other_unless_told_otherwise(temporary, monkeypatch):
    tell = ("sh", "-c", 'echo "yields: $INA_YIELDS"')
    monkeypatch.delenv("INA_YIELDS", raising=False)
    assert yields_told(temporary, tell) == ["[0] yields: 1", "[1] yields: 1"]
    monkeypatch.setenv("INA_YIELDS", "")
    assert yields_told(temporary, tell) == ["[0] yields: ", "[1] yields: "]


def yields_told(temporary, tell):
    return sorted(run_command(temporary, *tell).stdout.splitlines())


def bytes_of(temporary, script, *keys):
    """Status and output of a shell script that runs as every worker."""
    words = command("exec", SMALL, *ONE, *keys, "--", "sh", "-c", script)
    done = subprocess.run(words, env=environment(temporary), capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_lines_of_both_streams_begin_with_the_rank(temporary):
    script = 'echo "out $INA_RANK"; echo; echo "err $INA_RANK" >&2; printf "no end" >&2'
    status, output, error = bytes_of(temporary, script)
    assert status == 0
    assert sorted(output.splitlines()) == [b"[0] ", b"[0] out 0", b"[1] ", b"[1] out 1"]
    assert sorted(error.splitlines(keepends=True)) == [
        b"[0] err 0\n",
        b"[0] no end\n",
        b"[1] err 1\n",
        b"[1] no end\n",
    ]


def test_lines_of_several_jobs_begin_with_the_job_and_the_rank(temporary):
    jobs = set_keys(topology={"hosts": 4, "parameter_servers": 2}, **{"jobs/count": 2})
    status, output, _ = bytes_of(temporary, 'echo "$INA_JOB $INA_RANK"', *jobs)
    assert status == 0
    assert sorted(output.splitlines()) == [b"[0,0] 0 0", b"[0,1] 0 1", b"[1,0] 1 0", b"[1,1] 1 1"]


def test_lines_that_are_written_in_pieces_by_turns_stay_whole(temporary):
    """Each rank writes half of a line, lets the other one write, then ends its line."""
    script = """
        mine=${INA_CLUSTER%/*}/wrote; other=$((1 - INA_RANK))
        for line in 1 2 3; do
            printf "%s begins $line, " "$INA_RANK"
            : >"$mine-$INA_RANK-$line"
            while ! test -e "$mine-$other-$line"; do sleep 0.01; done
            echo "ends $line"
        done"""
    status, output, error = bytes_of(temporary, script)
    assert (status, error) == (0, b"")
    assert sorted(output.decode().splitlines()) == [
        f"[{rank}] {rank} begins {line}, ends {line}" for rank in (0, 1) for line in (1, 2, 3)
    ]


def test_bytes_that_are_no_text_and_long_lines_pass_as_they_are(temporary):
    script = (
        r'test "$INA_RANK" = 0 || exit 0; printf "\377\000\033[1m\r\n"; '
        r'head -c 3000000 /dev/zero | tr "\000" x; echo'
    )
    status, output, _ = bytes_of(temporary, script)
    assert status == 0
    assert output == b"[0] \xff\0\x1b[1m\r\n[0] " + b"x" * 3_000_000 + b"\n"


def test_what_a_worker_said_before_it_is_killed_is_shown(temporary):
    """One worker kills itself; the launcher then kills the other one."""
    script = """
        said=${INA_CLUSTER%/*}/said
        if test "$INA_RANK" = 1; then printf "still here"; : >"$said"; exec sleep 1000; fi
        while ! test -e "$said"; do sleep 0.01; done
        echo "about to fall" >&2; kill -KILL $$"""
    status, output, error = bytes_of(temporary, script)
    assert status == 3
    assert output == b"[1] still here\n"
    assert error == b"[0] about to fall\nina: host0 ended by signal 9\n"


def test_a_process_that_outlives_its_worker_and_prints_on_holds_nothing_up(temporary):
    script = 'test "$INA_RANK" = 0 || exit 0; (while echo again; do :; done) 2>&- & echo "$!"'
    done = subprocess.run(
        command("exec", SMALL, *ONE, "--", "sh", "-c", script),
        env=environment(temporary),
        stdout=subprocess.PIPE,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0
    assert b"[0] again\n" in done.stdout


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_lines_that_nobody_reads_end_the_command(temporary, stream):
    end, writer = os.pipe()
    os.close(end)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | {stream: writer}
    script = "while echo line; do :; done" + (" >&2" if stream == "stderr" else "")
    done = subprocess.run(
        command("exec", SMALL, *ONE, "--", "sh", "-c", script),
        env=environment(temporary),
        check=False,
        timeout=PATIENCE_S,
        **streams,
    )
    os.close(writer)
    assert done.returncode == 4


@pytest.mark.parametrize(
    "parts, printed",
    [
        ([b"a\nb", b"c\n"], b"> a\n> bc\n"),
        ([b"10%\r20%\r", b"30%", b"\n"], b"> 10%\r> 20%\r> 30%\n"),
        ([b"dos\r", b"\nend"], b"> dos\r\n> end\n"),
        ([b"a\r", b"b\r"], b"> a\r> b\r"),
        ([b"\n\n"], b"> \n> \n"),
        ([b""], b""),
    ],
)
def test_a_line_ends_where_a_terminal_would_go_on_at_its_left(tmp_path, parts, printed):
    file = tmp_path / "printed"
    reader, writer = os.pipe()
    with open(file, "wb") as target:
        output = LineOutput(open(reader, "rb"), b"> ", target.fileno())
        for part in parts:
            os.write(writer, part)
            assert output.copy()
        os.close(writer)
        output.close()
    assert file.read_bytes() == printed


def test_the_first_failure_ends_all_and_is_the_status(temporary):
    done = run_command(temporary, "sh", "-c", 'test "$INA_RANK" = 0 && exit 7; sleep 1000')
    assert done.returncode == 7
    assert done.stderr == "ina: host0 ended with status 7\n"


def joins(rank_0, rank_1):
    """A script in which both ranks join and then run these commands, with libina's notes."""
    joined = 'echo joined >>"$INA_PRESENCE"; '
    return "sh", "-c", f'if test "$INA_RANK" = 0; then {joined}{rank_0}; else {joined}{rank_1}; fi'


LEAVE = 'echo left >>"$INA_PRESENCE"'
LONGER_THAN_THE_GRACE = "sleep 8"


def test_a_worker_that_ends_well_but_has_not_left_is_named_when_others_wait(temporary):
    done = run_command(temporary, *joins("sleep 1000", "exit 0"))
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host1 (job 0, rank 1) left before the other workers were done, with status 0 "
        "without ina_finalize(); still there: host0\n"
    )


FAIL_TO_LEAVE = 'echo failed >>"$INA_PRESENCE"'


def test_a_worker_whose_leaving_failed_is_named_so_when_others_wait(temporary):
    done = run_command(temporary, *joins("sleep 1000", FAIL_TO_LEAVE))
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host1 (job 0, rank 1) left before the other workers were done, with status 0 "
        "but its ina_finalize() failed; still there: host0\n"
    )


def test_workers_whose_leaving_failed_are_named_when_nobody_waits_any_more(temporary):
    done = run_command(temporary, *joins(LEAVE, FAIL_TO_LEAVE))
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host1 (job 0, rank 1): ended with status 0 but its ina_finalize() failed\n"
    )


def test_a_worker_that_ends_well_but_never_joined_is_named_when_others_wait(temporary):
    tell = 'test "$INA_RANK" = 0 && exit; echo joined >>"$INA_PRESENCE"; sleep 1000'
    done = run_command(temporary, "sh", "-c", tell)
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host0 (job 0, rank 0) left before the other workers were done, with status 0 "
        "and never joined; still there: host1\n"
    )


UNFINISHED = (
    "ended with status 0 without ina_finalize(); allowed: ina_finalize(), which waits for all-reduces"
)


def test_workers_that_end_well_with_unfinished_work_are_named(temporary):
    done = run_command(temporary, *joins("exit 0", "exit 0"))
    assert done.returncode == 3
    assert done.stderr == f"ina: host0 (job 0, rank 0), host1 (job 0, rank 1): {UNFINISHED}\n"


def test_a_worker_with_unfinished_work_is_named_if_others_never_joined(temporary):
    done = run_command(
        temporary, "sh", "-c", 'test "$INA_RANK" = 0 || echo joined >>"$INA_PRESENCE"'
    )
    assert done.returncode == 3
    assert done.stderr == f"ina: host1 (job 0, rank 1): {UNFINISHED}\n"


def test_unfinished_work_of_one_job_is_reported_though_another_has_left(temporary):
    jobs = set_keys(topology={"hosts": 4, "parameter_servers": 2}, **{"jobs/count": 2})
    script = 'echo joined >>"$INA_PRESENCE"; test "$INA_JOB" = 1 || echo left >>"$INA_PRESENCE"'
    status, _, error = bytes_of(temporary, script, *jobs)
    assert status == 3
    assert error.decode() == f"ina: host2 (job 1, rank 0), host3 (job 1, rank 1): {UNFINISHED}\n"


@pytest.mark.parametrize(
    "words",
    [
        joins(LEAVE, f"{LEAVE}; {LONGER_THAN_THE_GRACE}"),
        joins(LEAVE, LONGER_THAN_THE_GRACE),
        ("sh", "-c", f'test "$INA_RANK" = 0 || {LONGER_THAN_THE_GRACE}'),
    ],
    ids=["both have left", "one has left", "nobody has joined"],
)
def test_a_worker_may_take_longer_than_others_that_do_not_wait_for_it(temporary, words):
    done = run_command(temporary, *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_does_not_exist_is_refused(temporary):
    done = run_command(temporary, "/nowhere/train")
    assert done.returncode == 2
    assert done.stderr == "ina: /nowhere/train: No such file or directory; allowed: a command\n"


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([SMALL, "--seeds", "1-2", "--", "true"], "2 runs; allowed: one"),
        ([SMALL], "COMMAND"),
    ],
)
def test_bad_input_is_refused_in_one_line(temporary, arguments, words):
    done = ina_testbed(temporary, "exec", *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_nothing_is_left_after_an_interrupt(temporary):
    process = start_testbed(temporary, "exec", SMALL, *ONE, "--", "sleep", "1000")
    assert_nothing_is_left_after(signal.SIGINT, process)
