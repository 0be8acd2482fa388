# SPDX-License-Identifier: BSD-3-Clause
"""The agent alone, with pipes instead of SSH."""

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from hw.testbed import agent as module
from hw.testbed.inventory import Inventory, MachineEntry
from hw.testbed.lab import PART_BYTES, parts_of
from hw.testbed.machines import ssh_command
from hw.testbed.tests.support import PATIENCE_S, is_gone, wait_for

FOREVER = ("sleep", "1000000")
PING = {"do": "ping", "sent": "life line"}


class Agent:
    """An agent that is pinged until its input is closed, however slow a test is."""

    def __init__(self, folder):
        self.folder = folder
        self.popen = subprocess.Popen(
            ["/usr/bin/python3", "-I", module.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.requests = 0
        self.events = []
        self.sending = threading.Lock()
        self.silent = threading.Event()
        self.pings = threading.Thread(target=self.ping, daemon=True)
        self.pings.start()
        assert self.read()["hello"] == 1

    def ping(self):
        with contextlib.suppress(OSError):
            while not self.silent.wait(1.0):
                self.send(**PING)

    def read(self):
        """The next message that does not answer a ping."""
        while (message := json.loads(self.popen.stdout.readline())).get("pong") == PING["sent"]:
            pass
        return message

    def send(self, **request):
        with self.sending:
            os.write(self.popen.stdin.fileno(), json.dumps(request).encode() + b"\n")

    def be_silent(self):
        self.silent.set()
        self.pings.join()

    def close(self):
        self.be_silent()
        self.popen.stdin.close()

    def ask(self, **request):
        self.requests += 1
        self.send(id=self.requests, **request)
        while (message := self.read()).get("id") != self.requests:
            self.events.append(message)
        return message

    def open(self):
        return self.ask(do="open", folder=str(self.folder))["answer"]

    def start(self, number, *words, **options):
        self.send(do="start", process=number, words=words, **options)

    def until_end_of(self, number):
        """The events until the end of the process, which is the last one."""
        while not (self.events and self.events[-1].keys() & {"status", "error"} and self.events[-1]["process"] == number):
            self.events.append(self.read())
        return self.events

    def end(self):
        self.close()
        assert self.popen.wait(PATIENCE_S) == 0


@pytest.fixture
def agent(tmp_path):
    one = Agent(tmp_path / "files")
    yield one
    one.close()
    one.popen.kill()
    one.popen.wait()
    one.popen.stdout.close()


def text_of(events, stream):
    return b"".join(base64.b64decode(one["data"]) for one in events if one.get("stream") == stream)


def test_the_folder_ends_with_the_life_line(agent):
    folder = agent.open()
    assert agent.ask(do="put", path="a/b", mode=0o755, data=module.packed(b"text"))["answer"] is None
    assert os.stat(f"{folder}/a/b").st_mode & 0o777 == 0o755
    assert agent.ask(do="get", path="a")["answer"] == {"b": module.packed(b"text")}
    agent.end()
    assert not agent.folder.exists()


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "a/.."])
@pytest.mark.parametrize("request_", [{"do": "put", "mode": 0o644, "data": ""}, {"do": "get"}, {"do": "clear"}])
def test_nothing_is_written_outside_of_the_folder(agent, path, request_):
    agent.open()
    assert agent.ask(**request_, path=path)["error"] == f"{path}: not below the folder of the run"


def test_a_large_file_arrives_in_parts(agent, tmp_path):
    data = os.urandom(2 * PART_BYTES + 5)
    (tmp_path / "large").write_bytes(data)
    folder = agent.open()
    requests = list(parts_of(tmp_path / "large", "a/large"))
    assert [agent.ask(**request)["answer"] for request in requests] == [None] * 3
    with open(f"{folder}/a/large", "rb") as file:
        assert file.read() == data


@pytest.mark.parametrize("how", ["writable", "link"])
def test_a_folder_that_others_may_change_is_refused(agent, how):
    if how == "writable":
        agent.folder.mkdir()
        agent.folder.chmod(0o777)
    else:
        agent.folder.symlink_to("/")
    error = agent.ask(do="open", folder=str(agent.folder))["error"]
    assert error.startswith(f"{agent.folder}: not a folder of the agent's user alone")


