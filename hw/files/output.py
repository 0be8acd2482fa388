# SPDX-License-Identifier: BSD-3-Clause
"""Files that a command writes on request: whole or not at all, and never over what is not ours.

Such a file carries a mark, by which it is known when it is to be written again: JSON begins with
its writer, command and option (`"written_by": "ina plot --json"`), a PNG has the text
`Software: INA Lab`, a PDF has that as its creator, an HTML page that as its generator,
Markdown begins with a comment. The C++ files of this folder do the same.
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
MOST_LINKS = 40  # as the kernel allows
OWN_JSON = re.compile(rb'\s*\{\s*"written_by"\s*:\s*"(ina [^"]*)"')
# Longer than all that stands before a mark in what we write; a PDF has its own at the end.
HEAD_BYTES = 4096


def check(option, path, mark):
    """Refuses, before any work, a place where write() would destroy something or fail.

    `option` is what the user gave the path for, such as `--json`; `mark` is what own_mark() returns
    of what write() would put there. JSON may go to pipes, devices and descriptors of ours.
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
        is_empty = path.stat().st_size == 0  # with nothing to lose
    except OSError as error:
        raise CommandError(f"{option}: {path}: {reason(error)}") from None
    if found != mark and not is_empty:
        raise CommandError(
            f"{option}: {path} holds something else than what {option} wrote; allowed: a new file, "
            f"or one that {option} wrote before"
        )


def made_folder(option, path):
    """The folder at a path, which is made."""
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
    """Refuses what os.replace() could not put there."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise CommandError(f"{option}: {folder}: no such folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CommandError(f"{option}: {folder}: no permission to write there")


def own_mark(path):
    """The mark of a regular file of ours: PNG, PDF, HTML, MARKDOWN or the writer of JSON; None of
    another's file."""
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
    """The texts of a PNG that stand before its pixels."""
    texts, at = {}, len(PNG_SIGNATURE)
    while at + 8 <= len(head):
        length, kind = struct.unpack_from(">I4s", head, at)
        if kind == b"IDAT":
            break
        if kind == b"tEXt":
            keyword, _, text = head[at + 8 : at + 8 + length].decode("latin-1").partition("\0")
            texts[keyword] = text
        at += length + 12  # its own length and kind before, its sum behind
    return texts


def write_json(option, path, written_by, content):
    """Writes the object `content`, marked as written by a command such as `ina plot --json`."""
    text = json.dumps({"written_by": written_by, **content}, indent=2, allow_nan=False) + "\n"
    write(option, {path: (written_by, text.encode())})


def write(option, contents):
    """Writes files, {path: (mark, bytes)} that carry our marks, all of them or none."""
    for path, (mark, _) in contents.items():
        check(option, path, mark)
    try:
        put({path: content for path, (_, content) in contents.items()})
    except OSError as error:
        raise CommandError(f"{option}: {error.filename}: {reason(error)}", ENVIRONMENT_ERROR) from None


def put(contents):
    """Writes files, {path: bytes}, all of them or none: first beside their places, under names that
    nobody can foresee. Raises OSError with the path that was given. After a kill .ina-*.part are
    left behind. What is not a regular file gets the content and stays what it is.
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
    """Whether a new file comes there, and what there is would be lost."""
    return own_descriptor(path) is None and (not os.path.exists(path) or os.path.isfile(path))


def own_descriptor(path):
    """The descriptor of this process that a path such as /dev/stdout or /dev/fd/63 stands for."""
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
    """To a pipe or a device, or behind what was written to the same descriptor."""
    descriptor = own_descriptor(path)
    if descriptor is not None:
        sys.stdout.flush()  # lest what was printed before comes after
    with open(path if descriptor is None else os.dup(descriptor), "wb") as file:
        file.write(content)


def create_part(target):
    """A new file beside a place, with the permissions of what is there."""
    while True:
        part = target.with_name(f".ina-{secrets.token_hex(8)}.part")
        with contextlib.suppress(FileExistsError):
            file = open(part, "xb")  # as any new file: O_EXCL, 0666 less the umask
            break
    with contextlib.suppress(OSError):  # no such place yet, or a file system without permissions
        os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
    return file


def reason(error):
    """Why the system refused, without the path."""
    return getattr(error, "strerror", None) or " ".join(str(error).split())
