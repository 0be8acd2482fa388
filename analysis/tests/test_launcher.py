# SPDX-License-Identifier: BSD-3-Clause
"""The launcher `ina` in a copy of the repository's top, with stubs for all programs that it starts."""

import contextlib
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW = ROOT / "tests" / "cli" / "slow.json"
SIMULATOR_OF_THIS_BUILD = os.environ.get("INA_SIM", ROOT / "build/release/bin/ina-sim")
PATIENCE_S = 600  # before a test counts as hanging; no test depends on speed

# Builds nothing, in the steps $STEPS, and blocks at the last one until $GATE, a FIFO, is closed.
CMAKE = """#!/bin/sh
echo "cmake $*" >>"$CALLS"
case "$1" in
-S)
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" >"$2/build/$4/CMakeCache.txt"
    : >"$2/build/$4/build.ninja" ;;
--build)
    [ -z "${FAIL_BUILD-}" ] || { echo 'error: it does not compile'; exit 1; }
    printf "${STEPS-}"
    echo "$$" >"$CALLS.builder"
    [ -z "${GATE-}" ] || cat "$GATE"
    mkdir -p "$2/bin"
    cp @ROOT@/simulator "$2/bin/ina-sim"
    cp @ROOT@/simulator "$2/bin/ina-bench" ;;
esac
"""

# Prints $FOLDERS as its results and exits with $STATUS.
SIMULATOR = """#!/bin/sh
for argument; do echo "sim <$argument>" >>"$CALLS"; done
if [ "${2-}" = --folders-file ]; then
    printf '%s' "${FOLDERS-}" >"$3"
    echo "$3" >"$CALLS.folders-file"
fi
[ -z "${SLEEP-}" ] || sleep "$SLEEP"
exit "${STATUS:-0}"
"""

DPKG_QUERY = """#!/bin/sh
shift 3
for package; do
    case " ${ABSENT-} " in *" $package "*) ;; *) echo "$package installed" ;; esac
done
"""

# Refuses to install if $REFUSAL is set, the reason that a simulated installation prints.
APT_GET = """#!/bin/sh
case $* in
*--simulate*) printf '%b' "$REFUSAL"; exit ;;
esac
echo "apt-get $*" >>"$CALLS"
case $* in *install*) [ -z "${REFUSAL-}" ] || exit 100 ;; esac
"""

SUDO = """#!/bin/sh
exec "$@"
"""

# One of three tests fails, another one is skipped, and so is a part of a third.
CTEST = """#!/bin/sh
echo "ctest $*" >>"$CALLS"
while [ "$1" != --output-junit ]; do shift; done
cat >"$2" <<'XML'
<testsuite>
<testcase name="good" status="run"><system-out>all is well
SKIPPED [2] tests/test_good.py:7: no rights
</system-out></testcase>
<testcase name="absent" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>SKIPPED [1] hw/test_absent.py:9: no PyTorch: python3-torch is not installed
</system-out></testcase>
<testcase name="Real.Time" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>/lab/idle.cpp:45: Skipped
no priority
</system-out></testcase>
<testcase name="bad" status="fail"><system-out>1 is not 2</system-out></testcase>
</testsuite>
XML
exit 8
"""

IDENTITY = """#!/bin/sh
echo "${USER_ID:-0}"
"""

TOOLS = ["sh", "env", "flock", "readlink", "setpriv",  # for the launcher
         "cat", "cp", "mkdir", "sleep"]  # for the stubs


class Sandbox:
    def __init__(self, path):
        self.root = path / "the lab"
        self.calls = path / "calls"
        self.bin = path / "bin"
        (self.root / ".ci").mkdir(parents=True)
        self.bin.mkdir()
        shutil.copy(ROOT / "ina", self.root)
        for file in ("CMakeLists.txt", "CMakePresets.json", "VERSION"):
            shutil.copy(ROOT / file, self.root)
        for file in ("packages", "packages-tests", "packages-docs", "packages-notebook"):
            shutil.copy(ROOT / ".ci" / file, self.root / ".ci")
        self.copy_analysis()
        (self.root / "tests").symlink_to(ROOT / "tests")
        self.script(self.root / "simulator", SIMULATOR)
        for name, text in {"cmake": CMAKE, "dpkg-query": DPKG_QUERY, "apt-get": APT_GET,
                           "ctest": CTEST, "id": IDENTITY, "sudo": SUDO}.items():
            self.script(self.bin / name, text)
        for tool in TOOLS:  # only these, not the real build tools
            (self.bin / tool).symlink_to(shutil.which(tool))

    def copy_analysis(self):
        """Copies the launcher, and links everything else."""
        shutil.copytree(ROOT / "analysis" / "launcher", self.root / "analysis" / "launcher")
        for path in (ROOT / "analysis").iterdir():
            if path.name != "launcher":
                (self.root / "analysis" / path.name).symlink_to(path)
        (self.root / "hw").mkdir()
        for name in ("commands", "files"):
            self.link_hw(name)

    def link_hw(self, name):
        (self.root / "hw" / name).symlink_to(ROOT / "hw" / name)

    def script(self, path, text):
        path.write_text(text.replace("@ROOT@", f"'{self.root}'"))
        path.chmod(0o755)

    def environment(self, **variables):
        home = os.environ.get("HOME", "/")
        own = {"PATH": str(self.bin), "HOME": home, "CALLS": str(self.calls)}
        return {**own, "PYTHONDONTWRITEBYTECODE": "1", **variables}

    def ina(self, *arguments, launcher=None, cwd="/", **variables):
        return subprocess.run(
            [launcher or self.root / "ina", *arguments], cwd=cwd, env=self.environment(**variables),
            capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )

    def tell_steps_often(self):
        """Makes builds show their progress all the time."""
        builds = self.root / "analysis" / "launcher" / "builds.py"
        text = builds.read_text()
        assert "PROGRESS_INTERVAL_S = 30 " in text
        builds.write_text(text.replace("PROGRESS_INTERVAL_S = 30 ", "PROGRESS_INTERVAL_S = 0.01 "))

    def change_source(self):
        path = self.root / "hw" / "protocol" / "ring.cpp"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"// {path.stat().st_size if path.exists() else 0}\n")
        return path

    def start_build_that_waits(self, **variables):
        """Returns the launcher, and the gate at which the stub of the build waits."""
        path = self.root.parent / "gate"
        os.mkfifo(path)
        building = self.start("build", **STEPS, GATE=str(path), stderr=subprocess.PIPE, **variables)
        while True:
            assert building.poll() is None
            with contextlib.suppress(OSError):  # no reader yet
                return building, os.fdopen(os.open(path, os.O_WRONLY | os.O_NONBLOCK), "w")
            time.sleep(0.02)

    def builder_is_gone(self):
        """Whether the stub of the build has begun and ended."""
        builder = Path(f"{self.calls}.builder").read_text().strip()
        return not Path(f"/proc/{builder}").exists() or state_of(builder) == "Z"

    def start(self, *arguments, stderr=None, **variables):
        """Like ina(), in a process group of its own, without waiting for its end."""
        return subprocess.Popen(
            [self.root / "ina", *arguments], start_new_session=True, text=True,
            env=self.environment(**variables), stderr=stderr,
        )

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []


