# SPDX-License-Identifier: BSD-3-Clause
"""The Wireshark dissector shows every field and value of frames as they are on the wire."""

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import frames
import pytest

if shutil.which("tshark") is None:
    pytest.skip("tshark is not installed", allow_module_level=True)

HERE = Path(__file__).resolve().parent
DISSECTOR = HERE.parents[1] / "hw" / "protocol" / "wireshark" / "ina.lua"
REGISTRATION = HERE.parents[1] / "hw" / "protocol" / "wire" / "registration.hpp"
# Packet formats, each with a system that sends it.
SYSTEMS = {"switchml": "switchml", "atp": "atp", "dsa": "dsa", "ps": "ps", "flow": "ring"}
FORMATS = list(SYSTEMS)
FLOW_FLAGS = {"ecn": 1, "resend": 2, "ecn_echo": 4, "acknowledge_now": 128}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """The pcap files of a run, by format."""

    def run(system):
        out = tmp_path_factory.mktemp(system)
        subprocess.run(
            [os.environ["INA_SIM"], "run", HERE / "lossy.json", "--out", out, "--set", f"/system={system}"],
            capture_output=True,
            check=True,
        )
        return sorted(out.rglob("*.pcap"))

    return {name: run(system) for name, system in SYSTEMS.items()}


