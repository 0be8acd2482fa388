# SPDX-License-Identifier: BSD-3-Clause
"""Interrupts, full disks, missing rights, time limits and terminals."""

import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import ina_sim
import pytest

PATIENCE_S = 600  # until a test counts as hanging; no test depends on speed


def temporaries(folder):
    return sorted(str(path) for end in ("tmp", "part") for path in folder.rglob(f"*.{end}"))


def finals(folder):
    """Files and folders with final names, which a reader would take for results."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


class Interrupted:
    """A run that gets a signal when its first point has finished and others are running."""

    def __init__(self, slow, out, number, to_group):
        self.points = out / "slow" / "points"
        process = subprocess.Popen(
            [ina_sim.program(), "run", str(slow), "--out", str(out), "--parallel", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            wait_for((self.points / "00000-seed1").exists)
            (self.points / "00000-seed1" / "mark").touch()
            if to_group:  # like a terminal on Ctrl-C
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            self.output, self.error = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
        self.status = process.returncode
        self.group = process.pid


@pytest.mark.parametrize("to_group", [False, True], ids=["process", "group"])
@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupt(slow, tmp_path, number, status, to_group):
    run = Interrupted(slow, tmp_path, number, to_group)
    assert run.status == status, run.error
    assert run.output == ""
    if not (to_group and number == signal.SIGTERM):  # in that case, runs may print messages, too
        assert len(run.error.splitlines()) == 1, run.error
    finished = len(list(run.points.iterdir()))
    assert 1 <= finished < 5
    kept = "it is" if finished == 1 else "they are"
    assert run.error.endswith(
        f"ina: slow: stopped with {finished} of 5 runs finished; "
        f"{kept} kept in {tmp_path / 'slow'} and not run again\n"
    )
    assert temporaries(tmp_path) == []
    assert not (tmp_path / "slow" / "jobs.csv").exists()
    with pytest.raises(ProcessLookupError):  # no run is left behind
        os.killpg(run.group, 0)

    done = ina_sim.ina("run", slow, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^{finished} of 5 runs (was|were) there already$", done.stdout, re.M)
    assert (run.points / "00000-seed1" / "mark").exists()
    assert len(ina_sim.rows(tmp_path / "slow")) == 5


def test_a_killed_run_takes_its_children_along_and_can_be_finished(slow, tmp_path):
    run = Interrupted(slow, tmp_path, signal.SIGKILL, to_group=False)
    assert run.status == -signal.SIGKILL

    def all_gone():
        try:
            os.killpg(run.group, 0)
        except ProcessLookupError:
            return True
        return False

    wait_for(all_gone)
    folder = ina_sim.run(slow, tmp_path)
    assert len(ina_sim.rows(folder)) == 5
    assert temporaries(tmp_path) == []


def assert_failed(done, *words):
    assert done.returncode not in (0, 2, 3), done.stderr
    assert done.returncode > 0, f"killed by signal {-done.returncode}"
    assert "results:" not in done.stdout
    for word in words:
        assert word in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) <= 4, done.stderr


def assert_no_folder(done, reason):
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"ina: --out: {reason}; allowed: a writable folder, or a path at which one can be made\n"
    )


def test_two_runs_do_not_share_a_result_folder(slow, tmp_path):
    first = subprocess.Popen(
        [ina_sim.program(), "run", str(slow), "--out", str(tmp_path)], stdout=subprocess.DEVNULL
    )
    try:
        wait_for((tmp_path / "slow" / "points" / "00000-seed1").exists)
        first.send_signal(signal.SIGSTOP)
        second = ina_sim.ina("run", slow, "--out", tmp_path)
        first.send_signal(signal.SIGCONT)
        assert first.wait(timeout=PATIENCE_S) == 0
    finally:
        first.kill()
    assert second.returncode == 4
    assert second.stdout == ""
    assert second.stderr == f"ina: {tmp_path / 'slow'}: another ina run is writing to it\n"
    assert len(ina_sim.rows(tmp_path / "slow")) == 5


@pytest.fixture
def without_rights():
    """Options for a process to which file permissions apply, unlike one of root."""
    if os.geteuid() != 0:
        return {}
    if not os.access(ina_sim.program(), os.X_OK):
        pytest.skip("the program cannot be run")
    nobody = {"user": 65534, "group": 65534, "extra_groups": []}
    try:
        subprocess.run([ina_sim.program(), "--help"], check=True, capture_output=True, **nobody)
    except (PermissionError, subprocess.CalledProcessError):
        pytest.skip("root, and no other user may run the program")
    return nobody


@pytest.fixture
def open_folder():
    """A folder that all users can reach, unlike pytest's own."""
    path = Path("/tmp") / f"ina-cli-{os.getpid()}"
    path.mkdir(mode=0o755)
    yield path
    subprocess.run(["chmod", "-R", "u+w", path], check=False)
    shutil.rmtree(path)


