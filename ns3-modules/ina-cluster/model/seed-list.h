/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SEED_LIST_H
#define INA_SEED_LIST_H

#include "scenario-document.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// ns-3's seeds have 32 bits, and 0 is none.
inline constexpr std::uint64_t MAX_SEED = 0xffff'ffff;

/// Reads seeds from a value such as 4, [1, 2], "1-5" or "1,3,7-9": at most max_count of them, none
/// twice. Throws ScenarioError.
std::vector<std::uint64_t> ReadSeeds(const ScenarioDocument& document,
                                     const std::string& pointer,
                                     const Json& value,
                                     std::size_t max_count);

} // namespace ns3

#endif // INA_SEED_LIST_H
