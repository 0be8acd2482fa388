# SPDX-License-Identifier: BSD-3-Clause
"""Profiles measured from PyTorch models: with a stand-in for PyTorch, and with PyTorch if
installed."""

import importlib.util
import json
import os
import subprocess
import sys
import types
from pathlib import Path

import from_pytorch
import pytest
from measured_layers import Pass, measured_profile

SCRIPT = Path(from_pytorch.__file__)


def layers(profile):
    return [
        (layer["name"], layer["parameters"], layer["forward"], layer["backward"])
        for layer in profile["layers"]
    ]


def measured(parameters, *passes):
    return layers(measured_profile("model", "", parameters, passes))


def test_layers_stand_in_the_order_of_the_forward_pass_not_of_declaration():
    one = Pass(0, [("first", 1), ("second", 4), ("", 4)], backward=8)
    assert measured({"second.weight": 7, "first.weight": 5, "first.bias": 1}, one) == [
        ("first", 6, "1000000us", "2000000us"),
        ("second", 7, "3000000us", "6000000us"),
    ]


def test_time_without_parameters_counts_for_the_layer_behind_it_or_the_last_one():
    one = Pass(0, [("a", 1), ("relu", 3), ("b", 4), ("pool", 6), ("", 7)], backward=7)
    assert measured({"a.weight": 1, "b.weight": 1}, one) == [
        ("a", 1, "1000000us", "1000000us"),
        ("b", 1, "6000000us", "6000000us"),
    ]


def test_parameters_of_a_module_that_is_not_called_belong_to_the_one_around_it():
    one = Pass(0, [("block.attention", 2), ("block", 3), ("", 3)], backward=3)
    found = measured({"block.attention.out.weight": 4, "block.norm.weight": 2, "scale": 1}, one)
    assert [layer[:2] for layer in found] == [("block.attention", 4), ("block", 2), ("model", 1)]


def test_a_layer_called_twice_has_both_times_and_its_parameters_once():
    one = Pass(0, [("a", 1), ("b", 2), ("a", 4), ("", 4)], backward=4)
    assert measured({"a.weight": 3, "b.weight": 1}, one) == [
        ("a", 3, "3000000us", "3000000us"),
        ("b", 1, "1000000us", "1000000us"),
    ]


def test_times_are_medians_so_that_one_slow_pass_does_not_count():
    passes = [Pass(0, [("a", end), ("", end)], backward=2 * end) for end in (1, 90, 1)]
    assert measured({"a.weight": 1}, *passes) == [("a", 1, "1000000us", "2000000us")]


class Hook:
    def __init__(self, hooks, call):
        self.hooks, self.call = hooks, call
        hooks.append(call)

    def remove(self):
        self.hooks.remove(self.call)


class Parameter:
    def __init__(self, count, requires_grad=True):
        self.count, self.requires_grad = count, requires_grad

    def numel(self):
        return self.count


class Output:
    requires_grad = True

    def __init__(self, clock):
        self.clock = clock

    def float(self):
        return self

    def sum(self):
        return self

    def __radd__(self, other):
        return self

    def backward(self):
        self.clock.now += 6


class Clock:
    now = 0

    def __call__(self):
        return self.now


class Module:
    """The part of torch.nn.Module that from_pytorch.py uses."""

    def __init__(self, clock, seconds=0, parameters=(), **children):
        self.clock, self.seconds, self.hooks = clock, seconds, []
        self.parameters, self.children = dict(parameters), children

    def register_forward_hook(self, call):
        return Hook(self.hooks, call)

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, child in self.children.items():
            yield from child.named_modules(f"{prefix}.{name}".removeprefix("."))

    def named_parameters(self):
        for name, module in self.named_modules():
            for parameter, value in module.parameters.items():
                yield f"{name}.{parameter}".removeprefix("."), value

    def to(self, device):
        return self

    def train(self):
        return self

    def zero_grad(self):
        pass

    def __call__(self, *tensors):
        for child in self.children.values():
            child(*tensors)
        self.clock.now += self.seconds
        output = Output(self.clock)
        for hook in list(self.hooks):
            hook(self, tensors, output)
        return {"answer": (output,)}


