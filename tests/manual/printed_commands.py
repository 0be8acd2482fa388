# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands in pages of the manual.

    printed_commands.py BUILD PAGE...

uses the programs of a build folder, and replaces the figures that the pages show.

Every ```sh block of a page is run, command by command, in one shell. These comments in the page's source, above a
block or picture, change this. The site does not show them:

    <!-- builds -->                 above the first block: the commands of the page change and build sources
    <!-- not run: REASON -->        the block is not run
    <!-- ends with status N -->     the last command has this status
    <!-- needs FILE of PAGE -->     it reads FILE: the JSON below "Save this as `FILE`" in PAGE
    <!-- figure FILE -->            the commands draw the picture below as FILE

The commands of a block must print every line of the ```text block that follows, in this order. Other lines may come
in between, such as progress on a slow machine. A line `...` has no effect. The number of spaces does not matter.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_BEHIND = {"build", "results", ".git"}  # at the top of a checkout
LOCALE = ("LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES")  # the compiler cache stores a file once per locale
CACHES = shutil.ignore_patterns("__pycache__", ".*_cache")

LEFT_OUT = "..."
BUILDS = "<!-- builds -->"
NOT_RUN = re.compile(r"<!-- not run: (?P<reason>.+) -->")
STATUS = re.compile(r"<!-- ends with status (?P<status>\d+) -->")
NEEDS = re.compile(r"<!-- needs (?P<file>\S+) of (?P<page>\S+) -->")
FIGURE = re.compile(r"^<!-- figure (?P<file>\S+) -->\n!\[[^\]]*\]\((?P<picture>[^)]+)\)", re.MULTILINE)
FENCE = re.compile(r"```(?P<language>\w*)$")


class PageError(Exception):
    """Raised if commands cannot be parsed, or do not do what the page says."""


@dataclass
class Block:
    """A block of commands. `line`: the number of its first line in the page."""

    line: int
    lines: list
    reason: str = ""
    status: int = 0
    needs: list = field(default_factory=list)
    prints: list = field(default_factory=list)


@dataclass
class Command:
    line: int
    text: str
    status: int = 0


def blocks_of(text):
    """The blocks of commands of a page, in order."""
    blocks, marks, fence, last = [], [], None, None
    for number, line in enumerate(text.splitlines(), start=1):
        found = FENCE.match(line)
        if fence is None and found:
            fence, content, first = found["language"], [], number + 1
        elif fence is not None and line == "```":
            if fence == "sh":
                last = marked(Block(first, content), marks)
                blocks.append(last)
            elif fence == "text" and last is not None:
                last.prints += content
            fence, marks = None, []
        elif fence is not None:
            content.append(line)
        elif line.startswith("<!-- "):
            marks.append(line)
        elif line:
            marks = []
    return blocks


def marked(block, marks):
    for mark in marks:
        if found := NOT_RUN.fullmatch(mark):
            block.reason = found["reason"]
        elif found := STATUS.fullmatch(mark):
            block.status = int(found["status"])
        elif found := NEEDS.fullmatch(mark):
            block.needs.append((found["file"], found["page"]))
    return block


def commands_of(block):
    """The commands of a block. A command may have several lines: here-documents, loops, backslashes."""
    commands, lines = [], []
    for number, line in enumerate(block.lines, start=block.line):
        if not lines and (not line or line.startswith("#")):
            continue
        lines.append(line)
        text = "\n".join(lines)
        if is_complete(text):
            commands.append(Command(number - len(lines) + 1, text))
            lines = []
    if lines:
        raise PageError(f"line {block.line}: the last command is not complete:\n" + "\n".join(lines))
    if commands:
        commands[-1].status = block.status
    return commands


def is_complete(text):
    if text.endswith("\\"):
        return False
    checked = subprocess.run(["bash", "-n"], input=f"{text}\n", capture_output=True, text=True, check=False)
    return (checked.returncode, checked.stderr) == (0, "")


