// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/part_control.hpp"

#include "switch-models/software/switch_file.hpp"

namespace ina::software {

PartControl::PartControl(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                         const Neighbourhood& around, unsigned part_number, SoftwareSwitch& part)
    : cluster_(cluster), system_(system), around_(around), part_number_(part_number), part_(part) {
  for (const cluster::JobSpec& job : cluster.jobs) id_of_job_.push_back(job.id);
}

void PartControl::obey(const Order& order) {
  switch (order.kind) {
    case Order::Kind::remove_job:
      return part_.remove_job(id_of_job_[order.job]);
    case Order::Kind::register_job:
      return register_job(order);
    case Order::Kind::go_down:
      return part_.go_down(make_program(cluster_, system_, around_.at(), part_number_));
    case Order::Kind::come_back:
      return part_.come_back();
  }
}

void PartControl::register_job(const Order& order) {
  part_.remove_job(id_of_job_[order.job]);
  id_of_job_[order.job] = order.id;
  const cluster::JobSpec& job = cluster_.jobs[order.job];
  around_.install_job(part_, cluster_.registration(job, order.id, order.root));
}

}  // namespace ina::software
