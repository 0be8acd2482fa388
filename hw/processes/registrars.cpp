// SPDX-License-Identifier: BSD-3-Clause
#include "hw/processes/registrars.hpp"

#include <cstdint>
#include <random>

namespace ina::processes {

using wire::RegistrationKind;

namespace {

/// Never 0, which means "no epoch known" in a join.
std::uint32_t draw_epoch() {
  std::random_device random;
  return std::uint32_t{random()} | 1U;
}

/// Draws the id before that of the first session. The first session avoids the ids under which
/// switches know the job when they start, that is, `at_start` and, at a Tofino, the job's number.
/// Workers that run without registration use those ids. Returns kNoId if there are too few ids.
JobId draw_id(const registration::IdPool& ids, JobId at_start) {
  if (!ids.has_spare_ids()) return wire::kNoId;
  std::random_device random;
  JobId drawn = wire::kNoId;
  JobId first = wire::kNoId;
  do {
    drawn = ids.at(static_cast<std::uint16_t>(random() % ids.count()));
    first = ids.after(drawn);
  } while (first == at_start || first == ids.at(0));
  return drawn;
}

}  // namespace

registration::IdPool ids_of(const cluster::Spec& cluster, std::uint32_t job) {
  return {static_cast<std::uint16_t>(job), static_cast<std::uint16_t>(cluster.jobs.size())};
}

registration::Registrar make_registrar(const cluster::Spec& cluster,
                                       const cluster::Registration& job) {
  const registration::IdPool ids = ids_of(cluster, job.job);
  return registration::Registrar(
      {.job = static_cast<JobId>(job.job),
       .ids = ids,
       .system = cluster.system_number(),
       .values_per_packet = static_cast<std::uint16_t>(cluster.values_per_packet()),
       .cluster = cluster.checksum,
       .workers = job.hosts.workers,
       .servers = job.hosts.servers,
       .epoch = draw_epoch(),
       .drawn = draw_id(ids, job.id)});
}

std::optional<HostId> host_of_member(const cluster::JobHosts& hosts,
                                     const wire::RegistrationMessage& message) {
  if (message.names_server()) {
    return message.member < hosts.servers.count()
               ? std::optional(hosts.servers.host(message.member))
               : std::nullopt;
  }
  return message.member < hosts.workers.size() ? std::optional(hosts.workers[message.member])
                                               : std::nullopt;
}

bool is_for_registrar(RegistrationKind kind) {
  return kind == RegistrationKind::join || kind == RegistrationKind::probe ||
         kind == RegistrationKind::ready;
}

}  // namespace ina::processes