def saved_file(page, name):
    """The JSON that a page tells its readers to save under a name."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"Save this as `{re.escape(name)}`[^`]*```json\n(.*?)```", text, re.DOTALL)
    if found is None:
        raise PageError(f"{page}: no JSON below 'Save this as `{name}`'")
    return found[1]


@dataclass
class Place:
    """A copy of the checkout, a folder for the output of commands, and the environment of commands."""

    checkout: Path
    output: Path
    environment: dict


@contextlib.contextmanager
def place(page, build):
    """A temporary Place for a page, with the programs of a build folder unless the page builds its own. Its path is
    short, as sockets require."""
    with tempfile.TemporaryDirectory(prefix="ina-page-") as folder:
        checkout, output, home = (Path(folder, name) for name in ("ina-lab", "output", "home"))
        shutil.copytree(ROOT, checkout, symlinks=True, ignore=not_copied)
        output.mkdir()
        home.mkdir()
        own = {"HOME": str(home), "INA_NO_INSTALL": "1"}
        if BUILDS in page.read_text(encoding="utf-8").splitlines():
            own |= with_compiler_cache(checkout)
        else:
            own |= with_programs(checkout, Path(build).resolve())
        kept = {name: os.environ[name] for name in ("PATH", "INA_TRACES") if name in os.environ}
        yield Place(checkout, output, kept | own)


def not_copied(folder, names):
    return CACHES(folder, names) | (LEFT_BEHIND if Path(folder) == ROOT else set())


def with_programs(checkout, build):
    """Links the programs of a build folder into a checkout. Returns the environment variables for them."""
    programs = checkout / "build" / "release"
    programs.mkdir(parents=True)
    for name in ("bin", "lib"):
        (programs / name).symlink_to(build / name)
    return {"LC_ALL": "C.UTF-8", "INA_NO_BUILD": "1"}


def with_compiler_cache(checkout):
    """Prepares a checkout for a build without downloads. Returns the environment variables for it. The build uses this
    user's compiler cache, although HOME is another folder."""
    boost = ROOT / "build" / "boost"
    if boost.exists():
        (checkout / "build").mkdir()
        (checkout / "build" / "boost").symlink_to(boost.resolve())
    locale = {name: os.environ[name] for name in LOCALE if name in os.environ}
    return locale | {"CCACHE_DIR": cache_setting("cache_dir"), "CCACHE_MAXSIZE": cache_setting("max_size")}


def cache_setting(name):
    return subprocess.run(["ccache", "--get-config", name], capture_output=True, text=True, check=True).stdout.strip()


def figures_of(page):
    """(file that the commands of a page draw, picture of the page) for each of its figures."""
    found = FIGURE.finditer(page.read_text(encoding="utf-8"))
    return [(figure["file"], (page.parent / figure["picture"]).resolve()) for figure in found]


def run_page(page, place):
    """Runs the commands of a page. Raises PageError if they do not do what the page says."""
    checkout, scratch = place.checkout, place.output
    blocks = [block for block in blocks_of(page.read_text(encoding="utf-8")) if not block.reason]
    for block in blocks:
        for name, source in block.needs:
            Path(checkout, name).write_text(saved_file(Path(checkout, source), name), encoding="utf-8")
    commands = [(block, command) for block in blocks for command in commands_of(block)]
    script = Path(scratch, "script")
    script.write_text("".join(map(step, range(len(commands)), [command for _, command in commands])), encoding="utf-8")
    ended = subprocess.run(
        ["bash", script, scratch], cwd=checkout, env=place.environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    outputs = [output_of(scratch, index) for index in range(len(commands))]
    if ended.returncode != 0 or ended.stderr:
        index = max((index for index, output in enumerate(outputs) if output is not None), default=0)
        raise failure(page, commands[index][1], ended.stdout.strip() or ended.stderr, outputs[index] or "")
    missing = [file for file, _ in figures_of(page) if not Path(checkout, file).is_file()]
    if missing:
        raise PageError(f"{page.name}: the commands do not draw {', '.join(missing)}")
    for block in blocks:
        check_output(page, block, [(one, output) for (of, one), output in zip(commands, outputs) if of is block])


def step(index, command):
    """Shell code that runs a command in the same shell as the previous ones. A wrong status ends the script."""
    return (
        f'exec 3>&1 4>&2 >"$1/{index}" 2>&1\n{command.text}\n'
        f"status=$?; exec 1>&3 2>&4; [ $status -eq {command.status} ] || {{ "
        f'echo "status $status; expected: {command.status}"; exit 1; }}\n'
    )


def output_of(scratch, index):
    file = Path(scratch, str(index))
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else None


def failure(page, command, reason, output):
    return PageError(f"{page.name}, line {command.line}: {reason}\n$ {command.text}\n{output}")


def check_output(page, block, ran):
    """Raises PageError unless the commands printed what the page shows. `ran`: commands with their output."""
    output = "".join(printed for _, printed in ran)
    rest = iter([spaced(line) for line in output.splitlines()])
    for line in block.prints:
        if line != LEFT_OUT and spaced(line) not in rest:
            raise failure(page, ran[-1][0], f'does not print "{line}" there', output)


def spaced(line):
    return " ".join(line.split())


def main(build, *pages):
    for page in map(Path, pages):
        with place(page, build) as here:
            run_page(page, here)
            for file, picture in figures_of(page):
                shutil.copyfile(Path(here.checkout, file), picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
