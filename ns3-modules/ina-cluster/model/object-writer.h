/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_OBJECT_WRITER_H
#define INA_OBJECT_WRITER_H

#include "object-reader.h"
#include "quantity.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

/// Writes what ObjectReader reads, by functions of the same names; bounds and lists of what is
/// allowed are for it.
class ObjectWriter
{
  public:
    Json json = Json::object();

    void
    Require(std::string_view /* key */)
    {
    }

    template <typename T>
    void
    Integer(std::string_view key, const T& value, Bounds<T> /* bounds */)
    {
        Put(key, value);
    }

    template <typename T>
    void
    Integer(std::string_view key, const std::optional<T>& value, Bounds<T> /* bounds */)
    {
        if (value)
        {
            Put(key, *value);
        }
    }

    template <std::size_t N>
    void
    OneOf(std::string_view key,
          std::uint32_t value,
          const std::array<std::uint32_t, N>& /* allowed */)
    {
        Put(key, value);
    }

    void
    Boolean(std::string_view key, bool value)
    {
        Put(key, value);
    }

    void
    Probability(std::string_view key, double value)
    {
        Put(key, value);
    }

    template <typename Mask, std::size_t N>
    void
    Set(std::string_view key, Mask mask, const std::array<const char*, N>& names)
    {
        auto array = Json::array();
        for (std::size_t i = 0; i < N; ++i)
        {
            if ((mask >> i & 1U) != 0)
            {
                array.push_back(names[i]);
            }
        }
        Put(key, std::move(array));
    }

    void
    Numbers(std::string_view key,
            const std::vector<std::uint64_t>& values,
            Bounds<std::uint64_t> /* bounds */,
            std::size_t /* most */)
    {
        Put(key, values);
    }

    void
    Text(std::string_view key, const std::string& value)
    {
        Put(key, value);
    }

    void
    Constant(std::string_view key, std::string_view only)
    {
        Put(key, only);
    }

    template <typename E, std::size_t N>
    void
    Choice(std::string_view key, E value, const Names<E, N>& names)
    {
        for (const auto& [name, candidate] : names)
        {
            if (candidate == value)
            {
                Put(key, name);
            }
        }
    }

    template <typename E>
    void
    Choice(std::string_view key, E value, std::span<const std::string_view> names)
    {
        Put(key, names[static_cast<std::size_t>(value)]);
    }

    void
    Time(std::string_view key, std::int64_t ps, Bounds<std::int64_t> /* bounds */)
    {
        Put(key, FormatTime(ps));
    }

    void
    Time(std::string_view key,
         const std::optional<std::int64_t>& ps,
         Bounds<std::int64_t> /* bounds */)
    {
        if (ps)
        {
            Put(key, FormatTime(*ps));
        }
    }

    void
    TimeOr(std::string_view word,
           std::string_view key,
           const std::optional<std::int64_t>& ps,
           Bounds<std::int64_t> /* bounds */)
    {
        Put(key, ps ? FormatTime(*ps) : std::string(word));
    }

    void
    Rate(std::string_view key, std::uint64_t bps, Bounds<std::uint64_t> /* bounds */)
    {
        Put(key, FormatRate(bps));
    }

    void
    Bytes(std::string_view key, std::uint64_t bytes, Bounds<std::uint64_t> /* bounds */)
    {
        Put(key, FormatBytes(bytes));
    }

    void
    Range(std::string_view key, const TimeRange& range)
    {
        Put(key, range.low_ps == range.high_ps ? Json(FormatTime(range.low_ps)) : Uniform(range));
    }

    void
    Jitter(std::string_view key, const JitterScenario& jitter)
    {
        if (jitter.per == JitterScenario{}.per)
        {
            Range(key, jitter.range);
            return;
        }
        ObjectWriter writer;
        writer.json = Uniform(jitter.range);
        writer.Choice("per", jitter.per, JITTER_NAMES);
        Put(key, std::move(writer.json));
    }

    template <typename Write>
    void
    Object(std::string_view key, Write write)
    {
        ObjectWriter writer;
        write(writer);
        Put(key, std::move(writer.json));
    }

    template <typename T, typename Write>
    void
    List(std::string_view key,
         const std::vector<T>& values,
         Bounds<std::size_t> /* sizes */,
         Write write)
    {
        auto array = Json::array();
        for (const auto& value : values)
        {
            ObjectWriter writer;
            write(writer, value);
            array.push_back(std::move(writer.json));
        }
        Put(key, std::move(array));
    }

  private:
    static Json
    Uniform(const TimeRange& range)
    {
        return {{"uniform", Json::array({FormatTime(range.low_ps), FormatTime(range.high_ps)})}};
    }

    void
    Put(std::string_view key, Json value)
    {
        json[std::string(key)] = std::move(value);
    }
};

} // namespace ns3

#endif // INA_OBJECT_WRITER_H
