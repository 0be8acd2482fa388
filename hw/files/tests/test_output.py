# SPDX-License-Identifier: BSD-3-Clause
"""Files written on request: completely or not at all, and never over foreign files."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading

import pytest

from hw.commands import statuses
from hw.commands.errors import CommandError
from hw.files import output


def written(path, content):
    output.write_json("--json", path, "ina plot --json", content)
    return json.loads(path.read_text())


def png(*chunks):
    """The beginning of a PNG with these text chunks, up to its pixels."""
    data = output.PNG_SIGNATURE
    for keyword, text in chunks:
        content = f"{keyword}\0{text}".encode()
        data += len(content).to_bytes(4, "big") + b"tEXt" + content + bytes(4)
    return data + (3).to_bytes(4, "big") + b"IDAT" + bytes(3)


OURS = {
    "ina run --json": b'{\n  "written_by": "ina run --json",\n  "rows": []}',
    "png": png(("Title", "x"), ("Software", "INA Lab")),
    "pdf": b"%PDF-1.4\n" + 9000 * b"%\n" + b"<< /Creator (INA Lab) >>",
}
OTHERS = {
    "scenario": b'{"name": "a"}',
    "mark that is not the first": b'{"name": "a", "written_by": "ina run --json"}',
    "another program's mark": b'{"written_by": "cp"}',
    "table": b"point,system\n0,dsa\n",
    "png": png(("Software", "Matplotlib")),
    "cut png": output.PNG_SIGNATURE + b"\0\0",
    "png with the mark in its pixels": png() + b"Software\0INA Lab",
    "pdf": b"%PDF-1.4\n<< /Creator (TeX) >>",
}


def test_json_is_marked_and_can_be_written_again(tmp_path):
    path = tmp_path / "numbers.json"
    assert written(path, {"a": 1}) == {"written_by": "ina plot --json", "a": 1}
    assert list(written(path, {"a": 2})) == ["written_by", "a"]
    assert os.listdir(tmp_path) == ["numbers.json"]


@pytest.mark.parametrize("mark", OURS)
def test_what_carries_our_mark_is_ours_and_replaced_by_its_kind_and_command_only(tmp_path, mark):
    path = tmp_path / "file"
    path.write_bytes(OURS[mark])
    for other in (*OURS, "ina plot --json", "ina run"):
        if other == mark:
            output.check("--json", path, other)
        else:
            with pytest.raises(CommandError, match="contains something"):
                output.check("--json", path, other)


def test_an_empty_file_has_nothing_to_lose(tmp_path):
    path = tmp_path / "file"
    path.touch()
    assert written(path, {"a": 1}) == {"written_by": "ina plot --json", "a": 1}


def test_no_file_of_anybody_beside_is_touched(tmp_path, monkeypatch):
    """An existing file is never used as the temporary file, whatever its name."""
    names = iter(["1", "2", "3"])
    monkeypatch.setattr(output.secrets, "token_hex", lambda _: next(names))
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    theirs, link = tmp_path / ".ina-1.part", tmp_path / ".ina-2.part"
    theirs.write_text("theirs")
    link.symlink_to(victim)
    written(tmp_path / "file", {})
    assert {path.read_text() for path in (theirs, victim)} == {"theirs"}
    assert link.is_symlink()
    assert set(os.listdir(tmp_path)) == {"file", "victim", theirs.name, link.name}


def test_names_of_temporaries_differ_each_time(tmp_path):
    parts = {name_of_part(tmp_path / "file") for _ in range(100)}
    assert len(parts) == 100
    assert all(re.fullmatch(r"\.ina-[0-9a-f]{16}\.part", part) for part in parts)


def name_of_part(path):
    with output.create_part(path) as part:
        return os.path.basename(part.name)


def test_permissions_are_those_of_a_new_file_or_of_the_replaced_one(tmp_path):
    path = tmp_path / "file"
    before = os.umask(0o027)
    try:
        written(path, {})
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        written(path, {})
        assert path.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(before)


WRITE_TO_STDOUT = """
from hw.files import output
print("before")
output.check("--json", "/dev/stdout", "ina plot --json")
output.write_json("--json", "/dev/stdout", "ina plot --json", {})
print("after")
"""
IN_STDOUT = 'before\n{\n  "written_by": "ina plot --json"\n}\nafter\n'


def test_standard_output_that_is_a_pipe_gets_the_content():
    done = subprocess.run(
        [sys.executable, "-c", WRITE_TO_STDOUT], capture_output=True, text=True, check=True
    )
    assert done.stdout == IN_STDOUT


def test_standard_output_that_is_a_file_gets_the_content_in_its_turn_and_stays(tmp_path):
    path = tmp_path / "file"
    with open(path, "w+", encoding="utf-8") as file:
        subprocess.run([sys.executable, "-c", WRITE_TO_STDOUT], stdout=file, check=True)
        subprocess.run([sys.executable, "-c", WRITE_TO_STDOUT], stdout=file, check=True)
        assert os.fstat(file.fileno()).st_ino == path.stat().st_ino
    assert path.read_text() == 2 * IN_STDOUT


def test_a_descriptor_that_a_shell_passes_on_gets_the_content():
    end, ours = os.pipe()
    output.write_json("--json", f"/dev/fd/{ours}", "ina plot --json", {})
    os.close(ours)
    with open(end, encoding="utf-8") as file:
        assert json.load(file) == {"written_by": "ina plot --json"}


@pytest.mark.parametrize("content", OTHERS.values(), ids=OTHERS)
def test_anything_else_is_refused_and_stays(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        written(path, {})
    assert refused.value.status == statuses.WRONG_INPUT
    assert str(refused.value) == (
        f"--json: {path} contains something that --json did not write; allowed: a new file, or a file "
        "that --json wrote"
    )
    assert path.read_bytes() == content


def test_folders_and_places_in_none_are_refused(tmp_path):
    for path, words in {
        tmp_path: "is a folder",
        tmp_path / "gone" / "file": "no such folder",
        tmp_path / "a\0b": "null byte",
        tmp_path / ("x" * 300): "too long",
    }.items():
        with pytest.raises(CommandError, match=words):
            output.check("--json", path, "ina plot --json")


def test_a_link_is_followed_not_replaced(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    written(link, {})
    assert link.is_symlink()
    assert target.is_file()


def test_a_pipe_gets_the_content(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(json.loads(pipe.read_text())))
    reader.start()
    output.write_json("--json", pipe, "ina plot --json", {})
    reader.join()
    assert found == [{"written_by": "ina plot --json"}]
    assert pipe.is_fifo()


def test_a_full_device_is_told_in_one_line(tmp_path):
    with pytest.raises(CommandError, match="--json: /dev/full: No space left") as trouble:
        output.write_json("--json", "/dev/full", "ina plot --json", {})
    assert trouble.value.status == statuses.ENVIRONMENT_ERROR


@contextlib.contextmanager
def small_disk():
    """Limits files to 100 bytes, as on a full disk; this includes files of pytest."""
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_files_are_written_all_or_none(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(OURS["ina run --json"])
    with pytest.raises(CommandError, match="second: File too large") as trouble, small_disk():
        output.write("--json", {first: ("ina run --json", b"{}"), second: ("png", bytes(101))})
    assert trouble.value.status == statuses.ENVIRONMENT_ERROR
    assert os.listdir(tmp_path) == ["first"]
    assert first.read_bytes() == OURS["ina run --json"]