def dissect(pcap, names) -> list[dict[str, list[str]]]:
    """The content of the fields `names` in each frame, as shown by tshark. The fields must exist.
    """
    options = [option for name in names for option in ("-e", name)]
    shown = subprocess.run(
        ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", pcap, "-T", "fields", "-E", "separator=;", *options],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split(";") for line in shown.stdout.splitlines()]
    return [{name: cell.split(",") if cell else [] for name, cell in zip(names, row)} for row in rows]


def columns(wire, packet_format) -> dict[str, str]:
    """The dissector's names of the fields in these tests."""
    names = [name for name, _ in wire["headers"][packet_format]] + ["value"]
    if packet_format == "switchml":
        names += ["version", "slot"]
    elif packet_format == "flow":
        names += [f"flags.{flag}" for flag in FLOW_FLAGS]
    else:
        names += [f"flags.{flag}" for flag in wire["flags"]] + ["float_value"]
    return {name: f"ina_{packet_format}.{name}" for name in names}


def expected(wire, packet_format, frame) -> dict[str, list]:
    header, payload = frames.fields(wire, packet_format, frame)
    seen = {name: [value] for name, value in header.items()}
    floats = False
    if packet_format == "switchml":
        seen |= {"version": [header["version_and_slot"] >> 15], "slot": [header["version_and_slot"] & 0x7FFF]}
    elif packet_format == "flow":
        seen |= {f"flags.{flag}": [int(header["flags"] & bit != 0)] for flag, bit in FLOW_FLAGS.items()}
    else:
        seen |= {f"flags.{flag}": [int(header["flags"] & bit != 0)] for flag, bit in wire["flags"].items()}
        floats = header["flags"] & wire["flags"]["floats"] != 0
        seen["float_value"] = list(struct.unpack(f">{len(payload) // 4}f", payload)) if floats else []
    seen["value"] = [] if floats else list(struct.unpack(f">{len(payload) // 4}i", payload))
    return seen


def assert_shown(wire, packet_format, pcap):
    names = columns(wire, packet_format)
    shown = dissect(pcap, list(names.values()))
    sent = frames.read_pcap(pcap)
    assert len(shown) == len(sent)
    for row, frame in zip(shown, sent):
        assert {
            name: [float(text) if name == "float_value" else int(text, 0) for text in row[column]]
            for name, column in names.items()
        } == expected(wire, packet_format, frame)


@pytest.mark.parametrize("packet_format", FORMATS)
def test_shows_what_the_simulator_wrote(wire, simulated, packet_format):
    assert simulated[packet_format]
    for pcap in simulated[packet_format]:
        assert_shown(wire, packet_format, pcap)


@pytest.mark.parametrize("packet_format", FORMATS)
def test_shows_every_golden_packet(wire, packet_format, tmp_path):
    packets = frames.golden(packet_format)
    frames.write_pcap(tmp_path / "golden.pcap", packets.values())
    assert_shown(wire, packet_format, tmp_path / "golden.pcap")


@pytest.mark.parametrize(
    ("packet_format", "kinds"), [("atp", {1, 2}), ("dsa", {1, 2, 3, 4, 5}), ("ps", {1, 2, 4}), ("flow", {1, 2, 7})]
)
def test_simulated_frames_are_of_many_kinds(wire, simulated, packet_format, kinds):
    sent = [frame for pcap in simulated[packet_format] for frame in frames.read_pcap(pcap)]
    assert {frames.fields(wire, packet_format, frame)[0]["kind"] for frame in sent} >= kinds


def test_golden_packets_are_of_every_kind(wire):
    packets = [frame for packet_format in ("atp", "dsa") for frame in frames.golden(packet_format).values()]
    assert {frames.fields(wire, "dsa", frame)[0]["kind"] for frame in packets} == set(wire["kinds"].values())


@pytest.mark.parametrize("packet_format", FORMATS)
def test_names_the_kind_of_a_frame(packet_format, tmp_path):
    packets = frames.golden(packet_format)
    frames.write_pcap(tmp_path / "golden.pcap", packets.values())
    shown = dissect(tmp_path / "golden.pcap", ["_ws.col.Protocol", "_ws.col.Info"])
    for name, row in zip(packets, shown):
        kind = {"request": "fragment request", "partial": "gradient"}.get(name.split("-")[-1], name.split("-")[-1])
        assert row["_ws.col.Info"][0] == kind
        assert row["_ws.col.Protocol"][0].lower() == packet_format


@pytest.mark.parametrize("packet_format", FORMATS)
def test_leaves_a_frame_alone_that_ends_in_its_header(wire, packet_format, tmp_path):
    whole = next(iter(frames.golden(packet_format).values()))
    _, payload = frames.fields(wire, packet_format, whole)
    cut = bytearray(whole[: -len(payload) - 1])
    cut[16:18] = (len(cut) - 14).to_bytes(2, "big")  # IPv4's total length
    if packet_format in ("switchml", "ps", "flow"):
        cut[38:40] = (len(cut) - 34).to_bytes(2, "big")  # UDP's length
    frames.write_pcap(tmp_path / "cut.pcap", [bytes(cut)])
    names = list(columns(wire, packet_format).values())
    assert dissect(tmp_path / "cut.pcap", names) == [{name: [] for name in names}]


def test_shows_every_field_of_a_registration_message(tmp_path):
    fields = re.findall(r"buf_t (\w+);", section(REGISTRATION.read_text(), "struct RegistrationHeader"))
    sizes = [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 8, 4, 4, 2]  # without the list
    assert len(fields) == len(sizes)
    values = [i + 1 for i in range(len(sizes))]
    listed = list(range(100, 108))
    header = b"".join(value.to_bytes(size, "big") for value, size in zip(values, sizes))
    header += struct.pack(">8H", *listed)
    udp = struct.pack(">HHHH", 48868, 48868, 8 + len(header), 0)
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 28 + len(header), 0, 0, 64, 17, 0, 0x0A000001, 0x0A000002)
    frame = bytes.fromhex("020000000002020000000001" "0800") + ip + udp + header
    frames.write_pcap(tmp_path / "registration.pcap", [frame])
    columns = {name: f"ina_registration.{name}" for name in (*fields, "listed")}
    (shown,) = dissect(tmp_path / "registration.pcap", list(columns.values()))
    for name, value in zip(fields, values):
        assert [int(text, 0) for text in shown[columns[name]]] == [value], name
    assert [int(text, 0) for text in shown[columns["listed"]]] == listed


def section(text, start):
    return text[text.index(start) :].split("};")[0]
