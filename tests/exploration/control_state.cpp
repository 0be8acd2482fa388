// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/control_state.hpp"

namespace ina::exploration {

void visit(Archive& archive, cluster::ControlPlane& control) {
  archive.number(member<"registrations_">(control));
  for (auto& job : member<"jobs_">(control)) {
    archive.number(job.registration.id);
    archive.number(job.registration.first_iteration);
    archive.number(job.status);
    auto& ended = job.iterations_ended;
    for (std::uint16_t place = 0; place < ended.size(); ++place) {
      archive.number(ended[archive.worker_at(place)]);
    }
    for (std::size_t rack = 0; rack < job.installed.size(); ++rack) {
      bool installed = job.installed[rack];
      archive.number(installed);
      job.installed[rack] = installed;
    }
  }
}

}  // namespace ina::exploration