def test_the_command_of_ssh_starts_the_agent_by_sudo_unless_it_is_root(tmp_path):
    """The remote command, in a shell whose `id` and `sudo` are scripts."""
    for name, lines in (("id", "echo 1000"), ("sudo", '[ "$1" = -n ] && shift && exec "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / name).chmod(0o755)
    entry = MachineEntry("a", "a", {}, None, None, None)
    command = ssh_command(entry, Inventory(tmp_path, {"a": entry}))
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    facts = {"do": "facts", "id": 1, "ports": [], "libraries": ["libc.so.6", "no.so"], "folder": "/var/tmp/ina"}
    done = subprocess.run(
        ["sh", "-c", command[-1]],
        env=os.environ | {"PATH": path, "SSH_CONNECTION": "127.0.0.1 1 127.0.0.1 22"},
        input=json.dumps(facts).encode() + b"\n",
        stdout=subprocess.PIPE,
        check=True,
    )
    hello, answer = map(json.loads, done.stdout.splitlines())
    assert hello["hello"] == 1
    assert answer["answer"]["by_sudo"]
    assert answer["answer"]["missing_libraries"] == ["no.so"]


def test_a_link_is_not_written_through(agent, tmp_path):
    folder = agent.open()
    os.symlink(tmp_path / "outside", f"{folder}/link")
    answer = agent.ask(do="put", path="link", mode=0o644, data=module.packed(b""))
    assert answer["error"] == f"{folder}/link: File exists"
    assert not (tmp_path / "outside").exists()


def test_output_arrives_before_the_end(agent):
    agent.open()
    agent.start(1, "sh", "-c", "echo out; echo err >&2; exit 3")
    events = agent.until_end_of(1)
    assert (text_of(events, 1), text_of(events, 2), events[-1]["status"]) == (b"out\n", b"err\n", 3)


def test_much_output_arrives_although_nobody_reads_for_a_while(agent):
    agent.open()
    agent.start(1, "sh", "-c", "head -c 5000000 /dev/zero")
    time.sleep(0.5)
    events = agent.until_end_of(1)
    assert len(text_of(events, 1)) == 5_000_000


def test_a_program_that_does_not_exist_is_named(agent):
    agent.open()
    agent.start(7, "/no/program")
    assert agent.until_end_of(7)[-1] == {"process": 7, "error": "/no/program: No such file or directory"}


def test_input_is_written_at_its_time(agent):
    agent.open()
    agent.start(1, sys.executable, "-c", "import time; input(); print(time.monotonic_ns())", input=True)
    due = time.monotonic_ns() + 300_000_000
    agent.send(do="input", process=1, data="start\n", at=due)
    assert int(text_of(agent.until_end_of(1), 1)) >= due


def test_signals_reach_the_process(agent):
    agent.open()
    agent.start(1, *FOREVER)
    agent.start(2, "sh", "-c", "sleep 1000000 & echo $!; wait")
    agent.send(do="signal", process=1, signal=signal.SIGTERM)
    assert agent.until_end_of(1)[-1]["status"] == -signal.SIGTERM
    wait_for(lambda: text_of(agent.events, 1) or agent.events.append(agent.read()))
    agent.send(do="signal", process=2, signal=signal.SIGKILL)
    assert agent.until_end_of(2)[-1]["status"] == -signal.SIGKILL
    wait_for(lambda: is_gone(int(text_of(agent.events, 1))))


def test_a_watched_file_is_reported_when_it_changes(agent):
    agent.open()
    agent.ask(do="clear", path="run")
    agent.start(1, "sh", "-c", "echo joined >note; sleep 1; echo left >>note", folder="run", watched="run/note")
    seen = [module.unpacked(one["watched"]) for one in agent.until_end_of(1) if "watched" in one]
    assert seen[0] in (b"joined\n", b"joined\nleft\n")
    assert seen[-1] == b"joined\nleft\n"


@pytest.mark.parametrize("how", ["closed", "silent", "terminated"])
def test_all_processes_end_with_the_life_line(agent, how):
    folder = agent.open()
    agent.start(1, "sh", "-c", "echo $$; sleep 1000000")
    agent.events.append(agent.read())
    number = int(text_of(agent.events, 1))
    if how == "closed":
        agent.close()
    elif how == "silent":
        agent.be_silent()
    elif how == "terminated":
        agent.popen.terminate()
    assert agent.popen.wait(PATIENCE_S) == 0
    assert is_gone(number)
    assert not os.path.exists(folder)


def test_an_agent_that_is_busy_for_a_while_hears_what_arrives_meanwhile(agent):
    """The agent is busy with a probe of no interfaces, which still takes its full time."""
    folder = agent.open()
    assert "answer" in agent.ask(do="probe", interfaces={}, sizes=[], seconds=module.LIFE_LINE_S + 0.5)
    assert "answer" in agent.ask(do="clear", path="run")
    assert os.listdir(folder).count("run") == 1


def test_processes_end_when_the_agent_is_killed_and_the_next_one_removes_its_folder(agent, tmp_path):
    folder = agent.open()
    agent.start(1, "sh", "-c", "echo $$; exec sleep 1000000")
    agent.events.append(agent.read())
    agent.popen.kill()
    wait_for(lambda: is_gone(int(text_of(agent.events, 1))))
    assert os.path.exists(folder)
    other = tmp_path / "files" / "ina-testbed-of-a-user"
    other.mkdir()
    following = Agent(tmp_path / "files")
    own = following.open()
    assert sorted(os.listdir(agent.folder)) == sorted([os.path.basename(own), other.name])
    following.end()
    following.popen.stdout.close()
    assert os.listdir(agent.folder) == [other.name]


def test_a_living_agent_keeps_its_folder(agent, tmp_path):
    folder = agent.open()
    following = Agent(tmp_path / "files")
    following.open()
    following.end()
    following.popen.stdout.close()
    assert os.path.exists(folder)
    agent.end()
