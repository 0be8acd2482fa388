// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/part_control.hpp"

#include "switch-models/software/switch_file.hpp"

namespace ina::software {

PartControl::PartControl(const std::string& file, const endpoints::Cluster& cluster,
                         const Neighbourhood& around, unsigned part_number, SoftwareSwitch& part)
    : file_(file), cluster_(cluster), around_(around), part_number_(part_number), part_(part) {
  for (const endpoints::Job& job : cluster.jobs) id_of_job_.push_back(job.id);
}

void PartControl::obey(const Order& order) {
  switch (order.kind) {
    case Order::Kind::remove_job:
      return part_.remove_job(id_of_job_[order.job]);
    case Order::Kind::register_job:
      return register_job(order.job, order.id);
    case Order::Kind::go_down:
      return part_.go_down(endpoints::read_file(file_, [this](const endpoints::Fields& file) {
        return read_program(file, cluster_, part_number_);
      }));
    case Order::Kind::come_back:
      return part_.come_back();
  }
}

void PartControl::register_job(JobId job, JobId id) {
  part_.remove_job(id_of_job_[job]);
  id_of_job_[job] = id;
  around_.install_job(part_, job, id);
}

}  // namespace ina::software
