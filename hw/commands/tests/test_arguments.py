# SPDX-License-Identifier: BSD-3-Clause
"""Allowed values of arguments that several commands have."""

import argparse
from pathlib import Path

import pytest

from hw.commands.arguments import add_inputs, folder, inputs_of, whole_number


def test_arguments_become_inputs():
    parser = argparse.ArgumentParser()
    add_inputs(parser)
    words = ["--programs", "/bin", "--set", "/a=1", "--set", "/b=2", "--seeds", "1-3", "x", "y"]
    inputs = inputs_of(parser.parse_args(words))
    assert inputs.programs.folder == Path("/bin").resolve()
    assert (inputs.files, inputs.overrides, inputs.seeds) == (["x", "y"], ["/a=1", "/b=2"], "1-3")


@pytest.mark.parametrize("text", ["0", "-1", "1.0", "", "²", "one"])
def test_what_is_no_whole_number_from_1_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="allowed: a whole number from 1"):
        whole_number(text)
    assert whole_number("10") == 10


def test_a_folder_has_a_name():
    with pytest.raises(argparse.ArgumentTypeError):
        folder("")
    assert folder("results") == Path("results")