def test_no_right_to_write(tiny, open_folder, without_rights):
    scenario = open_folder / "tiny.json"
    scenario.write_text(tiny.read_text())
    out = open_folder / "out"
    out.mkdir()
    out.chmod(0o555)
    done = ina_sim.ina("run", scenario, "--out", out, cwd="/", **without_rights)
    assert_no_folder(done, f"{out / 'tiny'} cannot be made: Permission denied")
    assert list(out.iterdir()) == []


def test_no_right_to_write_points(tiny, open_folder, without_rights):
    scenario = open_folder / "tiny.json"
    scenario.write_text(tiny.read_text())
    points = open_folder / "tiny" / "points"
    points.mkdir(parents=True)
    points.parent.chmod(0o777)
    points.chmod(0o555)
    done = ina_sim.ina("run", scenario, "--out", open_folder, cwd="/", **without_rights)
    assert_no_folder(done, f"{points} cannot be written to: Permission denied")
    assert list(points.iterdir()) == []


@pytest.mark.parametrize("below", ["", "results", "results/of/today"])
def test_out_is_a_file_or_below_one(tiny, tmp_path, below):
    file = tmp_path / "file"
    file.write_text("mine")
    assert_no_folder(ina_sim.ina("run", tiny, "--out", file / below), f"{file} is not a directory")
    assert file.read_text() == "mine"


@pytest.mark.parametrize("taken", ["tiny", "tiny/points"])
def test_a_file_stands_where_results_would(tiny, tmp_path, taken):
    file = tmp_path / taken
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    assert_no_folder(ina_sim.ina("run", tiny, "--out", tmp_path), f"{file} is not a directory")
    assert file.read_text() == "mine"


def test_out_is_where_nobody_can_make_a_folder(tiny):
    done = ina_sim.ina("run", tiny, "--out", "/proc/results/of/today")
    assert_no_folder(done, "/proc/results cannot be made: No such file or directory")


def test_no_run_starts_if_one_of_several_has_no_folder(tiny, slow, tmp_path):
    (tmp_path / "slow").write_text("mine")
    done = ina_sim.ina("run", tiny, slow, "--out", tmp_path)
    assert_no_folder(done, f"{tmp_path / 'slow'} is not a directory")
    assert list((tmp_path / "tiny" / "points").iterdir()) == []


@pytest.mark.parametrize(
    "target, reason",
    [("none/table.json", "No such file or directory"), (".", "Is a directory"),
     ("file/table.json", "Not a directory")],
)  # fmt: skip
def test_json_that_cannot_be_written_is_noticed_before_the_runs(tiny, tmp_path, target, reason):
    (tmp_path / "file").touch()
    target = tmp_path / target
    done = ina_sim.ina("run", tiny, "--out", tmp_path / "out", "--json", target)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"ina: --json: {target}: {reason}; allowed: a file that can be written\n"
    assert not (tmp_path / "out").exists()


def test_json_in_the_working_folder(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--json", "table.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ina_sim.experiments(tmp_path / "table.json")


@pytest.mark.parametrize(
    "content",
    ["mine", '{"sweep": {}}', "[]", '{"written_by": "ina plot --json"}', '{"rows": [], "written_by": "ina run --json"}',
     '{"written_by": "me"}'],
)  # fmt: skip
def test_json_goes_over_nothing_but_what_json_wrote(tiny, tmp_path, content):
    target = tmp_path / "table.json"
    target.write_text(content)
    done = ina_sim.ina("run", tiny, "--out", tmp_path / "out", "--json", target)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"ina: --json: {target} contains something that --json did not write; allowed: a new file, "
        "or a file that --json wrote\n"
    )
    assert target.read_text() == content
    assert not (tmp_path / "out").exists()


def test_json_goes_over_an_empty_file_and_keeps_its_permissions(tiny, tmp_path):
    target = tmp_path / "table.json"
    target.touch()
    target.chmod(0o604)
    done = ina_sim.ina("run", tiny, "--out", tmp_path / "out", "--json", target)
    assert done.returncode == 0, done.stderr
    assert ina_sim.experiments(target)
    assert target.stat().st_mode & 0o777 == 0o604


