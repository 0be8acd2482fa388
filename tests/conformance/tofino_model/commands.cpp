// SPDX-License-Identifier: BSD-3-Clause
// Commands for scripts of the model's simple_test_harness, in addition to the vendor's. prepare.py
// includes this file in the harness's table.cpp, whose static functions it uses.
#include <common/rmt.h>
#include <packet-replication-engine.h>
#include <queueing.h>
#include <rdm.h>
#include <rmt-packet-coordinator.h>

#include <vector>

// prepare.py defines these.
namespace MODEL_CHIP_NAMESPACE {
extern int added_queue_depth;
extern std::vector<Packet*> resubmitted_packets;  // since the start, in order
extern bool begins_next_pass;                     // of a resubmitted packet
}  // namespace MODEL_CHIP_NAMESPACE

namespace {

constexpr int kPipes = 4;
constexpr int kFrontPorts = 64;  // front ports of a pipe; further ports are its own

uint32_t read_address(uint64_t address) {
  return GLOBAL_MODEL->InWord(0, reinterpret_cast<volatile void*>(address));
}
void write_address(uint64_t address, uint32_t word) {
  GLOBAL_MODEL->OutWord(0, reinterpret_cast<volatile void*>(address), word);
}

/// The ports of a multicast group in one pipe, as bits.
struct PortsOfPipe {
  uint64_t front = 0;
  unsigned own = 0;
};

/// Writes the group's two rows for a pipe: a node of the first level, and the ports as its node of
/// the second level. Row 0 means none, so the first pipe's rows are in the second block.
void write_nodes(int pipe, int group, int rid, const PortsOfPipe& ports) {
  const int block = pipe + 1;
  const uint64_t owners =
      tofino_device_select_tm_top_tm_pre_top_pre_common_blk_id_address + 4 * (block / 16);
  const int shift = 2 * (block % 16);
  write_address(owners, (read_address(owners) & ~(3U << shift)) | unsigned(pipe) << shift);
  RmtObjectManager* manager = nullptr;
  GLOBAL_MODEL->GetObjectManager(0, &manager);
  const uint32_t first = block * 4096 + 4 * group;
  const uint32_t second = first + 2;
  BitVector<128> row;
  row.fill_all_zeros();
  row.set_word(3, RdmDefs::kType1Shift, RdmDefs::kType1Width);
  row.set_word(second, RdmDefs::kL1RidEndL2NextShift, RdmDefs::kL1RidEndL2NextWidth);
  row.set_word(rid, RdmDefs::kL1RidEndRidShift, RdmDefs::kL1RidEndRidWidth);
  manager->rdm_get()->encode(first / 2, row);
  row.fill_all_zeros();
  row.set_word(9, RdmDefs::kType1Shift, RdmDefs::kType1Width);
  row.set_word(pipe, RdmDefs::kL2Port64PipeShift, RdmDefs::kL2Port64PipeWidth);
  row.set_word(1, RdmDefs::kL2Port64LastShift, RdmDefs::kL2Port64LastWidth);
  row.set_word(ports.front, RdmDefs::kL2Port64PortsShift, RdmDefs::kL2Port64PortsWidth);
  row.set_word(ports.own, RdmDefs::kL2Port64SpvShift, RdmDefs::kL2Port64SpvWidth);
  manager->rdm_get()->encode(second / 2, row);
  manager->pre_get(pipe)->mit(group, first);
}

/// Tells the deparsers of all pipes which pipes have ports of the group.
void write_masks(int group, unsigned pipes) {
  const int shift = 4 * (group % 8);
  for (int pipe = 0; pipe < kPipes; ++pipe) {
    auto* entry = &RegisterUtils::addr_dprsr(pipe)->hdr.him.hi_pv_table.tbl0[group / 8];
    for (int table = 0; table < 2; ++table, entry += 4096) {
      write_reg(0, entry, (read_reg(0, entry) & ~(15U << shift)) | pipes << shift);
    }
  }
}

/// A register array of the program, and a range of its cells.
struct Cells {
  unsigned pipes;
  const table_config* table;
  const table_config::stage* stage;
  int first;
  int last;
  unsigned per_word;
};

char* next_word(char*& args) {
  constexpr const char* kBetween = " \t\r\n()";
  args += strspn(args, kBetween);
  if (*args == 0) return nullptr;
  char* word = args;
  args += strcspn(args, kBetween);
  if (*args != 0) *args++ = 0;
  return word;
}

/// Parses [PIPE:]ARRAY(FIRST[..LAST]). Reports mistakes.
bool parse(char*& args, Cells& cells) {
  while (isspace(*args)) ++args;
  cells.pipes = ALL_PIPES;
  if (isdigit(args[0]) && args[1] == ':') {
    cells.pipes = 1U << (args[0] - '0');
    args += 2;
  }
  const char* name = next_word(args);
  const char* range = next_word(args);
  if (name == nullptr || range == nullptr) return error("no array or no index"), false;
  cells.table = table_config::get(name, cells.pipes);
  if (cells.table == nullptr) return false;
  cells.stage = cells.table->stage_tables.data();
  if (cells.table->stage_tables.empty() || cells.stage->type != table_config::STATEFUL) {
    return error("%s is no register array", name), false;
  }
  cells.per_word = cells.stage->table.entries_per_word();
  char* end = nullptr;
  cells.first = cells.last = strtol(range, &end, 0);
  if (strncmp(end, "..", 2) == 0) cells.last = strtol(end + 2, nullptr, 0);
  return true;
}

void write_field(uint64_t (&word)[2], int end_bit, int width, uint64_t value) {
  for (int i = 0; i < width; ++i) {
    const int bit = end_bit - width + i;
    const uint64_t mask = uint64_t{1} << (bit % 64);
    word[bit / 64] = (value >> i & 1) != 0 ? word[bit / 64] | mask : word[bit / 64] & ~mask;
  }
}

}  // namespace

