// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/member_table.hpp"

#include <algorithm>
#include <utility>

namespace ina::programs {

void MemberTable::install(JobId job, std::vector<HostId> workers, HostId server,
                          std::vector<wire::AggregationPath> paths) {
  if (job >= jobs_.size()) jobs_.resize(job + std::size_t{1});
  jobs_[job] = {std::move(workers), std::move(paths), server};
}

void MemberTable::remove(JobId job) {
  if (job < jobs_.size()) jobs_[job] = {};
}

bool MemberTable::admits_control(const Frame& frame, const Members& job) {
  switch (frame.kind) {
    case FrameKind::notification:
    case FrameKind::release:
      return is_of_worker(frame, job) && frame.destination == job.server;
    case FrameKind::reminder:
      return frame.source == job.server && frame.destination == job.server;
    case FrameKind::result:
    case FrameKind::fragment_request:
      return frame.source == job.server &&
             (frame.destination == kEveryWorker ||
              std::ranges::find(job.workers, frame.destination) != job.workers.end());
    case FrameKind::gradient:
      break;
  }
  return false;
}

}  // namespace ina::programs
