# SPDX-License-Identifier: BSD-3-Clause
"""Prepares the sources of the vendor's model for the tests:

    python3 prepare.py open-p4studio/pkgsrc/tofino-model

Adds our commands to the test harness, and an offset to the depth of every queue. Packets for a pipe's
recirculation port leave the model, because the harness does not wait for them. Resubmitted packets
wait for a command. Masks of constant entries cover all bits of their key. Can be run again."""

import sys
from pathlib import Path

COMMANDS = Path(__file__).resolve().with_name("commands.cpp")
# By file: pairs of a text and its replacement.
CHANGES = {
    "tests/simple_test_harness/table.cpp": [
        ("ScriptCommand(selector,", f'#include "{COMMANDS}"\n\nScriptCommand(selector,'),
    ],
    # Mask of constant entries: a key may lie in several containers.
    "tests/simple_test_harness/table_config.cpp": [
        ("int width = find_field(name)->bit_width;",
         """int width = 0;
                        for (json::obj_ref key : table["match_key_fields"].to<json::vector>())
                            if (key["name"].to<std::string>() == std::string(name))
                                width = int(key["start_bit"].to<json::number>().val) +
                                        int(key["bit_width"].to<json::number>().val);"""),
    ],
    "src/tofinoXX/pktgen.cpp": [
        ("bool PktGen::maybe_recirculate(Packet** r_packet) {",
         "bool PktGen::maybe_recirculate(Packet** r_packet) {\n    return false;"),
    ],
    "src/shared/rmt-packet-coordinator.cpp": [
        ("void RmtPacketCoordinator::enqueue_resubmit(Packet *pkt) {\n  RMT_ASSERT_NOT_NULL(pkt);",
         """std::vector<Packet*> resubmitted_packets;
bool begins_next_pass = false;

void RmtPacketCoordinator::enqueue_resubmit(Packet *pkt) {
  RMT_ASSERT_NOT_NULL(pkt);
  if (!begins_next_pass) {
    resubmitted_packets.push_back(pkt);
    return;
  }"""),
    ],
    "src/shared/queueing.cpp": [
        ("  void Queueing::enqueue(Packet *pkt) {", "  int added_queue_depth = 0;\n\n  void Queueing::enqueue(Packet *pkt) {"),
        ("set_egr_q_depth(port_queues_[pipe][pipe_qid].size());",
         "set_egr_q_depth(port_queues_[pipe][pipe_qid].size() + added_queue_depth);"),
        ("set_ing_q_depth(port_queues_[pipe][queue].size());",
         "set_ing_q_depth(port_queues_[pipe][queue].size() + added_queue_depth);"),
    ],
}  # fmt: skip


def prepare(sources):
    for name, changes in CHANGES.items():
        text = (sources / name).read_text(encoding="utf-8")
        for before, after in changes:
            if after in text:
                continue
            if text.count(before) != 1:
                sys.exit(f"{sources / name}: {text.count(before)} times {before!r}; allowed: once")
            text = text.replace(before, after)
        (sources / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    prepare(Path(sys.argv[1]))
