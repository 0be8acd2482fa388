#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures a PyTorch model here and prints its profile.

    from_pytorch.py torchvision.models:vgg16 --input 64x3x224x224 > my-vgg16.json
    from_pytorch.py my_models:bert --input 4x384:30522 --device cuda > my-bert.json

The function takes no arguments and returns the model; its module is also looked for in the current
folder. The first dimension of an input is the batch. Only parameters that are trained count.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

sys.path.append(str(Path(__file__).resolve().parents[2]))  # for hw

from hw.commands.statuses import INTERRUPTED, WRONG_INPUT
from measured_layers import Pass, measured_profile
from profile_file import Profile, text_of

INPUT = re.compile(r"([1-9]\d*(?:x[1-9]\d*)*)(?::([1-9]\d*))?")
WARM_UP_PASSES = 2


class ModelError(Exception):
    """Reason why a model cannot be measured, in one line."""


@dataclass(frozen=True)
class Input:
    text: str
    shape: tuple[int, ...]
    below: int | None  # upper bound (exclusive) of integers from 0, or None: floats from 0 to 1


def read_input(text: str) -> Input:
    found = INPUT.fullmatch(text)
    if not found:
        raise argparse.ArgumentTypeError(
            f"{text}; allowed: a shape, as 64x3x224x224, or of integers below one, as 4x384:30522"
        )
    shape = tuple(int(size) for size in found[1].split("x"))
    return Input(text, shape, int(found[2]) if found[2] else None)


def read_passes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 10_000):
        raise argparse.ArgumentTypeError(f"{text}; allowed: an integer from 1 to 10000")
    return int(text)


def load_torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise ModelError(
            f"PyTorch is needed, and cannot be imported: {one_line(error)}"
            " (Debian: apt install python3-torch)"
        ) from None


def one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def make_model(place: str) -> Any:
    module, colon, function = place.partition(":")
    if not (module and colon and function):
        raise ModelError(f"{place}; allowed: MODULE:FUNCTION, as torchvision.models:vgg16")
    try:
        model = getattr(importlib.import_module(module), function)()
    except Exception as error:  # a user's module may raise anything
        raise ModelError(f"{place}: {one_line(error)}") from None
    if not hasattr(model, "named_parameters"):
        raise ModelError(f"{place}: found {type(model).__name__}; allowed: a torch.nn.Module")
    return model


def tensors_in(value: Any) -> Iterator[Any]:
    """All tensors of an output, which may be in tuples and dictionaries."""
    if hasattr(value, "requires_grad"):
        yield value
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_in(part)


def make_tensors(torch: Any, inputs: list[Input], device: str) -> list[Any]:
    return [
        torch.rand(one.shape, device=device)
        if one.below is None
        else torch.randint(one.below, one.shape, device=device)
        for one in inputs
    ]


def clock_of(torch: Any, device: str) -> Callable[[], float]:
    """A GPU works asynchronously, so the clock waits for it first."""
    if not device.startswith("cuda"):
        return time.perf_counter

    def clock() -> float:
        torch.cuda.synchronize()
        return time.perf_counter()

    return clock


def one_pass(model: Any, tensors: list[Any], clock: Callable[[], float]) -> Pass:
    ends: list[tuple[str, float]] = []
    hooks = [
        module.register_forward_hook(lambda *_, name=name: ends.append((name, clock())))
        for name, module in model.named_modules()
    ]
    start = clock()
    output = model(*tensors)
    for hook in hooks:
        hook.remove()
    loss = sum(tensor.float().sum() for tensor in tensors_in(output) if tensor.requires_grad)
    before = clock()
    loss.backward()
    backward = clock() - before
    model.zero_grad()
    return Pass(start, ends, backward)


def measure(torch: Any, arguments: argparse.Namespace) -> Profile:
    model = make_model(arguments.model)
    parameters = {
        name: parameter.numel()
        for name, parameter in model.named_parameters()
        if parameter.requires_grad
    }
    if not parameters:
        raise ModelError(
            f"{arguments.model}: no parameters that are trained; allowed: at least one"
        )
    shapes = " ".join(one.text for one in arguments.input)
    try:
        model.to(arguments.device).train()
        tensors = make_tensors(torch, arguments.input, arguments.device)
        clock = clock_of(torch, arguments.device)
        passes = [
            one_pass(model, tensors, clock) for _ in range(WARM_UP_PASSES + arguments.passes)
        ]
    except Exception as error:  # the model may raise anything
        raise ModelError(f"{arguments.model}, input {shapes}: {one_line(error)}") from None
    source = (
        f"{arguments.model}, input {shapes}, on {arguments.device}: medians of {arguments.passes}"
        f" passes with PyTorch {torch.__version__}, backward as a whole, shared out as forward is."
        " Made by traces/profiles/from_pytorch.py"
    )
    name = arguments.name or arguments.model.partition(":")[2]
    return measured_profile(name, source, parameters, passes[WARM_UP_PASSES:])


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ModelError(message)


def read_arguments(words: list[str]) -> argparse.Namespace:
    parser = Parser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("model", metavar="MODULE:FUNCTION", help="function that returns the model")
    parser.add_argument(
        "--input",
        metavar="SHAPE",
        type=read_input,
        action="append",
        required=True,
        help="64x3x224x224 for floats, 4x384:30522 for integers below 30522; one for each argument",
    )
    parser.add_argument("--name", help="name of the profile; by default that of the function")
    parser.add_argument("--device", default="cpu", help="cpu (the default), cuda or cuda:1")
    parser.add_argument(
        "--passes", type=read_passes, default=10, help="passes to measure (10), after two others"
    )
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    sys.path.insert(0, "")
    try:
        arguments = read_arguments(words)
        profile = measure(load_torch(), arguments)
    except ModelError as error:
        print(f"from_pytorch.py: {error}", file=sys.stderr)
        return WRONG_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    sys.stdout.write(text_of(profile))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
