# SPDX-License-Identifier: BSD-3-Clause
"""ina-registrar, which registers sessions for the control plane of a Tofino, on a link to the only
worker of a job."""

import json
import signal
import subprocess
import time

import pytest

from hw.testbed.tests.support import PATIENCE_S, PROGRAMS, SMALL, program, set_keys


REGISTRATION_BYTES = 88  # size of a frame


@pytest.fixture
def cluster(tmp_path):
    tmp_path.chmod(0o700)  # required of the folder of memif sockets
    keys = set_keys(**{"system": "switchml", "topology/hosts": 1, "jobs/workers": 1})
    plan = program("ina-sim", "plan", SMALL, *keys)
    assert plan.returncode == 0, plan.stderr
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(json.loads(plan.stdout)[0]["runs"][0]["cluster"]))
    return path


@pytest.fixture
def started(cluster):
    processes = []

    def start(name, role, *options):
        socket = f"socket={cluster.parent}/memif.sock,socket-abstract=no"
        device = f"net_memif0,role={role},id=0,{socket}"
        processes.append(
            subprocess.Popen(
                [PROGRAMS / name, "--cluster", cluster, "--port", device, *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


def start_worker(started, *options):
    return started("ina-worker", "client", "--host", "0", *options)


def answer(process, line):
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def end(process):
    process.send_signal(signal.SIGTERM)
    stderr = process.stderr.read()
    assert (process.wait(PATIENCE_S), stderr) == (0, "")


def test_each_program_of_a_worker_is_registered_under_an_id_of_its_own(started):
    registrar = started("ina-registrar", "server")
    ids = []
    for _ in range(3):
        worker = start_worker(started)
        words = registrar.stdout.readline().split()
        assert words[:2] == ["register", "0"], registrar.communicate()[1]
        ids.append(int(words[2]))
        answer(registrar, "done")
        time.sleep(0.5)
        end(worker)
    end(registrar)
    assert ids == [ids[0], (ids[0] + 1) % 256, (ids[0] + 2) % 256]
    assert ids[0] != 0  # the id under which the switch knows the job when it starts


@pytest.mark.parametrize("registered", [False, True])
def test_no_frame_has_an_id_before_the_switch_knows_it(started, cluster, registered):
    """The worker sends its updates after the welcome. They get no answer here. A worker without a
    session writes no report."""
    report = cluster.parent / "report.json"
    registrar = started("ina-registrar", "server")
    worker = start_worker(started, "--report", report)
    assert registrar.stdout.readline().startswith("register 0 "), registrar.communicate()[1]
    if registered:
        answer(registrar, "done")
    time.sleep(0.5)
    end(worker)
    assert report.exists() == registered
    if registered:
        port = json.loads(report.read_text())["port"]
        assert port["bytes_sent"] > REGISTRATION_BYTES * port["frames_sent"]
    end(registrar)


@pytest.mark.parametrize("line", ["no", "register 0 0"])
def test_refuses_other_answers(started, line):
    registrar = started("ina-registrar", "server")
    start_worker(started)
    registrar.stdout.readline()
    answer(registrar, line)
    _, stderr = registrar.communicate(timeout=PATIENCE_S)
    assert registrar.returncode == 2
    assert stderr == f'ina-registrar: standard input: found "{line}"; allowed: done\n'


def test_refuses_answers_that_it_did_not_ask_for(started):
    registrar = started("ina-registrar", "server")
    answer(registrar, "done")
    _, stderr = registrar.communicate(timeout=PATIENCE_S)
    assert registrar.returncode == 2
    assert stderr == 'ina-registrar: standard input: found "done"; allowed: done after register\n'


@pytest.mark.parametrize("asked", [False, True])
def test_ends_with_its_input(started, asked):
    registrar = started("ina-registrar", "server")
    if asked:
        start_worker(started)
        registrar.stdout.readline()
    registrar.stdin.close()
    assert registrar.wait(PATIENCE_S) == 0


def test_refuses_a_cluster_that_it_cannot_read(tmp_path):
    done = program("ina-registrar", "--cluster", tmp_path / "none.json", "--port", "net_null0")
    assert done.returncode == 2
    assert "none.json" in done.stderr
