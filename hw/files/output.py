# SPDX-License-Identifier: BSD-3-Clause
"""Files that a command writes on request: completely or not at all, and never over foreign files.

Such a file carries a mark, and only a file with the same mark is overwritten. JSON begins with
command and option (`"written_by": "ina plot --json"`), a PNG has the text `Software: INA Lab`,
a PDF names the same as its creator, an HTML page as its generator, and Markdown begins with a
comment. The C++ files of this folder do the same.
"""

import contextlib
import json
import os
import re
import secrets
import stat
import struct
import sys
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR

MARK = "INA Lab"
PNG, PDF = FIGURES = ("png", "pdf")
HTML = "html"
MARKDOWN = "md"
MARKDOWN_MARK = "<!-- written by INA Lab -->"
HTML_MARK = f'<meta name="generator" content="{MARK}">'

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PDF_SIGNATURE = b"%PDF-"
HTML_SIGNATURE = b"<!DOCTYPE html>"
PDF_CREATOR = f"/Creator ({MARK})".encode()
MOST_LINKS = 40  # the kernel's limit
OWN_JSON = re.compile(rb'\s*\{\s*"written_by"\s*:\s*"(ina [^"]*)"')
# Contains the mark of all our formats; only a PDF has its mark at the end.
HEAD_BYTES = 4096


def check(option, path, mark):
    """Refuses, before any work, a path where write() would destroy something or fail.

    `option` is the option that the path belongs to, such as `--json`; `mark` is the value that
    own_mark() will return for the new file. JSON may go to pipes, devices and descriptors of ours.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
        descriptor = own_descriptor(path)
    except FileNotFoundError:
        check_folder(option, path)
        return
    except (OSError, ValueError) as error:
        raise CommandError(f"{option}: {path}: {reason(error)}") from None
    if stat.S_ISDIR(mode):
        raise CommandError(f"{option}: {path} is a folder; allowed: a file")
    if mark in FIGURES and (descriptor is not None or not stat.S_ISREG(mode)):
        raise CommandError(f"{option}: {path} is not a regular file; allowed: a file")
    if descriptor is None and stat.S_ISREG(mode):
        check_own(option, path, mark)
        check_folder(option, path)


def check_own(option, path, mark):
    try:
        found = own_mark(path)
        is_empty = path.stat().st_size == 0  # may be overwritten
    except OSError as error:
        raise CommandError(f"{option}: {path}: {reason(error)}") from None
    if found != mark and not is_empty:
        raise CommandError(
            f"{option}: {path} contains something that {option} did not write; allowed: a new file, "
            f"or a file that {option} wrote"
        )


def made_folder(option, path):
    """Creates a folder with its parents, and returns its path."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except PermissionError:
        raise CommandError(f"{option}: {path}: no permission; allowed: a folder to write to") from None
    except (FileExistsError, NotADirectoryError):
        raise CommandError(
            f"{option}: {path}: a file is in the way; allowed: a folder, or where one can be made"
        ) from None
    return Path(path)


def check_folder(option, path):
    """Refuses a path whose folder os.replace() could not write to."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise CommandError(f"{option}: {folder}: no such folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CommandError(f"{option}: {folder}: no permission to write there")


def own_mark(path):
    """The mark of a regular file of ours: PNG, PDF, HTML, MARKDOWN, or the writer of JSON; None for
    a foreign file."""
    with open(path, "rb") as file:
        head = file.read(HEAD_BYTES)
        if head.startswith(PNG_SIGNATURE):
            return PNG if png_texts(head).get("Software") == MARK else None
        if head.startswith(PDF_SIGNATURE):
            return PDF if PDF_CREATOR in head + file.read() else None
    if head.startswith(HTML_SIGNATURE):
        return HTML if HTML_MARK.encode() in head else None
    if head.startswith(MARKDOWN_MARK.encode()):
        return MARKDOWN
    found = OWN_JSON.match(head)
    return found and found[1].decode(errors="replace")


def png_texts(head):
    """The text chunks of a PNG that precede its pixels."""
    texts, at = {}, len(PNG_SIGNATURE)
    while at + 8 <= len(head):
        length, kind = struct.unpack_from(">I4s", head, at)
        if kind == b"IDAT":
            break
        if kind == b"tEXt":
            keyword, _, text = head[at + 8 : at + 8 + length].decode("latin-1").partition("\0")
            texts[keyword] = text
        at += length + 12  # length and kind before the chunk, checksum after it
    return texts


def write_json(option, path, written_by, content):
    """Writes the object `content`, marked as written by a command such as `ina plot --json`."""
    text = json.dumps({"written_by": written_by, **content}, indent=2, allow_nan=False) + "\n"
    write(option, {path: (written_by, text.encode())})


def write(option, contents):
    """Writes files with our marks, {path: (mark, bytes)}: all of them or none."""
    for path, (mark, _) in contents.items():
        check(option, path, mark)
    try:
        put({path: content for path, (_, content) in contents.items()})
    except OSError as error:
        raise CommandError(f"{option}: {error.filename}: {reason(error)}", ENVIRONMENT_ERROR) from None


def put(contents):
    """Writes files, {path: bytes}: all of them or none.

    They are first written next to their targets, under unpredictable names; a killed process leaves
    .ina-*.part behind. A path that is not a regular file is written to, not replaced. Raises
    OSError with the given path.
    """
    parts = []
    try:
        for path, content in contents.items():
            if is_replaced(path):
                target = Path(os.path.realpath(path))
                with create_part(target) as file:
                    parts.append((file.name, target, path))
                    file.write(content)
            else:
                write_through(path, content)
        for part, target, path in parts:
            os.replace(part, target)
    except OSError as error:
        raise OSError(error.errno, reason(error), str(path)) from None
    finally:
        for part, *_ in parts:
            with contextlib.suppress(OSError):
                os.unlink(part)


def is_replaced(path):
    """Whether put() creates a new file there, so that existing content would be lost."""
    return own_descriptor(path) is None and (not os.path.exists(path) or os.path.isfile(path))


def own_descriptor(path):
    """The descriptor of this process that a path such as /dev/stdout or /dev/fd/63 names."""
    ours = os.path.realpath("/proc/self/fd")
    path = os.fspath(path)
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(path)
        if os.path.realpath(folder) == ours and name.isdecimal():
            return int(name)
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return None


def write_through(path, content):
    """Writes to a pipe or a device, or appends to what was written to the same descriptor."""
    descriptor = own_descriptor(path)
    if descriptor is not None:
        sys.stdout.flush()  # keep the order: earlier output must come first
    with open(path if descriptor is None else os.dup(descriptor), "wb") as file:
        file.write(content)


def create_part(target):
    """Creates a file next to the target, with the permissions of the file that it will replace."""
    while True:
        part = target.with_name(f".ina-{secrets.token_hex(8)}.part")
        with contextlib.suppress(FileExistsError):
            file = open(part, "xb")  # O_EXCL; 0666 less the umask, like any new file
            break
    with contextlib.suppress(OSError):  # no target yet, or a file system without permissions
        os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
    return file


def reason(error):
    """The system's reason for an error, without the path."""
    return getattr(error, "strerror", None) or " ".join(str(error).split())
