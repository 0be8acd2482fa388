// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/cluster/systems/window.hpp"

namespace ina::cluster {

/// What ATP and the plain parameter server share: servers from which all results come, and which
/// ask the workers for what is missing. `Base`: a WindowedSystem.
template <class Base, class Server>
class AskingServer : public Base {
 public:
  typename Server::Config server;

  void limit(const ProcessLimits& limits) override {
    Base::limit(limits);
    server.request_timeout = std::max(server.request_timeout, limits.least_timeout);
  }
  std::uint32_t kept_results() const override { return server.kept_results; }
  Time least_timeout() const override {
    return std::max(this->worker.min_rto, server.request_timeout);
  }

  bool operator==(const AskingServer&) const = default;

 protected:
  template <class Visitor, class Self>
  static void visit_server(Visitor& visitor, Self& self) {
    visitor.integer(
        "kept_results", self.server.kept_results, fields::Bounds<std::uint32_t>{1, kMaxKeptResults},
        "The latest results that a parameter server keeps for workers that lost theirs");
    visitor.time(
        "request_timeout", self.server.request_timeout, fields::kTimeout,
        "Time after which a parameter server asks the workers for what an entry lacks; doubles "
        "until something new comes in");
  }

  /// Packets of all workers meet at the server's link.
  typename Base::Way way_of_results(const Environment& environment) const override {
    return {environment.to_server_and_back, environment.ecn_threshold_bytes};
  }
};

}  // namespace ina::cluster
