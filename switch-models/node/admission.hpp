// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <utility>
#include <vector>

#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/job_servers.hpp"
#include "switch-models/node/routes.hpp"
#include "switch-models/programs/admission_key.hpp"
#include "switch-models/programs/member_table.hpp"

namespace ina::node {

/// Decides which frames a switch admits at each port. A member of a job (MemberTable) may send only
/// through its host's port and under its own name. A neighbouring switch may send frames of hosts
/// that are reached through it, and the answers and results of jobs' roots.
class Admission {
 public:
  /// Admits everything until the first job is installed.
  bool admits(const Frame& frame, PortIndex ingress, const Routes& routes) {
    return !members_only_ || programs::AdmissionKey(frame) == admitted_[ingress] ||
           is_of_member(frame, ingress, routes);
  }

  /// Members are as in MemberTable::install(). `up`: the port to the root of the job's tree, if the
  /// root is another switch. `only_forwards`: whether this switch adds none of the job's values.
  struct Job {
    std::vector<HostId> workers;
    wire::JobServers servers;
    std::vector<wire::AggregationPath> paths;
    PortIndex up = kNoPort;
    bool only_forwards = false;
    bool among_workers = false;
  };
  void install_job(JobId job, Job members, const Routes& routes);
  void remove_job(JobId job, const Routes& routes);
  /// Call this after a reboot has lost all jobs.
  void remove_all(const Routes& routes);
  /// Call this after a change of ports or routes, which may make earlier admissions invalid.
  void forget_admitted(const Routes& routes) { admitted_.assign(routes.port_count(), {}); }

  const programs::MemberTable& members() const { return members_; }
  /// The port to the root of the job's tree; empty if this switch is the root, or there is no root.
  std::span<const PortIndex> up(JobId job) const {
    if (job >= trees_.size() || trees_[job].up == kNoPort) return {};
    return {&trees_[job].up, 1};
  }
  bool only_forwards(JobId job) const { return job < trees_.size() && trees_[job].only_forwards; }
  /// Whether the frame arrived at the port that leads to the root of its job's tree.
  bool comes_down(const Frame& frame, PortIndex ingress) const {
    const std::span<const PortIndex> root = up(frame.job);
    return !root.empty() && root.front() == ingress;
  }

 private:
  struct Tree {
    PortIndex up = kNoPort;
    bool only_forwards = false;
  };

  bool is_of_member(const Frame& frame, PortIndex ingress, const Routes& routes);
  bool is_of_host(const Frame& frame, PortIndex ingress, const Routes& routes);
  bool comes_from_switch(const Frame& frame, PortIndex ingress, const Routes& routes) const;
  bool is_of_root(const Frame& frame, PortIndex ingress, const Routes& routes) const;
  bool is_of_tree(const Frame& frame, PortIndex ingress, const Routes& routes) const;

  bool members_only_ = false;
  /// By PortIndex: key of the last gradient admitted from a host, valid for the current members,
  /// routes and ports.
  std::vector<programs::AdmissionKey> admitted_;
  programs::MemberTable members_;
  std::vector<Tree> trees_;  // by JobId

  BOOST_DESCRIBE_CLASS(Admission, (), (), (), (members_))
};

}  // namespace ina::node
