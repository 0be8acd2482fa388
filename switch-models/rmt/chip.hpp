// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ina::rmt {

/// What one pipe of a programmable switch chip can do. Numbers of public documents: DSA's Fig. 2
/// (blocks and ALUs per stage), the target descriptions of the open compiler (p4lang/p4c,
/// backends/tofino and p4include: stages, actions, comparisons, outputs, hash distribution, widths
/// of group and session numbers), the product briefs (pipes, packet rate). Of resubmission and of
/// the time that a pass takes nothing is published: these are assumed, and scenarios may say
/// otherwise.
struct Chip {
  std::string_view name;

  unsigned stages;
  unsigned sram_blocks = 80;     ///< per stage, of 1024 words of 128 bits each
  unsigned map_rams = 48;        ///< per stage; one beside every SRAM block of a register array
  unsigned meter_alus = 4;       ///< per stage; one runs the actions of one register array
  unsigned tcam_blocks = 24;     ///< per stage, of 512 words of 44 bits
  unsigned logical_tables = 16;  ///< per stage
  unsigned hash_distribution_units = 6;  ///< per stage; one gives the index of a register array
  unsigned register_blocks = 35;         ///< of one register array at most, without the spare one
  unsigned phv_bits = 4096;              ///< headers and metadata that a pass carries along

  unsigned actions = 4;  ///< of one stateful ALU, over all passes
  unsigned comparisons;  ///< of one action of a stateful ALU
  unsigned outputs;      ///< 32-bit words that one action of a stateful ALU gives back

  unsigned pipes = 4;
  unsigned ports;                ///< of 100 Gbps
  double packets_per_second;     ///< through all pipes
  unsigned recirculation_gbps;   ///< of a pipe's own recirculation ports, without front-panel ports
  unsigned resubmit_bits = 64;   ///< of metadata that a resubmitted packet takes along
  unsigned resubmit_gbps = 100;  ///< of a pipe
  unsigned pass_latency_ns = 400;  ///< of a pass through a pipe

  unsigned multicast_groups = 1U << 16;
  unsigned mirror_sessions;
};

inline constexpr unsigned kSramBlockBits = 1024 * 128;
inline constexpr unsigned kTcamWords = 512;
inline constexpr unsigned kTcamWordBits = 44;

inline constexpr Chip kTofino1{.name = "tofino1",
                               .stages = 12,
                               .comparisons = 2,
                               .outputs = 1,
                               .ports = 64,
                               .packets_per_second = 4.8e9,
                               .recirculation_gbps = 100,
                               .mirror_sessions = 1U << 10};
inline constexpr Chip kTofino2{.name = "tofino2",
                               .stages = 20,
                               .comparisons = 4,
                               .outputs = 4,
                               .ports = 128,
                               .packets_per_second = 6e9,
                               .recirculation_gbps = 400,
                               .resubmit_bits = 128,
                               .mirror_sessions = 1U << 8};
inline constexpr const Chip* kChips[] = {&kTofino1, &kTofino2};

}  // namespace ina::rmt
