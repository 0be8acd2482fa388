// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/cluster_parts.hpp"

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "switch-models/programs/make_program.hpp"

namespace ina::testing {

namespace {

SwitchmlWorker::Config switchml_config(const ClusterShape& shape) {
  SwitchmlWorker::Config config{shape.aggregators, 32, shape.min_rto, shape.adaptive_rto};
  if (shape.congestion_control) config.congestion_control = shape.window;
  return config;
}

wire::AddressingConfig addressing_of(const ClusterShape& shape) {
  wire::AddressingConfig addressing = shape.addressing;
  addressing.aggregators = shape.aggregators;
  addressing.rehash = addressing.rehash && shape.system == System::atp;
  return addressing;
}

}  // namespace

wire::Protocol protocol_of(System system) {
  switch (system) {
    case System::switchml:
      return wire::Protocol::switchml;
    case System::atp:
      return wire::Protocol::atp;
    default:
      return wire::Protocol::dsa;
  }
}

std::unique_ptr<WorkerTransport> make_worker(const ClusterShape& shape,
                                             const WorkerIdentity& identity, ValuePool& pool,
                                             ResultSink& sink) {
  switch (shape.system) {
    case System::switchml:
      return std::make_unique<SwitchmlWorker>(identity, switchml_config(shape), pool, sink);
    case System::atp:
      return std::make_unique<AtpWorker>(
          identity, AtpWorker::Config{addressing_of(shape), shape.window, shape.min_rto}, pool,
          sink);
    default:
      return std::make_unique<DsaWorker>(
          identity, DsaWorker::Config{addressing_of(shape), shape.window, shape.min_rto}, pool,
          sink);
  }
}

std::unique_ptr<ParameterServer> make_server(const ClusterShape& shape,
                                             const ServerIdentity& identity, ValuePool& pool) {
  switch (shape.system) {
    case System::switchml:
      return nullptr;
    case System::atp:
      return std::make_unique<AtpServer>(
          identity, AtpServer::Config{addressing_of(shape), shape.kept_results});
    default:
      return std::make_unique<DsaServer>(
          identity, DsaServer::Config{shape.min_rto, shape.kept_results, addressing_of(shape)},
          pool);
  }
}

std::unique_ptr<programs::SwitchProgram> make_program(const ClusterShape& shape) {
  using rmt::Checked;
  switch (shape.system) {
    case System::switchml:
      return programs::make_switchml<Checked>(shape.jobs * shape.aggregators, shape.width,
                                              shape.congestion_control);
    case System::atp:
      return programs::make_atp<Checked>({shape.aggregators, shape.width, shape.aggregator_expiry});
    default:
      return programs::make_dsa<Checked>({.aggregators = shape.aggregators,
                                          .width = shape.width,
                                          .policy = shape.policy,
                                          .policy_seed = shape.policy_seed,
                                          .join_priority = shape.join_priority});
  }
}

programs::JobEntry job_entry(const ClusterShape& shape, std::uint16_t workers, HostId server,
                             std::uint32_t place) {
  return {workers, server, place * shape.aggregators, shape.aggregators};
}

}  // namespace ina::testing