def test_no_file_of_anybody_beside_results_or_json_is_touched(tiny, tmp_path):
    """For example links with the names that a program might use for temporary files."""
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    results = tmp_path / "out" / "tiny"
    results.mkdir(parents=True)
    places = [tmp_path / "table.json", results / "manifest.json"]
    places += [results / name for name in ina_sim.TABLES]
    links = [path.with_name(f"{path.name}.{end}") for path in places for end in ("tmp", "part")]
    for link in links:
        link.symlink_to(victim)
    arguments = ("run", tiny, "--out", tmp_path / "out", "--json", tmp_path / "table.json")
    done = ina_sim.ina(*arguments)
    assert done.returncode == 0, done.stderr
    assert victim.read_text() == "theirs"
    assert all(link.is_symlink() for link in links)
    assert temporaries(tmp_path) == sorted(map(str, links))


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_json_goes_to_standard_output_wherever_that_goes(tiny, tmp_path, kind):
    """The output is appended, also to a file: the file that a shell opened is not replaced."""
    path = tmp_path / "output"
    command = [ina_sim.program(), "run", tiny, "--out", tmp_path, "--json", "/dev/stdout"]
    if kind == "pipe":
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    else:
        with open(path, "w+", encoding="utf-8") as file:
            print("before", file=file, flush=True)
            subprocess.run(command, stdout=file, check=True)
            assert os.fstat(file.fileno()).st_ino == path.stat().st_ino
        text = path.read_text()
        assert text.startswith("before\n")
    content, _ = json.JSONDecoder().raw_decode(text[text.index("{\n") :])
    assert content["written_by"] == "ina run --json"
    assert "JCT ms" in text


def test_json_goes_over_an_earlier_one_through_a_link(tiny, tmp_path):
    target = tmp_path / "table.json"
    link = tmp_path / "link.json"
    link.symlink_to(target.name)
    for _ in range(2):
        done = ina_sim.ina("run", tiny, "--out", tmp_path, "--json", link)
        assert done.returncode == 0, done.stderr
        assert link.is_symlink()
        assert len(ina_sim.experiments(target)) == 1


@pytest.mark.parametrize("which", ["scenario", "jobs.csv", "manifest.json"])
def test_json_is_never_written_over_scenario_or_results(tiny, tmp_path, which):
    scenario = tmp_path / "tiny.json"
    scenario.write_text(tiny.read_text())
    folder = ina_sim.run(scenario, tmp_path / "out")
    target = scenario if which == "scenario" else folder / which
    before = target.read_bytes()
    done = ina_sim.ina("run", scenario, "--out", tmp_path / "out", "--json", target)
    assert (done.returncode, done.stdout) == (2, "")
    assert target.read_bytes() == before


def test_json_is_not_written_over_a_table_that_the_run_made(tiny, tmp_path):
    target = tmp_path / "tiny" / "jobs.csv"
    target.parent.mkdir()
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--json", target)
    assert done.returncode == 2
    assert "contains something" in done.stderr
    assert len(ina_sim.rows(tmp_path / "tiny")) == 6


def test_json_does_not_replace_what_is_no_file(tiny, tmp_path):
    """If root ran the command, a rename over /dev/stdout or /dev/full would remove the device for all users.

    The test uses a pipe of its own. Never try this on a real device.
    """
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ina_sim.ina("run", tiny, "--out", tmp_path, "--json", pipe, timeout=PATIENCE_S)
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_standard_output_is_full(tiny, tmp_path):
    if not Path("/dev/full").is_char_device():
        pytest.skip("no /dev/full")
    with open("/dev/full", "r+b", buffering=0) as full:
        done = subprocess.run(
            [ina_sim.program(), "run", str(tiny), "--out", str(tmp_path)],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 4
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["run", "validate", "plan", "--help"])
@pytest.mark.parametrize("full", [True, False], ids=["full", "closed"])
def test_output_that_goes_nowhere_is_one_line_and_the_status_of_trouble(tiny, tmp_path, command, full):
    arguments = [command] if command == "--help" else [command, tiny]
    with ina_sim.broken_output(full) as output:
        done = subprocess.run(
            [ina_sim.program(), *arguments], stdout=output, stderr=subprocess.PIPE, text=True,
            check=False, cwd=tmp_path,
        )  # fmt: skip
    assert done.returncode == 4
    assert done.stderr == "ina: standard output cannot be written\n"


