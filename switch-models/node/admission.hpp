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

/// Admits frames by their port of a switch. Members of jobs (MemberTable) send by the ports of
/// their hosts, each in its own name. Another switch may send frames of the hosts behind it, and
/// the answers and results of the roots of jobs' trees.
class Admission {
 public:
  /// Admits everything until the first job is installed.
  bool admits(const Frame& frame, PortIndex ingress, const Routes& routes) {
    return !members_only_ || programs::AdmissionKey(frame) == admitted_[ingress] ||
           is_of_member(frame, ingress, routes);
  }

  /// Members as for MemberTable::install(). `up`: the port to the root of the job's tree, if the
  /// root is another switch. `only_forwards`: whether this switch adds nothing of the job.
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
  /// Call this after all jobs were lost.
  void remove_all(const Routes& routes);
  /// Call this after ports or routes have changed, since earlier admissions may no longer be valid.
  void forget_admitted(const Routes& routes) { admitted_.assign(routes.port_count(), {}); }

  const programs::MemberTable& members() const { return members_; }
  /// The port to the root of the job's tree; empty if the root is here, or there is none.
  std::span<const PortIndex> up(JobId job) const {
    if (job >= trees_.size() || trees_[job].up == kNoPort) return {};
    return {&trees_[job].up, 1};
  }
  bool only_forwards(JobId job) const { return job < trees_.size() && trees_[job].only_forwards; }
  /// Whether the frame came in by the port to the root of its job's tree.
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
