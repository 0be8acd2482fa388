// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/control_mistakes.hpp"

#include <optional>

namespace ina::testing {

namespace {

using cluster::ControlWorld;
using cluster::JobEvent;
using cluster::JobHost;
using cluster::Registration;

JobId first_id(const Registration& registration) { return static_cast<JobId>(registration.job); }
bool is_again(const Registration& registration) {
  return registration.id != first_id(registration);
}
Registration with_first_id(Registration registration) {
  registration.id = first_id(registration);
  return registration;
}

/// Forwards the control plane's calls. Subclasses change some of them.
class MistakenControl : public ControlWorld {
 public:
  explicit MistakenControl(ControlWorld& world) : world_(world) {}

  void install_job(std::size_t rack, const Registration& registration) override {
    world_.install_job(rack, registration);
  }
  void remove_job(std::size_t rack, const Registration& registration) override {
    world_.remove_job(rack, registration);
  }
  void take_switch_down(std::size_t rack) override { world_.take_switch_down(rack); }
  void bring_switch_back(std::size_t rack) override { world_.bring_switch_back(rack); }
  void start_workers(const Registration& registration, Time now) override {
    world_.start_workers(registration, now);
  }
  void start_server(const Registration& registration, std::uint16_t index, Time now) override {
    world_.start_server(registration, index, now);
  }
  void stop(const JobHost& host, Time now) override { world_.stop(host, now); }
  void pause(const JobHost& host, Time until, Time now) override { world_.pause(host, until, now); }
  void resume(const JobHost& host, Time now) override { world_.resume(host, now); }
  void expect(const JobHost& host, Time at) override { world_.expect(host, at); }
  void job_event(JobEvent event, const JobHost& host) override { world_.job_event(event, host); }

 private:
  ControlWorld& world_;
};

class SameId final : public MistakenControl {
 public:
  using MistakenControl::MistakenControl;
  void install_job(std::size_t rack, const Registration& registration) override {
    MistakenControl::install_job(rack, with_first_id(registration));
  }
  void remove_job(std::size_t rack, const Registration& registration) override {
    MistakenControl::remove_job(rack, with_first_id(registration));
  }
  void start_workers(const Registration& registration, Time now) override {
    MistakenControl::start_workers(with_first_id(registration), now);
  }
  void start_server(const Registration& registration, std::uint16_t index, Time now) override {
    MistakenControl::start_server(with_first_id(registration), index, now);
  }
};

class LaterIteration final : public MistakenControl {
 public:
  using MistakenControl::MistakenControl;
  void start_workers(const Registration& registration, Time now) override {
    Registration mistaken = registration;
    if (is_again(registration)) ++mistaken.first_iteration;
    MistakenControl::start_workers(mistaken, now);
  }
};

class ForgottenSwitch final : public MistakenControl {
 public:
  using MistakenControl::MistakenControl;
  void remove_job(std::size_t rack, const Registration& registration) override {
    if (rack != registration.tree.root()) MistakenControl::remove_job(rack, registration);
  }
};

class OldServer final : public MistakenControl {
 public:
  using MistakenControl::MistakenControl;
  void start_server(const Registration& registration, std::uint16_t index, Time now) override {
    MistakenControl::start_server(with_first_id(registration), index, now);
  }
};

class EmptySwitch final : public MistakenControl {
 public:
  using MistakenControl::MistakenControl;
  void bring_switch_back(std::size_t rack) override {
    MistakenControl::bring_switch_back(rack);
    back_ = rack;
  }
  void install_job(std::size_t rack, const Registration& registration) override {
    if (back_ != rack) MistakenControl::install_job(rack, registration);
  }

 private:
  std::optional<std::size_t> back_;
};

class EndlessPause final : public MistakenControl {
 public:
  using MistakenControl::MistakenControl;
  void resume(const JobHost&, Time) override {}
};

}  // namespace

std::unique_ptr<ControlWorld> make_same_id(ControlWorld& world) {
  return std::make_unique<SameId>(world);
}
std::unique_ptr<ControlWorld> make_later_iteration(ControlWorld& world) {
  return std::make_unique<LaterIteration>(world);
}
std::unique_ptr<ControlWorld> make_forgotten_switch(ControlWorld& world) {
  return std::make_unique<ForgottenSwitch>(world);
}
std::unique_ptr<ControlWorld> make_old_server(ControlWorld& world) {
  return std::make_unique<OldServer>(world);
}
std::unique_ptr<ControlWorld> make_empty_switch(ControlWorld& world) {
  return std::make_unique<EmptySwitch>(world);
}
std::unique_ptr<ControlWorld> make_endless_pause(ControlWorld& world) {
  return std::make_unique<EndlessPause>(world);
}

}  // namespace ina::testing