ScriptCommand(echo, "<text>") {
  fflush(stderr);
  printf("%s\n", args);
  fflush(stdout);
}

ScriptCommand(multicast, "<group below 1024> <rid> <port>...") {
  int group = 0;
  int rid = 0;
  int length = 0;
  if (sscanf(args, "%i %i %n", &group, &rid, &length) < 2 || group < 1 || group >= 1024) {
    error("multicast: no group of 1 to 1023, or no rid");
    return;
  }
  args += length;
  PortsOfPipe ports[kPipes];
  while (const char* word = token(&args, " \t\r\n,")) {
    const int port = strtol(word, nullptr, 0);
    const int local = port % 128;
    if (local < kFrontPorts) {
      ports[port / 128].front |= uint64_t{1} << local;
    } else {
      ports[port / 128].own |= 1U << (local - kFrontPorts);
    }
  }
  unsigned pipes = 0;
  for (int pipe = 0; pipe < kPipes; ++pipe) {
    if (ports[pipe].front == 0 && ports[pipe].own == 0) continue;
    pipes |= 1U << pipe;
    write_nodes(pipe, group, rid, ports[pipe]);
  }
  write_masks(group, pipes);
}

ScriptCommand(queue_depth, "<cells>") { added_queue_depth = strtol(args, nullptr, 0); }

// Prints how many packets have been resubmitted. They wait until `resubmit` begins their next pass.
ScriptCommand(resubmitted, "") {
  printf("resubmitted %zu\n", resubmitted_packets.size());
  fflush(stdout);
}

ScriptCommand(resubmit, "<number, from 0>") {
  const size_t number = strtoul(args, nullptr, 0);
  if (number >= resubmitted_packets.size() || resubmitted_packets[number] == nullptr) {
    error("resubmit: no packet %zu waits", number);
    return;
  }
  Packet* packet = resubmitted_packets[number];
  resubmitted_packets[number] = nullptr;
  RmtObjectManager* manager = nullptr;
  GLOBAL_MODEL->GetObjectManager(0, &manager);
  begins_next_pass = true;
  manager->packet_coordinator_get()->enqueue_resubmit(packet);
  begins_next_pass = false;
}

ScriptCommand(advance, "<picoseconds>") { rmt_timer_increment(strtoull(args, nullptr, 0)); }

ScriptCommand(get_register, "[<pipe>:]<array>(<first>[..<last>])") {
  Cells cells;
  if (!parse(args, cells)) return;
  const int pipe = __builtin_ctz(cells.pipes);
  for (int index = cells.first; index <= cells.last; ++index) {
    uint64_t word[2] = {};
    synth2port_read(pipe, cells.table, cells.stage, index / cells.per_word, word);
    std::vector<word_t> data(1);
    data[0].data0 = word[0];
    data[0].data1 = word[1];
    printf("cell %d", index);
    for (auto& field : cells.stage->table.fields.at(index % cells.per_word).by_name) {
      printf(" %s=%" PRIu64, field.first.c_str(), get_sram_field(data, field.second));
    }
    printf("\n");
  }
  fflush(stdout);
}

ScriptCommand(set_register, "[<pipe>:]<array>(<first>[..<last>]) <field>=<value>...") {
  Cells cells;
  if (!parse(args, cells)) return;
  std::vector<std::pair<std::string, uint64_t>> values;
  while (char* word = token(&args, " \t\r\n,")) {
    char* equal = strchr(word, '=');
    if (equal == nullptr) return error("no value for %s", word);
    *equal = 0;
    values.emplace_back(word, strtoull(equal + 1, nullptr, 0));
  }
  for (int pipe = 0; pipe < kPipes; ++pipe) {
    if ((cells.pipes & (1U << pipe)) == 0) continue;
    for (int index = cells.first; index <= cells.last; ++index) {
      uint64_t word[2] = {};
      synth2port_read(pipe, cells.table, cells.stage, index / cells.per_word, word);
      auto& entry = cells.stage->table.fields.at(index % cells.per_word);
      for (auto& value : values) {
        for (auto& field : ValuesForKey(entry.by_name, value.first)) {
          write_field(word, 128 - field.start_offset, field.bit_width, value.second);
        }
      }
      synth2port_write(pipe, cells.table, cells.stage, index / cells.per_word, word);
    }
  }
}