def state_of(process):
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def programs_of(group):
    """The running programs of a process group. Zombies count as ended, since some systems never
    reap orphans."""
    programs = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            head, _, tail = (folder / "stat").read_text().rpartition(")")
        except OSError:
            continue
        state, _, its_group = tail.split()[:3]
        if int(its_group) == group and state != "Z":
            programs.append(head.partition("(")[2])
    return programs


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)


@pytest.fixture
def lab(tmp_path):
    return Sandbox(tmp_path)


@pytest.mark.parametrize("arguments", [[], ["no-such-command"]])
def test_without_a_command_help_goes_to_stderr_with_status_2(lab, arguments):
    ended = lab.ina(*arguments)
    assert ended.returncode == 2
    assert "Usage: ina" in ended.stderr
    assert ended.stdout == ""
    assert lab.called() == []


def test_help_and_version_start_nothing(lab):
    assert "validate" in lab.ina("--help").stdout
    assert lab.ina("--version").stdout.split()[0] == "ina"
    assert lab.called() == []


@pytest.mark.parametrize("arguments", [
    ["--help"], ["--version"], ["run", "--help"], ["build", "--help"], ["testbed", "--help"],
    ["testbed", "run", "--help"], ["bench", "hw", "--help"],
])
def test_help_that_cannot_be_written_ends_in_one_line(lab, arguments):
    lab.link_hw("testbed")
    with open("/dev/full", "w") as full:
        ended = subprocess.run([lab.root / "ina", *arguments], env=lab.environment(), check=False,
                               stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 4
    assert ended.stderr.startswith("ina: standard output")
    assert len(ended.stderr.splitlines()) == 1


def test_run_passes_arguments_with_spaces_and_draws_every_result(lab, result_folder):
    first, second = (result_folder(name, axes={}) for name in ("first one", "second"))
    ended = lab.ina("run", "my scenario.json", "-j", "2", FOLDERS=f"{first}\n{second}\n")
    assert ended.returncode == 0, ended.stderr
    assert [call for call in lab.called() if call.startswith("sim")][3:] == [
        "sim <my scenario.json>", "sim <-j>", "sim <2>",
    ]
    assert ended.stdout == f"{first}/jct.png\n{second}/jct.png\n"


def imports_of(ended):
    """The modules that each Python of a command imported, in the order in which the Pythons started."""
    heads = re.split(r"^import time: self .*\n", ended.stderr, flags=re.MULTILINE)[1:]
    return [set(re.findall(r"^import time:.*\| +(\S+)$", text, flags=re.MULTILINE)) for text in heads]


def test_a_command_of_the_simulator_starts_one_python_without_packages(lab):
    lab.ina("build")
    (imported,) = imports_of(lab.ina("validate", "a.json", PYTHONPROFILEIMPORTTIME="1"))
    assert "analysis.launcher" in imported
    assert not imported & {"site", "subprocess", "argparse", "json", "numpy", "pandas", "matplotlib"}


def test_a_command_with_figures_starts_one_python_and_imports_what_it_draws(lab, result_folder):
    lab.ina("build")
    first, second = (result_folder(name, axes={}) for name in ("first", "second"))
    profile = {"PYTHONPROFILEIMPORTTIME": "1"}
    (imported,) = imports_of(lab.ina("report", str(first), **profile))
    assert {"pandas", "matplotlib"} <= imported
    assert not imported & {"matplotlib.backends.backend_pdf", "fontTools"}
    folders = f"{first}\n{second}\n"
    (imported,) = imports_of(lab.ina("run", "a.json", FOLDERS=folders, **profile))
    assert "matplotlib.backends.backend_pdf" in imported
    (imported,) = imports_of(lab.ina("run", "a.json", FOLDERS=folders, **profile))
    assert not imported & {"site", "pandas", "matplotlib"}


def test_run_draws_again_only_after_a_change(lab, result_folder):
    folder = result_folder(axes={})
    figures = [folder / "jct.png", folder / "jct.pdf"]

    def times():
        ended = lab.ina("run", "a.json", FOLDERS=f"{folder}\n")
        assert (ended.returncode, ended.stdout) == (0, f"{folder}/jct.png\n")
        return [path.stat().st_mtime_ns for path in figures]

    drawn = times()
    assert times() == drawn
    assert lab.ina("run", "a.json", "--quiet", FOLDERS=f"{folder}\n").stdout == ""
    (folder / "manifest.json").touch()
    changed = times()
    assert min(changed) > max(drawn)
    figures[1].unlink()
    assert min(times()) > max(changed)


def test_merge_draws_what_it_made(lab, result_folder):
    folder = result_folder(axes={})
    ended = lab.ina("merge", "one", "two", FOLDERS=f"{folder}\n")
    assert ended.returncode == 0, ended.stderr
    calls = [call for call in lab.called() if call.startswith("sim")]
    assert (calls[0], calls[3:]) == ("sim <merge>", ["sim <one>", "sim <two>"])
    assert ended.stdout == f"{folder}/jct.png\n"


def test_reproduce_hands_the_simulator_scenarios_and_options(lab, tmp_path):
    for paper in ("switchml", "atp", "dsa"):
        (lab.root / "scenarios" / "papers" / paper).mkdir(parents=True)
    out = tmp_path / "my results"
    ended = lab.ina("reproduce", "S2", "--seeds", "1-2", "--out", str(out))
    assert ended.returncode == 0, ended.stderr
    calls = [call for call in lab.called() if call.startswith("sim")]
    assert calls[:3] == ["sim <run>", "sim <--out>", f"sim <{out}>"]
    assert calls[3:5] == ["sim <--seeds>", "sim <1-2>"]
    assert calls[5].endswith("scenarios/papers/switchml/s2.json>")
    assert ended.stdout.endswith(f"{out}/S2.html\n")


def test_run_removes_its_temporary_file(lab):
    lab.ina("run", "a.json")
    assert not Path(Path(f"{lab.calls}.folders-file").read_text().strip()).exists()


@pytest.mark.parametrize("status", [1, 2, 130])
def test_run_keeps_the_status_of_the_simulator(lab, status):
    assert lab.ina("run", "a.json", STATUS=str(status)).returncode == status


def test_run_fails_if_a_figure_cannot_be_drawn(lab, tmp_path):
    ended = lab.ina("run", "a.json", FOLDERS=f"{tmp_path}/gone\n")
    assert ended.returncode == 2
    assert "no such folder" in ended.stderr
    ended = lab.ina("run", "a.json", FOLDERS=f"{tmp_path}/gone\n", STATUS="3")
    assert ended.returncode == 3


COMMANDS = ["run", "merge", "validate", "regress", "sensitivity", "reproduce", "testbed", "testbed run", "testbed exec", "plot", "breakdown", "compare",
            "switch", "switch report", "switch load", "bench", "bench hw", "explore", "campaign", "test",
            "fuzz", "build", "install"]


@pytest.mark.parametrize(("command", "ask"), [*((command, "--help") for command in COMMANDS), ("run", "-h")])
def test_help_of_a_command_builds_and_installs_nothing(lab, command, ask):
    ended = lab.ina(*command.split(), ask, ABSENT="cmake python3-torch")
    assert ended.returncode == 0, ended.stderr
    assert command.split()[0] in ended.stdout
    assert "Usage: ina COMMAND" not in ended.stdout
    assert (lab.called(), (lab.root / "build").exists()) == ([], False)


def test_help_is_the_programs_own_once_it_is_built_and_else_names_the_command(lab):
    before = lab.ina("run", "a.json", "--help")
    assert before.stdout.startswith("  run FILE... ")
    assert "./ina build ina-sim" in before.stdout
    lab.ina("build")
    built = len(lab.called())
    assert lab.ina("run", "a.json", "--help").stdout == ""
    assert lab.called()[built:] == ["sim <run>", "sim <--help>"]


@pytest.mark.parametrize("command", ["plot", "report", "compare", "regress", "sensitivity", "reproduce"])
def test_help_without_the_packages_of_the_analysis_says_how_to_get_them(lab, tmp_path, command):
    for package in ("pandas", "matplotlib"):
        (tmp_path / f"{package}.py").write_text(f"raise ImportError('no {package}')")
    ended = lab.ina(command, "--help", PYTHONPATH=str(tmp_path))
    assert ended.returncode == 0 and ended.stderr == ""
    assert ended.stdout.startswith(f"  {command} ")
    assert ended.stdout.endswith("Its options: ./ina install, then this again.\n")


def test_help_after_two_dashes_is_another_programs(lab):
    lab.ina("testbed", "exec", "a.json", "--", "train", "--help")
    assert any("--build" in call for call in lab.called())


@pytest.mark.parametrize("command", ["run", "build", "test", "plot"])
@pytest.mark.parametrize("preset", ["foo", "../release", "release,", "two\nlines", "release\nfoo",
                                    "foo\nrelease", "release\n"])
def test_an_unknown_preset_is_refused_in_one_line_and_makes_no_folder(lab, command, preset):
    ended = lab.ina(command, INA_PRESET=preset)
    allowed = "release, native, debug, sanitize" + (", fuzz" if command == "build" else "")
    found = preset.replace("\n", "?")
    assert ended.stderr == f'ina: INA_PRESET: found "{found}"; allowed: {allowed}\n'
    assert (ended.returncode, ended.stdout, lab.called()) == (2, "", [])
    assert not (lab.root / "build").exists()


@pytest.mark.parametrize("target", ["foo", "", ".", "../bin/ina-sim", "replay\nfoo", "foo\nreplay"])
def test_what_is_no_fuzz_target_is_refused_in_one_line_and_not_run(lab, target):
    (lab.bin / "ls").symlink_to(shutil.which("ls"))
    targets = lab.root / "build" / "fuzz" / "targets"
    targets.mkdir(parents=True)
    for name in ("journal", "replay"):
        (targets / name).touch()
    ended = lab.ina("fuzz", target)
    shown = target.replace("\n", "?")
    assert ended.stderr.splitlines()[1:] == [
        f"ina: no fuzz target: {shown}; allowed: journal, replay"
    ]
    assert ended.returncode == 2
    assert not any(call.startswith("sim") for call in lab.called())


def test_the_preset_of_fuzz_targets_builds_nothing_else(lab):
    refused = lab.ina("run", "a.json", INA_PRESET="fuzz")
    assert refused.stderr.startswith('ina: INA_PRESET: found "fuzz"; allowed: release, ')
    assert (refused.returncode, lab.called()) == (2, [])


def test_every_preset_can_be_chosen(lab):
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    assert len(presets) > 4
    for preset in presets:
        assert lab.ina("build", INA_PRESET=preset["name"]).returncode == 0


@pytest.mark.parametrize("put", [shutil.move, partial(shutil.copytree, symlinks=True)],
                         ids=["moved", "copied"])
def test_a_checkout_of_another_place_is_configured_anew_and_builds_its_own_sources(lab, put):
    lab.ina("build")
    built = len(lab.called())
    other = lab.root.with_name("another lab")
    shutil.copy(lab.root / "simulator", lab.root.parent)
    put(lab.root, other)
    simulator = lab.bin / "cmake"
    simulator.write_text(simulator.read_text().replace(f"'{lab.root}'/", f"'{lab.root.parent}'/"))
    ended = lab.ina("validate", "a.json", launcher=other / "ina")
    assert (ended.returncode, lab.root.exists()) == (0, put is not shutil.move), ended.stderr
    assert lab.called()[built : built + 2] == [
        f"cmake -S {other} --preset release --fresh",
        f"cmake --build {other}/build/release --target ina-sim",
    ]
    assert "configuring" not in lab.ina("build", launcher=other / "ina").stderr


STEPS = {"STEPS": "[1/12] Building a.o\\n[2/12] Linking a rather long name\\nnote\\n"}
INTERRUPTED = "ina: interrupted; the next build continues from there\n"


def test_a_build_tells_how_far_it_is_where_there_is_no_terminal_and_keeps_its_whole_log(lab):
    lab.tell_steps_often()
    building, gate = lab.start_build_that_waits()
    while (line := building.stderr.readline()) != "ina: building: 2 of 12 steps\n":
        assert line.startswith("ina: "), line
    print("[12/12] Done", file=gate)
    gate.close()
    assert building.wait(timeout=PATIENCE_S) == 0
    building.stderr.close()
    log = (lab.root / "build/release/ina-build.log").read_text()
    assert log == STEPS["STEPS"].replace("\\n", "\n") + "[12/12] Done\n"


@pytest.mark.parametrize("columns", [12, 24, 200])
def test_on_a_terminal_a_build_rewrites_one_line_that_never_wraps(lab, columns):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    building = lab.start("build", **STEPS, stderr=theirs)
    os.close(theirs)
    printed = b""
    while text := read_terminal(ours):
        printed += text
    os.close(ours)
    assert building.wait(timeout=PATIENCE_S) == 0
    before, after = printed.decode().split("ina-build.log)\r\n")
    steps = ["[1/12] Building a.o", "[2/12] Linking a rather long name"]
    shown = [step[: columns - 1] for step in steps]
    assert after == "".join(f"\r{step}\033[K" for step in [*shown, ""])


def read_terminal(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # all readers have closed it
        return b""


@pytest.mark.parametrize("to_group", [False, True], ids=["launcher", "group"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_build_with_one_line(lab, number, status, to_group):
    building, gate = lab.start_build_that_waits()
    if to_group:
        os.killpg(building.pid, number)
    else:
        building.send_signal(number)
    _, error = building.communicate(timeout=PATIENCE_S)
    assert building.returncode == status, error
    assert error.endswith(f"ina-build.log)\n{INTERRUPTED}")
    assert lab.builder_is_gone()
    gate.close()


def test_a_killed_launcher_takes_its_build_along(lab):
    building, gate = lab.start_build_that_waits()
    building.kill()
    building.communicate()
    wait_for(lab.builder_is_gone)
    gate.close()


def test_a_log_that_cannot_be_written_ends_the_build_in_one_line(lab):
    folder = lab.root / "build/release"
    lab.ina("build")
    (folder / "ina-build.log").unlink()
    (folder / "ina-build.log").symlink_to("/dev/full")
    ended = lab.ina("build", **STEPS)
    assert ended.returncode == 4
    log = f"{folder}/ina-build.log"
    assert ended.stderr == f"ina: {log}: No space left on device\n"


@pytest.fixture
def open_lab():
    """Lets other users read the lab."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield Sandbox(folder)
    shutil.rmtree(folder)


def ina_without_rights(lab, *arguments, **variables):
    """Runs ina as a user other than root."""
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] * (os.geteuid() == 0)
    return subprocess.run([*prefix, lab.root / "ina", *arguments], env=lab.environment(**variables),
                          capture_output=True, text=True, check=False)


def test_another_user_in_a_built_checkout_is_told_what_to_do_once_sources_change(open_lab):
    open_lab.ina("build")
    (open_lab.root / "build/release/ina-build.lock").chmod(0o444)
    shared = {"CALLS": "/dev/null"}
    assert ina_without_rights(open_lab, "validate", "a.json", **shared).returncode == 0
    open_lab.change_source()
    ended = ina_without_rights(open_lab, "validate", "a.json", **shared)
    assert ended.stderr == (
        f"ina: {open_lab.root}/build/release: Permission denied: use the built programs with "
        f"INA_NO_BUILD=1, or build a checkout of your own: cp -r '{open_lab.root}' FOLDER, then FOLDER/ina\n"
    )
    assert ended.returncode == 4
    as_it_is = ina_without_rights(open_lab, "validate", "a.json", **shared, INA_NO_BUILD="1")
    assert (as_it_is.returncode, as_it_is.stderr) == (0, "")


def test_interrupted_run_ends_with_130_without_figures(lab, result_folder):
    folder = result_folder(axes={})
    running = lab.start("run", "a.json", FOLDERS=f"{folder}\n", SLEEP="100000")
    marker = Path(f"{lab.calls}.folders-file")
    wait_for(lambda: marker.exists() and marker.read_text())
    os.killpg(running.pid, signal.SIGINT)  # like a terminal
    assert running.wait(timeout=PATIENCE_S) == 130
    assert not (folder / "jct.png").exists()
    assert not Path(marker.read_text().strip()).exists()


@pytest.mark.parametrize("to_group", [False, True], ids=["launcher", "group"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_simulator_at_once_and_keeps_finished_runs(
    lab, tmp_path, number, status, to_group
):
    running, points = start_long_run(lab, tmp_path)
    if to_group:
        os.killpg(running.pid, number)
    else:
        running.send_signal(number)
    _, error = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == status, error
    assert error.endswith("1 of 2 runs finished; it is kept in " + kept(tmp_path))
    assert [path.name for path in points.iterdir()] == ["00000-seed1"]
    with pytest.raises(ProcessLookupError):  # no process is left
        os.killpg(running.pid, 0)


def test_a_killed_launcher_takes_the_simulator_along_which_keeps_finished_runs(lab, tmp_path):
    running, points = start_long_run(lab, tmp_path)
    running.kill()
    running.wait()
    wait_for(lambda: programs_of(running.pid) == [])
    assert running.stderr.read().endswith("it is kept in " + kept(tmp_path))
    running.stderr.close()
    assert [path.name for path in points.iterdir()] == ["00000-seed1"]


def start_long_run(lab, tmp_path):
    """Starts the real simulator, which would run for minutes after its first, short run, and waits
    for the end of that one. Returns the launcher and the folder of the runs."""
    lab.script(lab.root / "simulator", f"#!/bin/sh\nexec '{SIMULATOR_OF_THIS_BUILD}' \"$@\"\n")
    lengths = {"sweep": {"/jobs/profile/layers/0/parameters": [100_000, 400_000_000]}}
    scenario = tmp_path / "long.json"
    scenario.write_text(json.dumps(json.loads(SLOW.read_text()) | lengths))
    running = lab.start("run", scenario, "--out", tmp_path, stderr=subprocess.PIPE)
    points = tmp_path / "long" / "points"
    wait_for(lambda: (points / "00000-seed1").exists() and running.poll() is None)
    return running, points


def kept(tmp_path):
    return f"{tmp_path}/long and not run again\n"


def test_second_use_configures_nothing(lab):
    assert "configuring" in lab.ina("validate", "a.json").stderr
    lab.change_source()
    ended = lab.ina("validate", "a.json", **STEPS)
    assert ended.stderr.startswith("ina: building ina-sim (log: ")


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
def test_where_nothing_is_to_be_built_a_command_tells_of_no_build(lab, terminal):
    lab.ina("build")
    lab.change_source()
    ours, theirs = pty.openpty() if terminal else os.pipe()
    steps = "[1/2] Re-checking globbed directories...\\n[2/2] Noting the commit\\nninja: no work to do.\\n"
    running = lab.start("validate", "a.json", STEPS=steps, stderr=theirs)
    os.close(theirs)
    assert running.wait(timeout=PATIENCE_S) == 0
    assert read_terminal(ours) == b""
    os.close(ours)


def test_every_command_of_the_build_has_a_comment_to_show_as_its_step():
    lists = [ROOT / "CMakeLists.txt"]
    for part in ("hw", "ns3-modules", "scenarios", "switch-models", "tests"):
        lists += [*(ROOT / part).rglob("CMakeLists.txt"), *(ROOT / part).rglob("*.cmake")]
    commands = re.findall(r"add_custom_(?:command|target)\((?:[^()]|\([^()]*\))*\)",
                          "".join(file.read_text() for file in lists))
    commands = [command for command in commands if "COMMAND " in command]
    assert len(commands) >= 3
    assert [command for command in commands if "COMMENT " not in command] == []


def test_the_step_that_every_build_does_is_the_one_that_is_not_told():
    steps = (ROOT / "analysis/launcher/build_steps.py").read_text()
    info = (ROOT / "ns3-modules/ina-cluster/app/build-info.cmake").read_text()
    assert re.search(r'COMMENT "([^"]*)"\) # by every build', info)[1] in steps


def test_waiting_for_another_build_is_announced(lab):
    lab.ina("build")
    lab.change_source()
    with open(lab.root / "build/release/ina-build.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = lab.start("validate", "a.json", stderr=subprocess.PIPE)
        assert "waiting for another ./ina" in waiting.stderr.readline()
    assert waiting.wait(timeout=PATIENCE_S) == 0
    waiting.stderr.close()


@pytest.mark.parametrize("to_group", [False, True], ids=["launcher", "group"])
def test_waiting_for_another_build_can_be_interrupted(lab, to_group):
    lab.ina("build")
    lab.change_source()
    with open(lab.root / "build/release/ina-build.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = lab.start("validate", "a.json", stderr=subprocess.PIPE)
        assert "waiting for another ./ina" in waiting.stderr.readline()
        wait_for(lambda: "flock" in programs_of(waiting.pid))
        if to_group:
            os.killpg(waiting.pid, signal.SIGINT)
        else:
            waiting.send_signal(signal.SIGINT)
        assert waiting.communicate(timeout=PATIENCE_S)[1] == INTERRUPTED
    assert waiting.returncode == 130
    assert programs_of(waiting.pid) == []


def built_targets(lab):
    """The targets of each build since the lab was created."""
    return [call.split("--target ")[1] for call in lab.called() if "--target" in call]


def hold_lock(lab):
    lock = open(lab.root / "build/release/ina-build.lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


@pytest.mark.parametrize("target", ["ina-sim", "all"])
def test_unchanged_sources_need_neither_cmake_nor_packages_nor_the_lock(lab, target):
    lab.ina("build", target)
    built = len(lab.called())
    with hold_lock(lab):
        ended = lab.ina("validate", "a.json", ABSENT="cmake")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert lab.called()[built:] == ["sim <validate>", "sim <a.json>"]


def test_without_a_build_few_modules_are_loaded(lab):
    """Each of these modules takes longer to load than the check of the sources."""
    lab.ina("build")
    loaded = lab.ina("validate", "a.json", PYTHONPROFILEIMPORTTIME="1").stderr
    modules = {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
    assert "analysis.launcher.sources" in modules
    assert modules.isdisjoint({"subprocess", "shutil", "tempfile", "json", "re", "site", "runpy"})


def change_time(path):
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


CHANGES = {
    "a source": lambda lab: lab.change_source(),
    "the time of a source": lambda lab: change_time(lab.root / "hw/protocol/dsa.hpp"),
    "one source less": lambda lab: (lab.root / "hw/protocol/dsa.hpp").unlink(),
    "CMake's files": lambda lab: change_time(lab.root / "CMakeLists.txt"),
    "the version": lambda lab: (lab.root / "VERSION").write_text("9.9.9\n"),
    "the list of packages": lambda lab: change_time(lab.root / ".ci/packages"),
    "a commit": lambda lab: (lab.root / ".git/logs/HEAD").write_text("another\n"),
    "no program": lambda lab: (lab.root / "build/release/bin/ina-sim").unlink(),
    "another's configuration": lambda lab: change_time(lab.root / "build/release/build.ninja"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_change_a_command_builds_again_once(lab, change):
    for name in ("hw/protocol/dsa.hpp", ".git/logs/HEAD"):
        (lab.root / name).parent.mkdir(parents=True, exist_ok=True)
        (lab.root / name).touch()
    for _ in range(2):
        assert lab.ina("validate", "a.json").returncode == 0
    assert built_targets(lab) == ["ina-sim"]
    CHANGES[change](lab)
    for _ in range(2):
        assert lab.ina("validate", "a.json").returncode == 0
    assert built_targets(lab) == ["ina-sim"] * 2


@pytest.mark.parametrize("name", ["my.json", "scenarios/my.json", "hw/tool.py", "results/x.cpp",
                                  "README.md", "build/release/x.hpp"])
def test_files_that_no_program_is_made_of_lead_to_no_build(lab, name):
    lab.ina("build")
    (lab.root / name).parent.mkdir(exist_ok=True)
    (lab.root / name).touch()
    lab.ina("validate", "a.json")
    assert built_targets(lab) == ["all"]


def test_a_target_that_was_not_built_is_built_though_no_source_has_changed(lab):
    lab.ina("validate", "a.json")
    lab.ina("bench")
    lab.ina("validate", "a.json")
    assert built_targets(lab) == ["ina-sim", "ina-bench"]


def test_a_source_that_changes_during_a_build_is_built_by_the_next_command(lab):
    building, gate = lab.start_build_that_waits()
    lab.change_source()
    gate.close()
    building.communicate(timeout=PATIENCE_S)
    lab.ina("validate", "a.json")
    assert built_targets(lab) == ["all", "ina-sim"]


def test_after_a_failed_build_sources_as_they_were_are_built_again(lab):
    source = lab.change_source()
    lab.ina("build")
    before = source.stat().st_mtime_ns
    change_time(source)
    assert lab.ina("validate", "a.json", FAIL_BUILD="1").returncode == 4
    os.utime(source, ns=(0, before))
    lab.ina("validate", "a.json")
    assert built_targets(lab) == ["all", "ina-sim", "ina-sim"]


@pytest.mark.parametrize("how", ["option", "variable"])
def test_no_build_uses_what_is_there_whatever_has_changed(lab, how):
    lab.ina("build")
    lab.change_source()
    arguments = ["--no-build"] if how == "option" else []
    variables = {} if how == "option" else {"INA_NO_BUILD": "1"}
    with hold_lock(lab):
        ended = lab.ina("validate", *arguments, "a.json", ABSENT="cmake", **variables)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert lab.called()[-2:] == ["sim <validate>", "sim <a.json>"]
    assert built_targets(lab) == ["all"]


@pytest.mark.parametrize("command", ["plot", "breakdown", "report", "compare", "diff"])
def test_no_build_lets_an_analysis_look_at_no_packages(lab, command):
    ended = lab.ina(command, "no such folder", "--no-build", ABSENT="cmake")
    assert (ended.returncode, "--no-build" in ended.stderr) == (2, False)
    assert lab.called() == []


@pytest.mark.parametrize("arguments", [["validate", "a.json"], ["run", "a.json"], ["bench"],
                                       ["testbed", "run", "a.json"], ["test"], ["fuzz"],
                                       ["switch", "report"], ["explore"]])
def test_no_build_refuses_what_is_not_built(lab, arguments):
    ended = lab.ina(*arguments, "--no-build")
    assert ended.returncode == 4
    preset = "fuzz" if arguments == ["fuzz"] else "release"
    assert ended.stderr.startswith(f"ina: {lab.root}/build/{preset}: not built: ")
    assert len(ended.stderr.splitlines()) == 1
    assert (lab.called(), (lab.root / "build").exists()) == ([], False)


def test_a_build_without_a_build_is_refused(lab):
    ended = lab.ina("build", INA_NO_BUILD="1")
    assert (ended.returncode, len(ended.stderr.splitlines()), lab.called()) == (2, 1, [])


def test_no_build_after_two_dashes_is_another_programs(lab):
    lab.ina("testbed", "exec", "a.json", "--", "train", "--no-build")
    assert built_targets(lab)[:1] == ["ina-sim"]


def test_a_commit_in_a_worktree_is_noticed(lab):
    store = lab.root.parent / "store"
    (store / "logs").mkdir(parents=True)
    (store / "logs" / "HEAD").touch()
    (lab.root / ".git").write_text(f"gitdir: {store}\n")
    lab.ina("validate", "a.json")
    (store / "logs" / "HEAD").write_text("another\n")
    lab.ina("validate", "a.json")
    assert built_targets(lab) == ["ina-sim"] * 2


def test_preset_can_be_chosen(lab):
    assert lab.ina("build", INA_PRESET="native").returncode == 0
    assert (lab.root / "build/native/bin/ina-sim").exists()
    assert any("--preset native" in call for call in lab.called())


def test_failed_build_shows_the_end_of_its_log(lab):
    ended = lab.ina("bench", FAIL_BUILD="1")
    assert ended.returncode == 4
    assert "it does not compile" in ended.stderr
    assert ended.stderr.endswith(f"whole log: {lab.root}/build/release/ina-build.log\n")


def test_test_builds_all_and_passes_arguments_and_status(lab):
    assert lab.ina("test", "-R", "traces").returncode == 8
    assert any("--target all" in call for call in lab.called())
    assert lab.called()[-1].startswith("ctest --preset release --output-junit ")
    assert lab.called()[-1].endswith(" -R traces")


def test_test_ends_with_what_failed_and_in_one_line_what_was_skipped_and_why(lab):
    ended = lab.ina("test")
    assert ended.stderr.endswith(
        "\n---- bad\n1 is not 2\nina: skipped 2 of good: no rights; absent: no PyTorch: "
        "python3-torch is not installed; Real.Time: no priority\n"
    )
    assert "all is well" not in ended.stderr


INSTALL = "install -y --no-install-recommends --no-remove"


def test_missing_packages_are_announced_and_installed(lab):
    ended = lab.ina("install", ABSENT="cmake libfmt-dev")
    assert ended.returncode == 0
    assert "installing from Debian: cmake libfmt-dev" in ended.stderr
    assert lab.called() == [
        "apt-get -q update",
        f"apt-get -q {INSTALL} cmake libfmt-dev",
    ]


REFUSALS = {
    "a package to remove": (
        "Remv libold-dev [1.0]\\nRemv tool [2.0]\\nInst cmake (3.25)\\n",
        ": the installation would remove libold-dev, tool: resolve that, or provide cmake in another way "
        "and set INA_NO_INSTALL=1",
    ),
    "a conflict": (
        "The following packages have unmet dependencies:\\n cmake : Conflicts: tool but 2.0 is\\n",
        ": cmake : Conflicts: tool but 2.0 is: resolve that, or provide cmake in another way and set "
        "INA_NO_INSTALL=1",
    ),
    "nothing known": ("Reading package lists...\\n", ""),
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_a_refused_installation_names_what_stands_in_the_way(lab, reason):
    printed, shown = REFUSALS[reason]
    ended = lab.ina("validate", "a.json", ABSENT="cmake", REFUSAL=printed)
    assert ended.returncode == 4
    assert ended.stderr.splitlines() == [
        "ina: installing from Debian: cmake", f"ina: apt-get install failed{shown}",
    ]
    assert lab.called() == ["apt-get -q update", f"apt-get -q {INSTALL} cmake"]


@pytest.fixture
def bare_lab(lab):
    """A lab without Python until apt-get has installed it."""
    launcher = lab.root / "ina"
    text = launcher.read_text()
    assert "python=/usr/bin/python3\n" in text
    launcher.write_text(text.replace("/usr/bin/python3\n", f"{lab.bin}/python3\n"))
    apt_get = lab.bin / "apt-get"
    installing = f'case $* in *python3*) ln -s {sys.executable} {lab.bin}/python3 ;; esac\n'
    apt_get.write_text(apt_get.read_text() + installing)
    (lab.bin / "ln").symlink_to(shutil.which("ln"))
    return lab


def test_python_is_installed_first(bare_lab):
    ended = bare_lab.ina("install", USER_ID="1000")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == "ina: installing from Debian: python3\n"
    assert bare_lab.called() == ["apt-get -q update", f"apt-get -q {INSTALL} python3"]


@pytest.mark.parametrize(("arguments", "variables", "reason"), [
    (["run", "--help"], {}, "help needs python3: ./ina install, then this again\n"),
    (["--help"], {}, "help needs python3: ./ina install, then this again\n"),
    (["run"], {"INA_NO_INSTALL": "1"}, "INA_NO_INSTALL=1"),
    (["run"], {"USER_ID": "1000", "NO_SUDO": "1"}, "neither root nor sudo"),
])
def test_without_python_that_may_not_be_installed_one_line_says_why(
    bare_lab, arguments, variables, reason
):
    if "NO_SUDO" in variables:
        (bare_lab.bin / "sudo").unlink()
    ended = bare_lab.ina(*arguments, **variables)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (4, 1)
    assert reason in ended.stderr
    assert bare_lab.called() == []


@pytest.mark.parametrize(("arguments", "needed"), [
    (["run", "a.json"], False), (["bench"], False), (["build"], False), (["test"], True),
    (["fuzz"], True), (["install"], True), (["bench", "hw"], True),
])
def test_packages_of_tests_are_installed_where_tests_and_benches_need_them(lab, arguments, needed):
    lab.ina(*arguments, ABSENT="python3-torch")
    installed = f"apt-get -q {INSTALL} python3-torch" in lab.called()
    assert installed == needed


def test_jupyter_is_installed_for_notebooks_only(lab):
    for arguments in (["install"], ["python", "-c", ""], ["run", "a.json"]):
        lab.ina(*arguments, ABSENT="jupyter-notebook")
    assert not any(call.startswith("apt-get") for call in lab.called())
    lab.ina("notebook", "--version", ABSENT="jupyter-notebook")
    assert f"apt-get -q {INSTALL} jupyter-notebook" in lab.called()


@pytest.mark.parametrize(("arguments", "needed"), [
    (["run", "a.json"], False), (["bench"], False), (["fuzz"], False), (["test"], True), (["install"], True), (["docs"], True),
])
def test_packages_of_the_manual_are_installed_where_it_is_built(lab, arguments, needed):
    lab.ina(*arguments, ABSENT="furo")
    assert (f"apt-get -q {INSTALL} furo" in lab.called()) == needed


def test_docs_takes_no_argument(lab):
    ended = lab.ina("docs", "html")
    assert (ended.returncode, ended.stderr) == (2, "ina: docs: found html; allowed: no argument\n")


def test_nothing_missing_is_quiet(lab):
    ended = lab.ina("install")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert lab.called() == []


def test_installation_can_be_switched_off(lab):
    assert lab.ina("install", ABSENT="cmake", INA_NO_INSTALL="1").returncode == 0
    assert lab.called() == []


def test_without_root_and_sudo_the_message_says_what_to_run(open_lab):
    (open_lab.bin / "sudo").unlink()
    ended = ina_without_rights(open_lab, "install", ABSENT="cmake")
    assert ended.returncode == 4
    assert "neither root nor sudo" in ended.stderr
    assert open_lab.called() == []


PYTHON = """
import os, sys, inalab
print(sys.argv[1:], os.path.dirname(inalab.__file__))
print(all(os.environ[name].startswith(sys.argv[1]) for name in sys.argv[2].split()))
"""


def test_python_finds_inalab_gets_its_arguments_and_has_folders_in_the_checkout(lab):
    lab.ina("build")
    variables = "IPYTHONDIR JUPYTER_CONFIG_DIR JUPYTER_DATA_DIR JUPYTER_RUNTIME_DIR MPLCONFIGDIR"
    rest = [f"{lab.root}/build/", variables, "--help", "--no-build"]
    ended = lab.ina("python", "-c", PYTHON, *rest)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [f"{rest} {lab.root}/analysis/inalab", "True"]


def test_python_keeps_the_users_folders_and_the_choice_not_to_build(lab, tmp_path):
    lab.ina("build")
    code = "import os; print(os.environ['MPLCONFIGDIR'], os.environ['INA_NO_BUILD'])"
    ended = lab.ina("python", "--no-build", "-c", code, MPLCONFIGDIR=str(tmp_path))
    assert ended.stdout == f"{tmp_path} 1\n", ended.stderr


def test_inalab_runs_the_simulator_of_the_checkout_which_is_built_if_it_changed(lab):
    code = "from inalab import simulator; print(simulator.program()); print(simulator.program())"
    ended = lab.ina("python", "-c", code)
    assert ended.stdout.splitlines() == [f"{lab.root}/build/release/bin/ina-sim"] * 2, ended.stderr
    assert len([call for call in lab.called() if call.startswith("cmake --build")]) == 1
    change = f"open('{lab.root}/CMakeLists.txt', 'a').write('#')"
    ended = lab.ina("python", "-c", f"{change}; {code}")
    assert len([call for call in lab.called() if call.startswith("cmake --build")]) == 2, ended.stderr


def test_works_by_a_symlink_and_beside_modules_of_the_same_name(lab, result_folder, tmp_path):
    folder = result_folder(axes={})
    link = tmp_path / "link"
    link.symlink_to(lab.root / "ina")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "analysis.py").write_text("raise SystemExit('the wrong module')\n")
    (elsewhere / "json.py").write_text("raise SystemExit('the wrong module')\n")
    ended = lab.ina("plot", f"../{folder.name}", launcher=link, cwd=elsewhere)
    assert ended.returncode == 0, ended.stderr
    assert (folder / "jct.png").exists()


def test_compare_and_parts_reach_the_analysis(lab, result_folder):
    folder = result_folder(axes={})
    assert lab.ina("breakdown", folder).returncode == 0
    assert lab.ina("compare", folder, folder, "--tolerance", "0").returncode == 0
    assert lab.ina("compare", folder, result_folder("moved", axes={}, scale=2)).returncode == 1


@pytest.mark.parametrize("figure", [".", "gone/x.png", "x.pgn", "mine.png"])
def test_a_figure_that_cannot_be_written_is_refused_before_the_report(lab, tmp_path, figure):
    (tmp_path / "mine.png").write_text("mine")
    arguments = ["--json", "x.json", "--figure", figure]
    ended = lab.ina("switch", "report", *arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("ina: --figure: ")
    assert not [call for call in lab.called() if call.startswith("sim")]


@pytest.mark.parametrize("numbers", ["x.png", "./x.png", "link.png"])
def test_a_report_and_its_figure_cannot_go_to_one_file(lab, tmp_path, numbers):
    (tmp_path / "link.png").symlink_to("x.png")
    arguments = ["--json", numbers, "--figure", "x.png"]
    ended = lab.ina("switch", "report", *arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == (
        "ina: switch report: --json and --figure are both x.png; allowed: two files"
    )
    assert os.listdir(tmp_path).count("x.png") == 0


@pytest.mark.parametrize("option", ["--figure", "--json"])
def test_a_report_without_the_name_of_its_file_is_refused(lab, option):
    for arguments in ([option], [option, ""], [f"{option}="]):
        ended = lab.ina("switch", "report", *arguments)
        assert ended.returncode == 2
        assert ended.stderr.splitlines()[-1].startswith(f"ina: switch report {option}: allowed: a")
        assert not [call for call in lab.called() if call.startswith("sim")]
