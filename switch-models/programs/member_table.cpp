// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/member_table.hpp"

#include <algorithm>
#include <utility>

namespace ina::programs {

namespace {

std::vector<bool> where(const std::vector<HostId>& workers) {
  std::vector<bool> has_worker;
  for (const HostId worker : workers) {
    if (worker >= has_worker.size()) has_worker.resize(worker + std::size_t{1});
    has_worker[worker] = true;
  }
  return has_worker;
}

}  // namespace

void MemberTable::install(JobId job, std::vector<HostId> workers, const wire::JobServers& servers,
                          std::vector<wire::AggregationPath> paths) {
  std::vector<HostId> first_of_branch;
  for (std::size_t rank = std::min(workers.size(), paths.size()); rank-- > 0;) {
    const std::size_t branch = wire::branch_of(paths[rank]);
    if (branch >= first_of_branch.size()) first_of_branch.resize(branch + 1, kNoHost);
    first_of_branch[branch] = workers[rank];
  }
  install(job, {.workers = std::move(workers),
                .paths = std::move(paths),
                .servers = servers,
                .first_of_branch = std::move(first_of_branch)});
}

void MemberTable::install_among_workers(JobId job, std::vector<HostId> workers) {
  install(job, {.workers = std::move(workers), .among_themselves = true});
}

void MemberTable::install(JobId job, Members members) {
  if (job >= jobs_.size()) jobs_.resize(job + std::size_t{1});
  members.has_worker = where(members.workers);
  jobs_[job] = std::move(members);
}

void MemberTable::remove(JobId job) {
  if (job < jobs_.size()) jobs_[job] = {};
}

bool MemberTable::admits_control(const Frame& frame, const Members& job) {
  const HostId server = job.servers.of(frame.psn);
  switch (frame.kind) {
    case FrameKind::notification:
    case FrameKind::release:
      return is_of_worker(frame, job) && frame.destination == server;
    case FrameKind::reminder:  // for the server's switch, or for the leaf
                               // of the worker to which it is addressed
      return frame.source == server &&
             (frame.destination == server || has_worker_at(job, frame.destination));
    case FrameKind::result:
    case FrameKind::fragment_request:
      return frame.source == server &&
             (frame.destination == kAllWorkers || has_worker_at(job, frame.destination));
    case FrameKind::gradient:
    case FrameKind::acknowledgement:
    case FrameKind::segment:
    case FrameKind::datagram:
      break;
  }
  return false;
}

}  // namespace ina::programs
