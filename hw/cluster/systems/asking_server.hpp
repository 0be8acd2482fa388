// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/cluster/systems/window.hpp"

namespace ina::cluster {

/// Base class of ATP and the plain parameter server. In both, all results come from servers, which
/// ask the workers for missing fragments. `Base` is a WindowedSystem.
template <class Base, class Server>
class AskingServer : public Base {
 public:
  typename Server::Config server;
  std::optional<Time> request_timeout;

  void fill_in(const Environment& environment) override {
    Base::fill_in(environment);
    const Time usual = typename Server::Config().request_timeout;
    set_request_timeout(
        request_timeout.value_or(environment.safe_timeout(usual, this->frame_bytes())));
  }
  void limit(const ProcessLimits& limits) override {
    Base::limit(limits);
    set_request_timeout(std::max(server.request_timeout, limits.least_timeout));
  }
  std::uint32_t kept_results() const override { return server.kept_results; }
  Time first_timeout() const override {
    return std::max(this->worker.first_rto, server.request_timeout);
  }
  std::vector<TimeoutFloor> timeout_floors() const override {
    std::vector<TimeoutFloor> floors = Base::timeout_floors();
    floors.insert(floors.begin(), {.key = "request_timeout", .time = server.request_timeout});
    return floors;
  }

  bool operator==(const AskingServer&) const = default;

 protected:
  template <class Visitor, class Self>
  static void visit_server(Visitor& visitor, Self& self) {
    visitor.integer(
        "kept_results", self.server.kept_results, fields::Bounds<std::uint32_t>{1, kMaxKeptResults},
        "Number of latest results that a parameter server keeps for workers that have lost theirs");
    visitor.time("request_timeout", self.request_timeout, fields::kTimeout,
                 "Time after which a parameter server asks the workers for the packets that a sum "
                 "still lacks. The time doubles at each expiry until a new packet arrives. "
                 "Default: 1ms, or three unloaded round trips if these are longer");
  }

  /// The path to the server, at whose link the packets of all workers meet.
  typename Base::Path path_of_results(const Environment& environment) const override {
    return {environment.to_server_and_back, environment.ecn_threshold_bytes};
  }

 private:
  void set_request_timeout(Time timeout) {
    request_timeout = timeout;
    server.request_timeout = timeout;
  }
};

}  // namespace ina::cluster
