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

/// A host that attacks the cluster: beside what it honestly does, if it is a member of a job, it
/// sends forged frames. It hears every frame at the switch, which is more than a port of a switch
/// shows, and repeats what it heard or makes up what a member could say, changed in some fields.
/// What it sends can stand on a wire: it went through the codec.
class HostileHost final : public testing::Host {
 public:
  /// What it is in a job, as everyone who looks at frames can know.
  struct Standing {
    JobId job = 0;
    std::uint16_t workers = 0;
    wire::JobServers servers;
    std::optional<std::uint16_t> rank;  ///< none: it is the first server
    wire::AggregationPath path;         ///< of a worker
  };
  struct Attack {
    std::uint32_t frames = 0;  ///< forged ones
    Time begin{};
    Time gap{};  ///< the longest between two of them

    Time end() const { return begin + frames * gap; }
  };

  HostileHost(const testing::ClusterShape& shape, const Attack& attack, std::uint64_t seed,
              ValuePool& pool);

  /// Its address, and how many hosts there are.
  void settle(HostId self, HostId hosts);
  /// Where it goes on being honest.
  void become(testing::Host& honest) { honest_ = &honest; }
  void stand(const Standing& standing) { standing_ = standing; }
  void hear(const Frame& frame);
  /// Frames that it forged and sent.
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
  JobId last_job_ = 0;  ///< the highest that it heard of
  std::vector<Frame> heard_;
  std::uint32_t left_;
  std::uint64_t sent_ = 0;
  Time next_;
  std::optional<Frame> forged_;
};

/// Who is hostile, and how.
struct HostilePlan {
  HostileHost::Attack attack;
  std::uint64_t seed = 0;
  HostId hosts = 0;                   ///< of the cluster, with the hostile one
  std::optional<std::uint32_t> job;   ///< none: it is a host of its own
  std::uint32_t at = 0;               ///< then it says at which switch
  std::optional<std::uint16_t> rank;  ///< in the job; none: it is the job's server
  Time afterwards{};                  ///< so long after the attack its job is removed
};

}  // namespace ina::campaigns
