// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdint>

namespace ina::wire {

/// The packet formats, each with its own header (wire/headers.hpp). Systems may share a format: all
/// systems in which workers add use `flow`.
enum class Format : std::uint8_t { switchml, atp, dsa, ps, flow };
BOOST_DESCRIBE_ENUM(Format, switchml, atp, dsa, ps, flow)

inline constexpr std::size_t kFormats =
    boost::mp11::mp_size<boost::describe::describe_enumerators<Format>>::value;

}  // namespace ina::wire
