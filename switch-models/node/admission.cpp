// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/node/admission.hpp"

#include <utility>

namespace ina::node {

void Admission::install_job(JobId job, Job members, const Routes& routes) {
  if (members.among_workers) {
    members_.install_among_workers(job, std::move(members.workers));
  } else {
    members_.install(job, std::move(members.workers), members.servers, std::move(members.paths));
  }
  if (job >= trees_.size()) trees_.resize(job + std::size_t{1});
  trees_[job] = {routes.are_by_flow() ? kNoPort : members.up, members.only_forwards};
  members_only_ = true;
  forget_admitted(routes);
}

void Admission::remove_job(JobId job, const Routes& routes) {
  members_.remove(job);
  if (job < trees_.size()) trees_[job].only_forwards = false;
  forget_admitted(routes);
}

void Admission::remove_all(const Routes& routes) {
  members_ = {};
  forget_admitted(routes);
}

bool Admission::is_of_member(const Frame& frame, PortIndex ingress, const Routes& routes) {
  return routes.leads_to_switch(ingress) ? comes_from_switch(frame, ingress, routes)
                                         : is_of_host(frame, ingress, routes);
}

bool Admission::is_of_host(const Frame& frame, PortIndex ingress, const Routes& routes) {
  if (routes.only_port_to(frame.source) != ingress || !members_.admits(frame, frame.source)) {
    return false;
  }
  if (members_.goes_by_key(frame)) admitted_[ingress] = programs::AdmissionKey(frame);
  return true;
}

/// Admits frames from hosts behind the switch that do not return there, and answers.
bool Admission::comes_from_switch(const Frame& frame, PortIndex ingress,
                                  const Routes& routes) const {
  if (members_.is_without_server(frame.job)) return is_of_tree(frame, ingress, routes);
  if (comes_down(frame, ingress)) return is_of_root(frame, ingress, routes);
  if (routes.are_by_flow() && routes.leads_to(ingress, frame.destination)) return false;
  return routes.leads_to(ingress, members_.origin_of(frame)) && members_.admits_from_switch(frame);
}

/// Admits frames that the root sent: frames for a member below, results for all workers, and
/// partial sums for the server.
bool Admission::is_of_root(const Frame& frame, PortIndex ingress, const Routes& routes) const {
  if (members_.admits_answer(frame)) return true;
  return !routes.leads_to(ingress, frame.destination) &&
         (members_.is_for_server(frame) || members_.admits_from_switch(frame));
}

/// Admits sums from the port of the leaf for which they count, and results from above, whose source
/// may be any worker.
bool Admission::is_of_tree(const Frame& frame, PortIndex ingress, const Routes& routes) const {
  if (frame.kind == FrameKind::result) return comes_down(frame, ingress);
  return frame.kind == FrameKind::gradient && routes.leads_to(ingress, frame.source) &&
         (only_forwards(frame.job) || routes.leads_to(ingress, members_.member_of(frame)));
}

}  // namespace ina::node
