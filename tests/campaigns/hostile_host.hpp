// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/cluster_parts.hpp"
#include "tests/support/random.hpp"
#include "tests/support/star_network.hpp"

namespace ina::campaigns {

/// A host that attacks the cluster. If it is a member of a job, it also does its honest work. It
/// sees every frame at the switch, which is more than a host at one port can see. It forges frames:
/// recorded ones, or ones that a member could send, with some fields changed. Every forged frame
/// passes through the codec, so it could occur on a wire.
class HostileHost final : public testing::Host {
 public:
  /// The host's role in a job, which any observer of frames can infer.
  struct Standing {
    JobId job = 0;
    std::uint16_t workers = 0;
    wire::JobServers servers;
    std::optional<std::uint16_t> rank;  ///< empty: it is the first server
    wire::AggregationPath path;         ///< path of a worker
  };
  struct Attack {
    std::uint32_t frames = 0;  ///< number of forged frames
    Time begin{};
    Time gap{};  ///< maximum time between two of them

    Time end() const { return begin + frames * gap; }
  };

  HostileHost(const testing::ClusterShape& shape, const Attack& attack, std::uint64_t seed,
              ValuePool& pool);

  /// Sets its address and the number of hosts.
  void settle(HostId self, HostId hosts);
  /// Sets the object that does the honest work.
  void become(testing::Host& honest) { honest_ = &honest; }
  void stand(const Standing& standing) { standing_ = standing; }
  void hear(const Frame& frame);
  /// Number of forged frames sent.
  std::uint64_t forged() const { return sent_; }

  void receive(Frame&& frame, Time now) override { honest_->receive(std::move(frame), now); }
  bool next(Frame& out, Time now) override;
  Time deadline() const override { return std::min(next_, honest_->deadline()); }
  void expire(Time now) override;

 private:
  Frame draw_frame();
  Frame guess();
  Frame in_its_own_name();
  void change(Frame& frame);
  void change_address(Frame& frame);
  void change_members(Frame& frame);
  void fill(Frame& frame);
  std::optional<Frame> as_on_the_wire(const Frame& frame);

  JobId draw_job() { return static_cast<JobId>(random_.between(0, last_job_ + 1U)); }
  HostId draw_host() { return static_cast<HostId>(random_.between(0, hosts_ - 1U)); }
  const Frame& draw_heard();
  std::uint32_t draw_bitmap();
  void set_flags(Frame& frame, std::uint64_t flags) const;
  Psn draw_psn();
  FrameKind draw_kind();

  static constexpr std::size_t kRemembered = 24;

  testing::SilentHost silent_;
  testing::ClusterShape shape_;
  Attack attack_;
  testing::Random random_;
  ValuePool& pool_;
  HostId self_ = 0;
  HostId hosts_ = 1;
  testing::Host* honest_ = &silent_;
  std::optional<Standing> standing_;
  JobId last_job_ = 0;  ///< the highest id that it has seen
  std::vector<Frame> heard_;
  std::uint32_t left_;
  std::uint64_t sent_ = 0;
  Time next_;
  std::optional<Frame> forged_;
};

/// The hostile host and its attack.
struct HostilePlan {
  HostileHost::Attack attack;
  std::uint64_t seed = 0;
  HostId hosts = 0;                   ///< number of hosts, including the hostile one
  std::optional<std::uint32_t> job;   ///< empty: it is not a member of any job
  std::uint32_t at = 0;               ///< the switch of a host that is not a member
  std::optional<std::uint16_t> rank;  ///< in the job; empty: it is the job's server
  Time afterwards{};                  ///< time from the attack until its job is removed
};

}  // namespace ina::campaigns
