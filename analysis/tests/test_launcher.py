# SPDX-License-Identifier: BSD-3-Clause
"""The launcher `ina` in a copy of the repository's top, with stand-ins for all that it starts."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW = ROOT / "tests" / "cli" / "slow.json"
SIMULATOR_OF_THIS_BUILD = os.environ.get("INA_SIM", ROOT / "build/release/bin/ina-sim")

# Builds nothing.
CMAKE = """#!/bin/sh
echo "cmake $*" >>"$CALLS"
build=@ROOT@/build/${INA_PRESET:-release}
case "$*" in
*--preset*) : >"$build/build.ninja" ;;
*)
    [ -z "${FAIL_BUILD-}" ] || { echo 'error: it does not compile'; exit 1; }
    mkdir -p "$build/bin"
    cp @ROOT@/simulator "$build/bin/ina-sim"
    cp @ROOT@/simulator "$build/bin/ina-bench" ;;
esac
"""

# Names $FOLDERS as its results and ends with $STATUS.
SIMULATOR = """#!/bin/sh
for argument; do echo "sim <$argument>" >>"$CALLS"; done
if [ "${1-}" = run ]; then
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

APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$CALLS"
"""

# One of two tests fails.
CTEST = """#!/bin/sh
echo "ctest $*" >>"$CALLS"
while [ "$1" != --output-junit ]; do shift; done
cat >"$2" <<'XML'
<testsuite>
<testcase name="good" status="run"><system-out>all is well</system-out></testcase>
<testcase name="bad" status="fail"><system-out>1 is not 2</system-out></testcase>
</testsuite>
XML
exit 8
"""

IDENTITY = """#!/bin/sh
echo "${USER_ID:-0}"
"""

TOOLS = ["sh", "sed", "tr", "xargs", "grep", "env", "mkdir", "flock", "tail", "dirname", "readlink",
         "mktemp", "rm", "cp", "cat", "sleep", "nproc"]


class Sandbox:
    def __init__(self, path):
        self.root = path / "the lab"
        self.calls = path / "calls"
        self.bin = path / "bin"
        (self.root / ".ci").mkdir(parents=True)
        self.bin.mkdir()
        shutil.copy(ROOT / "ina", self.root)
        shutil.copy(ROOT / "CMakeLists.txt", self.root)
        shutil.copy(ROOT / ".ci" / "packages", self.root / ".ci")
        (self.root / "analysis").symlink_to(ROOT / "analysis")
        (self.root / "tests").symlink_to(ROOT / "tests")
        self.script(self.root / "simulator", SIMULATOR)
        for name, text in {"cmake": CMAKE, "dpkg-query": DPKG_QUERY, "apt-get": APT_GET,
                           "ctest": CTEST, "id": IDENTITY}.items():
            self.script(self.bin / name, text)
        for tool in TOOLS:  # only these: neither sudo nor the real build tools
            (self.bin / tool).symlink_to(shutil.which(tool))

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
            capture_output=True, text=True, check=False, timeout=60,
        )

    def start(self, *arguments, stderr=None, **variables):
        """As ina(), in a process group of its own, without waiting for its end."""
        return subprocess.Popen(
            [self.root / "ina", *arguments], start_new_session=True, text=True,
            env=self.environment(**variables), stderr=stderr,
        )

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []


def wait_for(condition):
    deadline = time.monotonic() + 60
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


def test_run_passes_arguments_with_spaces_and_draws_every_result(lab, result_folder):
    first, second = result_folder("first one", axes={}), result_folder("second", axes={})
    ended = lab.ina("run", "my scenario.json", "-j", "2", FOLDERS=f"{first}\n{second}\n")
    assert ended.returncode == 0, ended.stderr
    assert [call for call in lab.called() if call.startswith("sim")][3:] == [
        "sim <my scenario.json>", "sim <-j>", "sim <2>",
    ]
    assert ended.stdout == f"{first}/jct.png\n{second}/jct.png\n"


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


def test_interrupted_run_ends_with_130_without_figures(lab, result_folder):
    folder = result_folder(axes={})
    running = lab.start("run", "a.json", FOLDERS=f"{folder}\n", SLEEP="30")
    marker = Path(f"{lab.calls}.folders-file")
    wait_for(marker.exists)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    assert running.wait(timeout=20) == 130
    assert not (folder / "jct.png").exists()
    assert not Path(marker.read_text().strip()).exists()


@pytest.mark.parametrize("to_group", [False, True], ids=["launcher", "group"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_simulator_at_once_and_keeps_finished_runs(
    lab, tmp_path, number, status, to_group
):
    """The simulator is the real one; it would run for minutes after its first, short run."""
    lab.script(lab.root / "simulator", f"#!/bin/sh\nexec '{SIMULATOR_OF_THIS_BUILD}' \"$@\"\n")
    lengths = {"sweep": {"/jobs/profile/layers/0/parameters": [100_000, 400_000_000]}}
    scenario = tmp_path / "long.json"
    scenario.write_text(json.dumps(json.loads(SLOW.read_text()) | lengths))
    running = lab.start("run", scenario, "--out", tmp_path, stderr=subprocess.PIPE)
    points = tmp_path / "long" / "points"
    wait_for(lambda: (points / "00000-seed1").exists() and running.poll() is None)
    if to_group:
        os.killpg(running.pid, number)
    else:
        running.send_signal(number)
    _, error = running.communicate(timeout=20)
    assert running.returncode == status, error
    assert error.endswith(f"1 of 2 runs finished; it is kept in {tmp_path}/long and not run again\n")
    assert [path.name for path in points.iterdir()] == ["00000-seed1"]
    with pytest.raises(ProcessLookupError):  # nothing is left behind
        os.killpg(running.pid, 0)


def test_second_use_configures_nothing(lab):
    assert "configuring" in lab.ina("validate", "a.json").stderr
    assert lab.ina("validate", "a.json").stderr.startswith("ina: building ina-sim (log: ")


def test_waiting_for_another_build_is_announced(lab):
    lab.ina("build")
    with open(lab.root / "build/release/ina-build.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = lab.start("validate", "a.json", stderr=subprocess.PIPE)
        assert "waiting for another ./ina" in waiting.stderr.readline()
    assert waiting.wait(timeout=20) == 0
    waiting.stderr.close()


def test_preset_can_be_chosen(lab):
    assert lab.ina("build", INA_PRESET="native").returncode == 0
    assert (lab.root / "build/native/bin/ina-sim").exists()
    assert any("--preset native" in call for call in lab.called())


def test_failed_build_shows_the_end_of_its_log(lab):
    ended = lab.ina("bench", FAIL_BUILD="1")
    assert ended.returncode == 1
    assert "it does not compile" in ended.stderr
    assert "ina-build.log" in ended.stderr


def test_test_builds_all_and_passes_arguments_and_status(lab):
    assert lab.ina("test", "-R", "traces").returncode == 8
    assert any("--target all" in call for call in lab.called())
    assert lab.called()[-1].startswith("ctest --preset release --output-junit ")
    assert lab.called()[-1].endswith(" -R traces")


def test_test_ends_with_what_failed(lab):
    ended = lab.ina("test")
    assert ended.stderr.endswith("\n---- bad\n1 is not 2\n")
    assert "all is well" not in ended.stderr


def test_missing_packages_are_announced_and_installed(lab):
    ended = lab.ina("install", ABSENT="cmake libfmt-dev")
    assert ended.returncode == 0
    assert "installing from Debian: cmake libfmt-dev" in ended.stderr
    assert lab.called() == [
        "apt-get -q update",
        "apt-get -q install -y --no-install-recommends cmake libfmt-dev",
    ]


def test_nothing_missing_is_quiet(lab):
    ended = lab.ina("install")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert lab.called() == []


def test_installation_can_be_switched_off(lab):
    assert lab.ina("install", ABSENT="cmake", INA_NO_INSTALL="1").returncode == 0
    assert lab.called() == []


def test_without_root_and_sudo_the_message_says_what_to_run(lab):
    ended = lab.ina("install", ABSENT="cmake", USER_ID="1000")
    assert ended.returncode == 1
    assert "neither root nor sudo" in ended.stderr
    assert lab.called() == []


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
    assert lab.ina("parts", folder).returncode == 0
    assert lab.ina("compare", folder, folder, "--tolerance", "0").returncode == 0
    assert lab.ina("compare", folder, result_folder("moved", axes={}, scale=2)).returncode == 1