@pytest.fixture
def small_disk(tmp_path):
    """Function that mounts a file system of a given size in KiB."""
    folders = []

    def mount(kib):
        folder = tmp_path / f"disk{len(folders)}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", str(folder)]
        if shutil.which("mount") is None or subprocess.run(command, check=False).returncode != 0:
            pytest.skip("no right to mount a small file system")
        folders.append(folder)
        return folder

    yield mount
    for folder in folders:
        subprocess.run(["umount", folder], check=True)


def assert_complete_or_absent(folder, reference):
    """Every file with a final name has the same content as on a large disk."""
    assert temporaries(folder) == []
    for name in ina_sim.TABLES:
        if (folder / name).exists():
            assert (folder / name).read_bytes() == (reference / name).read_bytes()
    for point in (folder / "points").glob("?????-seed?"):
        for name in ina_sim.TABLES:
            expected = reference / "points" / point.name / name
            assert (point / name).read_bytes() == expected.read_bytes()
        assert (point / "manifest.json").read_text().endswith("}\n")


@pytest.mark.parametrize("kib", [4, 16, 32, 64, 80, 96])
def test_full_disk(tiny, tmp_path, small_disk, kib):
    """The disk is full before the first point, between points, or while their tables are merged."""
    reference = ina_sim.run(tiny, tmp_path / "reference")
    disk = small_disk(kib)
    done = ina_sim.ina("run", tiny, "--out", disk)
    assert_failed(done, "No space left on device", str(disk))
    if (disk / "tiny").exists():
        assert_complete_or_absent(disk / "tiny", reference)


def test_a_run_goes_on_when_there_is_room_again(tiny, tmp_path, small_disk):
    reference = ina_sim.run(tiny, tmp_path / "reference")
    disk = small_disk(64)
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(24 * 1024))
    assert_failed(ina_sim.ina("run", tiny, "--out", disk, "--parallel", "1"), "No space left")
    kept = len(list((disk / "tiny" / "points").iterdir()))
    subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
    done = ina_sim.ina("run", tiny, "--out", disk)
    assert done.returncode == 0, done.stderr
    assert (re.search(rf"^{kept} of 4 runs", done.stdout, re.M) is not None) == (kept > 0)
    assert ina_sim.tables(disk / "tiny") == ina_sim.tables(reference)


def test_files_must_not_grow(tiny, tmp_path):
    """Acts like a full disk, without the permission to mount one: writing fails in the middle of a file."""
    most = 1024

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    done = ina_sim.ina("run", tiny, "--out", tmp_path, preexec_fn=limit, restore_signals=False)
    assert_failed(done, "File too large", str(tmp_path))
    assert temporaries(tmp_path) == []
    assert finals(tmp_path) == ["tiny", "tiny/points"]


def test_a_disk_that_is_full_for_pcap_files_keeps_no_run(tiny, tmp_path):
    """There is room for the tables, but a run with half a pcap file is not finished."""
    most = 8192

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    keys = {"/outputs": '{"pcap": true, "switch_interval": "10ms"}', "/sweep": "{}"}
    done = ina_sim.ina(
        "run", tiny, "--out", tmp_path, *ina_sim.set_options(keys),
        preexec_fn=limit, restore_signals=False,
    )  # fmt: skip
    assert_failed(done, "host0.pcap: cannot be written to its end")
    assert finals(tmp_path) == ["tiny", "tiny/points"]


