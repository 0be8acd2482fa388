// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "tests/campaigns/campaign.hpp"

namespace ina::campaigns {

/// One of the explorer's mutants whose mistake is in the switch, whatever its policy, and a part of
/// what the campaigns find of it.
struct Mistake {
  testing::System system;
  const char* mutant;
  const char* failure;
};

inline void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.mutant; }

inline constexpr Mistake kMistakes[] = {
    {testing::System::switchml, "switchml-skip-the-bitmap-test", "wrong sum"},
    {testing::System::switchml, "switchml-drop-the-shadow-copy", "stuck"},
    {testing::System::switchml, "switchml-forget-the-latest-fragment", "wrong sum"},
    {testing::System::switchml, "switchml-keep-the-last-exponent", "wrong sum"},
    {testing::System::switchml, "switchml-shadow-copy-without-exponent", "wrong sum"},
    {testing::System::atp, "atp-skip-the-bitmap-test", "wrong sum"},
    {testing::System::atp, "atp-rto-without-resend", "aggregators were in use"},
    {testing::System::atp, "atp-forget-to-free", "aggregators were in use"},
    {testing::System::atp, "atp-add-up-resends-at-the-second-level", "stuck"},
    {testing::System::atp, "atp-add-up-after-a-collision", "wrong sum"},
    {testing::System::atp, "atp-hide-the-overflow", "wrong sum"},
    {testing::System::atp, "atp-floats-without-their-flag", "stuck"},
    {testing::System::dsa, "dsa-free-before-multicast", "wrong sum"},
    {testing::System::dsa, "dsa-forget-an-evicted-bitmap", "wrong sum"},
    {testing::System::dsa, "dsa-no-reminder", "stuck"},
    {testing::System::dsa, "dsa-rto-without-resend", "aggregators were in use"},
};

}  // namespace ina::campaigns
