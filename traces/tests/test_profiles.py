# SPDX-License-Identifier: BSD-3-Clause
"""Compares the committed profiles with the published architectures, totals and throughputs."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import compute_times
import make_profiles
import pytest
from architectures.inception3 import inception3
from architectures.layers import total_macs
from architectures.resnet import resnet
from architectures.vgg import vgg
from profile_file import text_of

PROFILES = Path(make_profiles.__file__).parent
PS_PER_UNIT = {"us": 10**6, "ms": 10**9}
PS_PER_MS = 10**9


def profile(name):
    return json.loads((PROFILES / f"{name}.json").read_text(encoding="utf-8"))


def picoseconds(quantity):
    value = Decimal(quantity[:-2]) * PS_PER_UNIT[quantity[-2:]]
    assert value == int(value), f"{quantity} is not a whole number of picoseconds"
    return int(value)


def total(layers, direction):
    return sum(picoseconds(layer[direction]) for layer in layers)


def parameters(name):
    return sum(layer["parameters"] for layer in profile(name)["layers"])


def computation(name):
    layers = profile(name)["layers"]
    return total(layers, "forward") + total(layers, "backward")


@pytest.mark.parametrize("expected", make_profiles.profiles(), ids=lambda made: made["name"])
def test_committed_profile_is_what_the_script_writes(expected):
    path = PROFILES / f"{expected['name']}.json"
    assert path.read_bytes() == text_of(expected).encode()


def test_the_script_writes_all_committed_profiles():
    made = sorted(made["name"] for made in make_profiles.profiles())
    assert made == sorted(path.stem for path in PROFILES.glob("*.json"))


@pytest.mark.parametrize("name", sorted(path.stem for path in PROFILES.glob("*.json")))
def test_names_of_layers_are_unique(name):
    names = [layer["name"] for layer in profile(name)["layers"]]
    assert len(set(names)) == len(names)


# Numbers with all digits are those of PyTorch's, Keras's and NVIDIA's models.
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dnn-a", 4_000_000),
        ("dnn-b", 2_000_000),
        ("alexnet", 60_965_224),
        ("vgg11", 132_863_336),
        ("vgg16", 138_357_544),
        ("vgg19", 143_667_240),
        ("resnet50", 25_557_032),
        ("resnet101", 44_549_160),
        ("resnet152", 60_192_808),
        # Keras counts 23 817 352, without a scale in its 17 216 channels of batch normalisation.
        ("inception3", 23_817_352 + 17_216),
        # 335 141 888 of the encoder with its pooler, and the two outputs of SQuAD.
        ("bert-large", 335_141_888 - (1024 * 1024 + 1024) + 2 * 1024 + 2),
        # Table, LSTM, projection, softmax.
        ("lstm", 793_471 * 256 + 18_890_752 + 524_544 + 793_471 * 257),
        ("ncf", (138_493 + 26_744) * (64 + 128) + 65_792 + 32_896 + 8_256 + 129),
        # ResNet-50 without conv5 and fc, the layers after it, and the detectors on six feature
        # maps.
        ("ssd300", 25_557_032 - 14_964_736 - 2_049_000 + 3_773_696 + 10_577_910),
    ],
)
def test_parameters_add_up_to_the_published_total(name, expected):
    assert parameters(name) == expected


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("alexnet", 60),  # NIPS 2012, abstract
        ("vgg11", 133),  # ICLR 2015, table 2
        ("vgg16", 138),
        ("vgg19", 144),
        ("bert-large", 340),  # NAACL 2019, section 3
    ],
)
def test_parameters_are_what_the_papers_print_in_millions(name, millions):
    assert parameters(name) / 1e6 == pytest.approx(millions, rel=0.02)


# Table 1 of SwitchML (NSDI 2021) at 10 Gbps: milliseconds per batch, percentage of communication.
SWITCHML_10_GBPS = {
    "deeplight": (2101, 97),
    "lstm": (1534, 94),
    "bert-large": (1677, 67),
    "vgg19": (661, 73),
    "ugatit": (1612, 28),
    "ncf": (149, 72),
    "ssd300": (293, 26),
    "resnet50": (299, 29),
}
HEADERS = 1.049  # ratio of bytes on the wire to gradients for VGG19, whose size is certain


@pytest.mark.parametrize("name", SWITCHML_10_GBPS)
def test_sizes_fit_the_communication_of_switchmls_table(name):
    milliseconds, percent = SWITCHML_10_GBPS[name]
    half_a_percent = 0.5 / percent  # precision of the table
    bytes_sent = milliseconds * percent / 100 * 10e9 / 8 / 1000
    assert bytes_sent == pytest.approx(
        4 * parameters(name) * HEADERS, rel=half_a_percent + 0.005
    )


@pytest.mark.parametrize("name", ["vgg11", "vgg16", "vgg19"])
def test_vgg_has_as_many_layers_as_its_name_says(name):
    names = [layer["name"] for layer in profile(name)["layers"]]
    convolutions = [layer for layer in names if layer.startswith("conv")]
    assert len(names) == int(name.removeprefix("vgg"))
    assert names == [*convolutions, "fc6", "fc7", "fc8"]


@pytest.mark.parametrize("depth", [50, 101, 152])
def test_resnet_has_as_many_layers_as_its_name_says_and_each_its_batch_norm(depth):
    names = [layer["name"] for layer in profile(f"resnet{depth}")["layers"]]
    convolutions = [name for name in names if name != "fc" and not name.endswith("/bn")]
    assert names == [
        *(part for name in convolutions for part in (name, f"{name}/bn")),
        "fc",
    ]
    projections = sum(name.endswith("/projection") for name in names)
    assert len(convolutions) - projections + 1 == depth


@pytest.mark.parametrize(
    ("layers", "giga_macs"),
    [
        (vgg("vgg16"), 15.47),
        (resnet("resnet50"), 3.86),
        (resnet("resnet101"), 7.57),
        (resnet("resnet152"), 11.28),
        (inception3(), 5.71),
    ],
)
def test_macs_match_the_published_architecture(layers, giga_macs):
    macs = total_macs([layer for layer in layers if not layer.name.endswith("/bn")])
    assert macs / 1e9 == pytest.approx(giga_macs, abs=0.005)


@pytest.mark.parametrize(
    ("name", "batch", "images_per_second"),
    [
        ("vgg16", 64, Fraction(1180, 8)),
        ("resnet50", 64, Fraction(1838, 8)),
        ("inception3", 64, Fraction(1132, 8)),
        ("alexnet", 512, 2987),
        ("resnet152", 64, Fraction("91.8")),
        ("resnet101", 64, 1000 / Fraction("5.92")),
    ],
)
def test_compute_times_give_the_published_throughput(name, batch, images_per_second):
    layers = profile(name)["layers"]
    time = batch * 10**12 / Fraction(images_per_second)
    assert total(layers, "forward") == round(time / 3)
    assert total(layers, "backward") == round(time * 2 / 3)


@pytest.mark.parametrize("name", compute_times.SWITCHML_NSDI)
def test_compute_times_do_not_exceed_a_batch_of_switchmls_table_at_either_rate(name):
    at_100_gbps = compute_times.SWITCHML_NSDI[name].milliseconds
    at_10_gbps, _ = SWITCHML_10_GBPS[name]
    assert computation(name) <= min(at_10_gbps, at_100_gbps) * PS_PER_MS


def test_vgg11_computes_as_many_macs_a_second_as_vgg16():
    share = total_macs(vgg("vgg11")) / total_macs(vgg("vgg16"))
    assert computation("vgg11") / computation("vgg16") == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "partition", "compute_us"), [("dnn-a", 4, 320), ("dnn-b", 2, 640)]
)
def test_two_layer_dnns_follow_the_dsa_paper(name, partition, compute_us):
    dnn = profile(name)
    assert dnn["partition_bytes"] == f"{partition}MB"
    assert dnn["send_order"] == [[2, 1], [1, 1], [1, 2], [2, 2]]
    for layer in dnn["layers"]:
        assert layer["parameters"] * 4 == 2 * partition * 10**6
        assert picoseconds(layer["forward"]) == compute_us * 10**6
        assert picoseconds(layer["backward"]) == 0
