// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/atp_worker.hpp"

namespace ina {

AtpWorker::AtpWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                     ResultSink& sink)
    : HashedWorker(wire::Format::atp, config.values_per_packet, identity, config.addressing,
                   config.window, RtoEstimator(config.min_rto, config.first_rto), pool, sink),
      overflow_is_congestion_(config.overflow_is_congestion),
      order_(identity.servers.count()) {}

void AtpWorker::make_retransmission(Psn psn, Frame& out, Time now) {
  // Uses the index of the first transmission, because the resend must flush the partial aggregate
  // there.
  out.aggregator().index = send_gradient(psn, out, now).aggregator_index;
  out.set(flag::resend);
}

}  // namespace ina
