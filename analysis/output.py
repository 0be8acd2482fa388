# SPDX-License-Identifier: BSD-3-Clause
"""Files that a command writes on request: whole or not at all, and never over what is not ours.

Such a file carries a mark, by which it is known when it is to be written again: JSON begins with
`"written_by": "ina ..."`, a PNG has the text `Software: INA Lab`, a PDF has that as its creator.
"""

import contextlib
import json
import os
import re
import stat
import struct
from pathlib import Path

MARK = "INA Lab"
JSON, PNG, PDF = "json", "png", "pdf"
BAD_INPUT = 2
TROUBLE = 1

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PDF_SIGNATURE = b"%PDF-"
PDF_CREATOR = f"/Creator ({MARK})".encode()
OWN_JSON = re.compile(rb'\s*\{\s*"written_by"\s*:\s*"ina ')
# Longer than all that stands before a mark in what we write; a PDF has its own at the end.
HEAD_BYTES = 4096


class OutputError(Exception):
    """What keeps a file from being written, in one line, and the exit status."""

    def __init__(self, message, status=BAD_INPUT):
        super().__init__(message)
        self.status = status


def check(option, path, kind=JSON):
    """Refuses, before any work, a place where write() would destroy something or fail.

    `option` is what the user gave the path for, such as `--json`. JSON may go to pipes and devices.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        check_folder(option, path)
        return
    except (OSError, ValueError) as error:
        raise OutputError(f"{option}: {path}: {reason(error)}") from None
    if stat.S_ISDIR(mode):
        raise OutputError(f"{option}: {path} is a folder; allowed: a file")
    if stat.S_ISREG(mode):
        check_own(option, path, kind)
        check_folder(option, path)
    elif kind != JSON:
        raise OutputError(f"{option}: {path} is no file; allowed: a file")


def check_own(option, path, kind):
    try:
        found = own_kind(path)
    except OSError as error:
        raise OutputError(f"{option}: {path}: {reason(error)}") from None
    if found != kind:
        raise OutputError(
            f"{option}: {path} holds something else than what {option} wrote; allowed: a new file, "
            f"or one that {option} wrote before"
        )


def check_folder(option, path):
    """Refuses what os.replace() could not put there."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise OutputError(f"{option}: {folder}: no such folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{option}: {folder}: no permission to write there")


def own_kind(path):
    """What a regular file that carries our mark is; None of another's file."""
    with open(path, "rb") as file:
        head = file.read(HEAD_BYTES)
        if head.startswith(PNG_SIGNATURE):
            return PNG if png_texts(head).get("Software") == MARK else None
        if head.startswith(PDF_SIGNATURE):
            return PDF if PDF_CREATOR in head + file.read() else None
    return JSON if OWN_JSON.match(head) else None


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
    write(option, {path: (JSON, text.encode())})


def write(option, contents):
    """Writes files, {path: (kind, bytes)} that carry our mark, all of them or none."""
    parts = []
    try:
        for path, (kind, content) in contents.items():
            check(option, path, kind)
            target = Path(os.path.realpath(path))
            if target.exists() and not target.is_file():
                target.write_bytes(content)  # a pipe or a device
                continue
            part = target.with_name(f".ina-{os.getpid()}-{len(parts)}.part")
            parts.append((part, target))
            part.write_bytes(content)
        for part, target in parts:
            os.replace(part, target)
    except OSError as error:
        raise OutputError(f"{option}: {path}: {reason(error)}", TROUBLE) from None
    finally:
        for part, _ in parts:
            with contextlib.suppress(OSError):
                part.unlink()


def reason(error):
    """Why the system refused, without the path."""
    return getattr(error, "strerror", None) or " ".join(str(error).split())