@pytest.fixture
def stand_in(monkeypatch):
    """A PyTorch whose clock advances only when a module or the backward pass says so."""
    torch = types.ModuleType("torch")
    torch.__version__ = "stand-in"
    torch.rand = lambda shape, device: ("floats", shape)
    torch.randint = lambda below, shape, device: (below, shape)
    clock = Clock()
    models = types.ModuleType("models")
    models.two_layers = lambda: Module(
        clock,
        front=Module(clock, 1, {"weight": Parameter(5), "bias": Parameter(2)}),
        frozen=Module(clock, 0, {"weight": Parameter(100, requires_grad=False)}),
        back=Module(clock, 2, {"weight": Parameter(3)}),
    )
    models.frozen = lambda: Module(clock, 1, {"weight": Parameter(1, requires_grad=False)})
    models.number = lambda: 3
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "models", models)
    monkeypatch.setattr(from_pytorch.time, "perf_counter", clock)
    return torch


def test_a_model_becomes_a_profile_of_what_is_trained(stand_in, capsys):
    words = ["models:two_layers", "--input", "8x3", "--name", "mine", "--passes", "3"]
    assert from_pytorch.main(words) == 0
    profile = json.loads(capsys.readouterr().out)
    assert profile["name"] == "mine"
    assert profile["source"].startswith("models:two_layers, input 8x3, on cpu: medians of 3 passes")
    assert layers(profile) == [
        ("front", 7, "1000000us", "2000000us"),
        ("back", 3, "2000000us", "4000000us"),
    ]


def test_inputs_are_floats_or_integers_below_a_number(stand_in):
    inputs = [from_pytorch.read_input(text) for text in ("8x3", "4x384:30522")]
    assert from_pytorch.make_tensors(stand_in, inputs, "cpu") == [
        ("floats", (8, 3)),
        (30522, (4, 384)),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["models:frozen", "--input", "1"], "no parameters that are trained"),
        (["models:number", "--input", "1"], "found int; allowed: a torch.nn.Module"),
        (["models:absent", "--input", "1"], "has no attribute 'absent'"),
        (["no_such_models:one", "--input", "1"], "No module named 'no_such_models'"),
        (["models", "--input", "1"], "models; allowed: MODULE:FUNCTION"),
        (["models:two_layers"], "required: --input"),
        (["models:two_layers", "--input", "0x3"], "0x3; allowed: a shape"),
        (["models:two_layers", "--input", "1", "--passes", "0"], "0; allowed: an integer from 1"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(stand_in, capsys, words, said):
    assert from_pytorch.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.startswith("from_pytorch.py: ") and err.count("\n") == 1


def test_without_pytorch_it_says_so_in_one_line(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('none here')\n")
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "models:one", "--input", "1"],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        "from_pytorch.py: PyTorch is needed, and cannot be imported: none here"
        " (Debian: apt install python3-torch)\n"
    )


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="PyTorch is not installed")
def test_a_model_of_pytorch_itself_has_its_parameters_in_the_order_of_the_forward_pass(tmp_path):
    (tmp_path / "models.py").write_text(
        "from torch import nn\n"
        "def encoder():\n"
        "    return nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)\n"
    )
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "models:encoder", "--input", "2x10x64", "--passes", "1"],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},  # threads that wait for each other spin
        capture_output=True,
        text=True,
        check=True,
    )
    assert [layer[:2] for layer in layers(json.loads(run.stdout))] == [
        ("self_attn", 64 * 64 * 4 + 64 * 4),
        ("norm1", 128),
        ("linear1", 64 * 128 + 128),
        ("linear2", 128 * 64 + 64),
        ("norm2", 128),
    ]
