# SPDX-License-Identifier: BSD-3-Clause
"""The printed commands of tutorials and how-to guides do what the pages say.

Each page has a copy of the checkout, with the programs of this build or with the compiler cache. Nothing is left in the
checkout.
"""

import os

import printed_commands
import pytest
from printed_commands import ROOT, Command, PageError, Place

PAGES = sorted(
    page for folder in ("tutorials", "how-to") for page in ROOT.glob(f"docs/{folder}/*.md") if page.stem != "index"
)
NAMES = {"ids": lambda page: f"{page.parent.name}/{page.stem}"}


@pytest.mark.parametrize("page", PAGES, **NAMES)
def test_the_commands_of_a_page_run_as_they_are_printed(page):
    error = None
    with printed_commands.place(page, os.environ["INA_BUILD"]) as place:
        try:
            printed_commands.run_page(page, place)
        except PageError as found:
            error = str(found)
    if error:
        pytest.fail(error, pytrace=False)


def test_commands_that_are_not_run_have_a_reason(capsys):
    left_out = [
        f"{page.relative_to(ROOT)}:{command.line}: {block.reason}: {command.text}"
        for page in PAGES
        for block in printed_commands.blocks_of(page.read_text(encoding="utf-8"))
        if block.reason
        for command in printed_commands.commands_of(block)
    ]
    with capsys.disabled():
        print(f"\n{len(left_out)} commands are not run:", *left_out, sep="\n")
    assert all(line.split(": ")[1] for line in left_out)


def test_commands_end_where_their_last_line_does():
    text = 'first\n```sh\n# a comment\ncat > f <<\'END\'\n{\n}\nEND\n./ina run \\\n    f\nfor i in 1 2; do\n    true\ndone\n```\n'
    (block,) = printed_commands.blocks_of(text)
    assert printed_commands.commands_of(block) == [
        Command(4, "cat > f <<'END'\n{\n}\nEND"),
        Command(8, "./ina run \\\n    f"),
        Command(10, "for i in 1 2; do\n    true\ndone"),
    ]


def test_a_mark_belongs_to_the_block_below_it():
    text = "<!-- not run: needs root -->\n```sh\none\n```\n<!-- ends with status 2 -->\n```sh\ntwo\n```\n```text\n2\n```\n```sh\n3\n```\n"
    assert [(one.reason, one.status, one.prints) for one in printed_commands.blocks_of(text)] == [
        ("needs root", 0, []),
        ("", 2, ["2"]),
        ("", 0, []),
    ]


PAGE = "```sh\ncd /\nname=world\n```\n```sh\necho hello $name\n{last}\n```\n```text\n{shown}\n```\n"


@pytest.mark.parametrize(
    ("last", "shown", "message"),
    [
        ("pwd", "hello   world\n/", None),
        ("echo a; echo b", "...\nb", None),
        ("false", "", r"page.md, line 7: status 1; expected: 0\n\$ false"),
        ("exit 4", "", r"page.md, line 7: "),
        ("echo a", "a\nhello world", 'line 7: does not print "hello world" there'),
        ("pwd", "hello you", 'line 7: does not print "hello you" there'),
    ],
)
def test_a_page_fails_with_the_line_the_command_and_its_output(tmp_path, last, shown, message):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(last=last, shown=shown))

    def run():
        printed_commands.run_page(page, Place(tmp_path, tmp_path, {"PATH": os.environ["PATH"]}))

    if message is None:
        run()
    else:
        with pytest.raises(PageError, match=message):
            run()
