// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/part_control.hpp"

#include "switch-models/software/switch_file.hpp"

namespace ina::software {

PartControl::PartControl(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                         const Neighbourhood& around, unsigned part_number, SoftwareSwitch& part)
    : cluster_(cluster),
      system_(system),
      around_(around),
      part_number_(part_number),
      part_(part),
      first_(cluster.registrations()) {
  for (const cluster::JobSpec& job : cluster.jobs) id_of_job_.push_back(job.id);
}

void PartControl::obey(const Order& order) {
  switch (order.kind) {
    case Order::Kind::remove_job:
      return part_.remove_job(id_of_job_[order.job]);
    case Order::Kind::register_job:
      return register_job(cluster_.registration(cluster_.jobs[order.job], order.id, order.root));
    case Order::Kind::begin_session: {
      cluster::Registration job = first_[order.job];
      job.id = order.id;
      return register_job(job);
    }
    case Order::Kind::go_down:
      return part_.go_down(make_program(cluster_, system_, around_.at(), part_number_));
    case Order::Kind::come_back:
      return part_.come_back();
  }
}

void PartControl::register_job(const cluster::Registration& job) {
  part_.remove_job(id_of_job_[job.job]);
  id_of_job_[job.job] = job.id;
  around_.install_job(part_, job);
}

}  // namespace ina::software
