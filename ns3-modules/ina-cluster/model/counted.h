/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_COUNTED_H
#define INA_COUNTED_H

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{

/** "1 frame", "2 frames": for nouns that take an s. */
inline std::string
Counted(uint64_t count, std::string_view noun)
{
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace ns3

#endif // INA_COUNTED_H