def test_time_limit(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--set", "/time_limit=6us", "--parallel", "1")
    assert done.returncode == 3
    violation, stopped = done.stderr.splitlines()
    assert "seed=1: /time_limit: not done after 6us of simulated time: job 0, worker 0" in violation
    assert stopped == "ina: tiny: stopped with 0 of 4 runs finished"
    assert temporaries(tmp_path) == []
    assert list((tmp_path / "tiny" / "points").iterdir()) == []


@pytest.mark.parametrize(
    "sizes, kept", [([5000], "it is"), ([5000, 5001], "they are")], ids=["one", "two"]
)
def test_a_failed_point_leaves_the_finished_ones(tiny, tmp_path, sizes, kept):
    """The last run exceeds the time limit. The runs before it are kept."""
    runs = len(sizes)
    sweep = {"/sweep": json.dumps({"/jobs/profile/layers/0/parameters": [*sizes, 5000000]})}
    limit = {"/time_limit": "100us"}
    options = ina_sim.set_options(sweep | limit)
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--parallel", "1", *options)
    assert done.returncode == 3
    assert f"run {runs} /jobs/profile/layers/0/parameters=5000000 seed=1" in done.stderr
    assert done.stderr.endswith(
        f"ina: tiny: stopped with {runs} of {runs + 1} runs finished; "
        f"{kept} kept in {tmp_path / 'tiny'} and not run again\n"
    )
    assert len(list((tmp_path / "tiny" / "points").iterdir())) == runs


def test_quiet_without_a_terminal(slow, tmp_path):
    done = ina_sim.ina("run", slow, "--out", tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\r" not in done.stdout
    assert "\033" not in done.stdout


def test_a_long_run_without_a_terminal_says_now_and_then_how_far_it_is(slow, tmp_path):
    """The default interval is a minute. The test uses the shortest possible interval."""
    done = ina_sim.ina("run", slow, "--out", tmp_path, "--progress-interval", "0")
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert all(
        re.fullmatch(
            r"ina: slow:  *\d+\.\d %  \d/5 runs  at \d+\.\d{3} ms  \d+\.\d M packet-hops/s"
            r"(  \d+ s left)?",
            line,
        )
        for line in lines
    ), done.stderr
    assert "100.0 %  5/5 runs" in lines[-1]


@pytest.mark.parametrize("full", [True, False], ids=["full", "closed"])
def test_a_run_that_cannot_say_how_far_it_is_goes_on(tiny, tmp_path, full):
    with ina_sim.broken_output(full) as nowhere:
        done = subprocess.run(
            [ina_sim.program(), "run", tiny, "--out", tmp_path, "--progress-interval", "0"],
            stdout=subprocess.PIPE, stderr=nowhere, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.endswith(f"results: {tmp_path / 'tiny'}\n")


class Terminal:
    """A run whose stderr is a terminal with a number of columns. It draws its progress as often as possible."""

    def __init__(self, scenario, out, columns, *options):
        self.parent, child = pty.openpty()
        self.resize(columns)
        self.process = subprocess.Popen(
            [ina_sim.program(), "run", str(scenario), "--out", str(out),
             "--progress-interval", "0", *options],
            stdout=subprocess.PIPE, stderr=child, text=True,
        )  # fmt: skip
        os.close(child)
        self.shown = b""

    def resize(self, columns):
        fcntl.ioctl(self.parent, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read(self):
        """Reads more output. Returns whether there was any."""
        try:
            more = os.read(self.parent, 4096)
        except OSError:  # the terminal's other end is closed
            more = b""
        self.shown += more
        return bool(more)

    def lines(self):
        """All lines that were drawn completely."""
        lines = self.shown.decode().replace("\033[K", "").split("\r")[:-1]
        return [line for line in lines if line]

    def end(self):
        while self.read():
            pass
        output, _ = self.process.communicate(timeout=PATIENCE_S)
        os.close(self.parent)
        return output


def test_progress_on_a_terminal(slow, tmp_path):
    terminal = Terminal(slow, tmp_path, 0)
    output = terminal.end()
    assert terminal.process.returncode == 0
    assert "results:" in output
    lines = terminal.lines()
    for line in lines:
        assert "packet-hops/s" in line
        assert "/5 runs" in line
        assert " ms" in line
    shares = [float(line.split("%")[0]) for line in lines]
    assert shares == sorted(shares)
    assert shares[-1] == 100
    assert lines[-1].endswith("  0 s left")
    assert terminal.shown.endswith(b"\r\033[K")  # the line is erased at the end


def test_progress_does_not_wrap_on_a_narrow_terminal_and_follows_its_size(slow, tmp_path):
    """The run would take minutes. The test stops it when it has seen all widths."""
    layer = "/jobs/profile/layers/0/parameters"
    options = ["--set", f'/sweep={{"{layer}": [400000000]}}', "--set", "/time_limit=1000s"]
    terminal = Terminal(slow, tmp_path, 40, *options)
    try:
        while len(terminal.lines()) < 5:
            assert terminal.read()
        assert {len(line) for line in terminal.lines()} == {39}
        terminal.resize(25)
        while len(terminal.lines()[-1]) != 24:
            assert terminal.read()
        terminal.process.send_signal(signal.SIGINT)
        terminal.end()
    finally:
        terminal.process.kill()
    assert terminal.process.returncode == 130
    assert {len(line) for line in terminal.lines()[:-1]} == {39, 24}
