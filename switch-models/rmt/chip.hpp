// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ina::rmt {

/// Resources of one pipe of a programmable switch chip. The numbers come from public documents:
/// DSA's Fig. 2 (blocks and ALUs per stage), the target descriptions of the open compiler
/// (p4lang/p4c, backends/tofino and p4include: stages, actions, comparisons, outputs, hash
/// distribution, widths of group and session numbers), and the product briefs (pipes, packet rate).
/// No numbers are published for the bandwidth of resubmission and the duration of a pass. The
/// values here are assumptions that scenarios may override.
struct Chip {
  std::string_view name;

  unsigned stages;
  unsigned sram_blocks = 80;     ///< per stage, of 1024 words of 128 bits each
  unsigned map_rams = 48;        ///< per stage; each SRAM block of a register array needs one
  unsigned meter_alus = 4;       ///< per stage; one runs the actions of one register array
  unsigned tcam_blocks = 24;     ///< per stage, of 512 words of 44 bits
  unsigned logical_tables = 16;  ///< per stage
  unsigned hash_distribution_units = 6;  ///< per stage; one computes the index of a register array
  unsigned register_blocks = 35;         ///< maximum per register array, without its spare block
  unsigned phv_bits = 4096;              ///< bits of headers and metadata that a pass carries

  unsigned actions = 4;  ///< per stateful ALU, over all passes
  unsigned comparisons;  ///< per action of a stateful ALU
  unsigned outputs;      ///< 32-bit words that one action of a stateful ALU returns

  unsigned pipes = 4;
  unsigned ports;                  ///< each of 100 Gbps
  double packets_per_second;       ///< over all pipes
  unsigned recirculation_gbps;     ///< per pipe, through its dedicated recirculation ports, without
                                   ///< front-panel ports
  unsigned resubmit_bits = 64;     ///< bits of metadata that a resubmitted packet keeps
  unsigned resubmit_gbps = 100;    ///< per pipe
  unsigned pass_latency_ns = 400;  ///< per pass through a pipe

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
