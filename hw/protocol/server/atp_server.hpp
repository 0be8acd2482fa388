// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hw/protocol/server/float_collector.hpp"
#include "hw/protocol/server/index_naming.hpp"
#include "hw/protocol/server/kept_results.hpp"
#include "hw/protocol/server/parameter_server.hpp"

namespace ina {

/// The parameter server of ATP (3.6). Its results (ATP's parameter packets) free aggregators on
/// their way to the workers, and name another aggregator index after a collision. The server keeps
/// them for workers that lost them. It asks for the missing fragments of an entry until it has all
/// of them. It cannot rely on the workers to send these unasked: if a late copy of a packet opened
/// the entry, all workers may have the result already. If a value of a complete sum is at a limit
/// of int32, the sum overflowed and is not sent (3.8). The server then asks all workers for the
/// fragment as floats, and sends the sum of the floats.
class AtpServer final : public ParameterServer {
 public:
  struct Config {
    wire::AddressingConfig addressing{.scheme = wire::AddressingScheme::table, .rehash = true};
    std::uint32_t kept_results = 8192;
    std::uint32_t values_per_packet = wire::kFragmentValues;  ///< the same as at the workers
    Time request_timeout = std::chrono::milliseconds(1);

    bool operator==(const Config&) const = default;
  };

  AtpServer(const ServerIdentity& identity, const Config& config);

 private:
  void receive_late(Frame&& frame, Time now) override;
  void receive_floats(Frame&& frame, Time now) override;
  void receive_control(const Frame& frame, Time now) override;
  bool accept_sum(Psn psn, Entry& entry, Time now) override;
  void entry_completed(Entry& entry, Frame& result, Time now) override;
  void entry_incomplete(const Frame& frame, Entry& entry, Merge merged, Time now) override;
  Time entry_timeout(std::size_t doublings) const override {
    return Backoff::doubled(request_timeout_, doublings);
  }
  void timed_out(Psn psn, Entry& entry, Time now) override;
  void request_floats(Psn psn, const Entry& entry);
  void answer_under(std::uint32_t aggregator_index, Frame& result) const;

  BOOST_DESCRIBE_CLASS(AtpServer, (ParameterServer), (), (), (naming_, kept_, floats_))

  Time request_timeout_;
  IndexNaming naming_;
  KeptResults kept_;
  FloatCollector floats_;  // float fragments of tasks whose integer sum overflowed
};

}  // namespace ina
