// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "switch-models/software/neighbourhood.hpp"
#include "switch-models/software/orders.hpp"
#include "switch-models/software/software_switch.hpp"

namespace ina::software {

/// Executes orders for one part of a switch.
class PartControl {
 public:
  /// `system`: the system that the cluster runs. All references must outlive this.
  PartControl(const cluster::Spec& cluster, const systems::SwitchHalf& system,
              const Neighbourhood& around, unsigned part_number, SoftwareSwitch& part);

  /// Executes an order. Its job must be a job of the cluster.
  void obey(const Order& order);

 private:
  void register_job(const cluster::Registration& job);

  const cluster::Spec& cluster_;
  const systems::SwitchHalf& system_;
  const Neighbourhood& around_;
  unsigned part_number_;
  SoftwareSwitch& part_;
  std::vector<cluster::Registration> first_;  // by job number, as registered when the switch starts
  std::vector<JobId> id_of_job_;
};

}  // namespace ina::software
