/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_OBJECT_READER_H
#define INA_OBJECT_READER_H

#include "quantity.h"
#include "scenario-document.h"
#include "scenario.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

/// What a number may be, both ends included.
template <typename T>
struct Bounds
{
    T low;
    T high;
};

/// The names of the values of an enumeration, in the order in which messages list them.
template <typename E, std::size_t N>
using Names = std::array<std::pair<std::string_view, E>, N>;

/// Of an enumeration whose values are in the order of `texts`.
template <typename E, typename Text, std::size_t N>
constexpr Names<E, N>
NamesInOrder(const std::array<Text, N>& texts)
{
    Names<E, N> names;
    for (std::size_t i = 0; i < N; ++i)
    {
        names[i] = {texts[i], static_cast<E>(i)};
    }
    return names;
}

/**
 * Reads an object of a document key by key. A key that is absent leaves its target, and so its
 * default, alone. Every function throws ScenarioError, with the pointer of the value, on a wrong
 * type or a value that is not allowed. The keys that were asked for are the ones that the object
 * may have: Finish() refuses any other. ObjectWriter has the same functions, so that one list of
 * fields serves both.
 */
class ObjectReader
{
  public:
    /// Throws ScenarioError if the value is no object. Value and document must outlive the reader.
    ObjectReader(const ScenarioDocument& document, const Json& value, std::string pointer);

    /// The value of a key, null if it is absent.
    const Json* Find(std::string_view key);
    /// As Find(), but Finish() refuses an object without the key.
    void Require(std::string_view key);
    std::string PointerOf(std::string_view key) const;

    template <typename T>
    void Integer(std::string_view key, T& target, Bounds<T> bounds);
    template <typename T>
    void Integer(std::string_view key, std::optional<T>& target, Bounds<T> bounds);
    /// One of a few integers.
    template <std::size_t N>
    void OneOf(std::string_view key,
               std::uint32_t& target,
               const std::array<std::uint32_t, N>& allowed);
    void Boolean(std::string_view key, bool& target);
    /// A number from 0 to 1.
    void Probability(std::string_view key, double& target);
    void Text(std::string_view key, std::string& target);
    /// A key that has one value, for what there may be more of one day.
    void Constant(std::string_view key, std::string_view only);
    template <typename E, std::size_t N>
    void Choice(std::string_view key, E& target, const Names<E, N>& names);
    /// Of an enumeration whose values are the places of `names`.
    template <typename E>
    void Choice(std::string_view key, E& target, std::span<const std::string_view> names);
    /// An array of names, each at most once and one at least: a bit each, in the order of `names`.
    template <typename Mask, std::size_t N>
    void Set(std::string_view key, Mask& target, const std::array<const char*, N>& names);
    /// An array of integers, each at most once.
    void Numbers(std::string_view key,
                 std::vector<std::uint64_t>& target,
                 Bounds<std::uint64_t> bounds,
                 std::size_t most);
    void Time(std::string_view key, std::int64_t& target, Bounds<std::int64_t> bounds);
    void Time(std::string_view key,
              std::optional<std::int64_t>& target,
              Bounds<std::int64_t> bounds);
    /// A time, or a word, for which `target` is empty.
    void TimeOr(std::string_view word,
                std::string_view key,
                std::optional<std::int64_t>& target,
                Bounds<std::int64_t> bounds);
    void Rate(std::string_view key, std::uint64_t& target, Bounds<std::uint64_t> bounds);
    void Bytes(std::string_view key, std::uint64_t& target, Bounds<std::uint64_t> bounds);
    /// A time, or {"uniform": [low, high]}.
    void Range(std::string_view key, TimeRange& target);
    /// As Range(), with a "per" in the object.
    void Jitter(std::string_view key, JitterScenario& target);
    /// An object; read(reader) reads its fields.
    template <typename Read>
    void Object(std::string_view key, Read read);
    /// An array of objects; read(reader, element) reads the fields of one.
    template <typename T, typename Read>
    void List(std::string_view key, std::vector<T>& target, Bounds<std::size_t> sizes, Read read);

    /// Throws ScenarioError if a key stands here that nobody asked for, or a required one is
    /// missing.
    void Finish() const;

    [[noreturn]] void Fail(std::string_view key, const std::string& message) const;
    /// Fails with what stands at the key and what should.
    [[noreturn]] void Refuse(std::string_view key, const std::string& allowed) const;

    const ScenarioDocument&
    Document() const
    {
        return m_document;
    }

  private:
    /// The value at the key as 64 bits, checked against the bounds; empty if the key is absent.
    std::optional<std::uint64_t> ReadInteger(std::string_view key, Bounds<std::uint64_t> bounds);
    /// The index of the name at the key; empty if the key is absent.
    std::optional<std::size_t> ReadChoice(std::string_view key,
                                          std::span<const std::string_view> names);
    std::optional<std::uint64_t> ReadSet(std::string_view key, std::span<const char* const> names);
    void Uniform(std::string_view key, const Json& value, TimeRange& target, JitterPer* per);

    const ScenarioDocument& m_document;
    const Json& m_value;
    std::string m_pointer;
    std::vector<std::string> m_known;
    std::vector<std::string> m_missing;
};

/// The name that is nearest by edit distance; empty if none is near.
std::string NearestName(std::string_view name, const std::vector<std::string>& names);

inline constexpr Bounds<std::int64_t> ANY_TIME{0, MAX_TIME_PS};

inline constexpr auto JITTER_NAMES = NamesInOrder<JitterPer>(ina::endpoints::kJitterPerNames);

template <typename T>
void
ObjectReader::Integer(std::string_view key, T& target, Bounds<T> bounds)
{
    if (const auto value = ReadInteger(key, {bounds.low, bounds.high}))
    {
        target = static_cast<T>(*value);
    }
}

template <typename T>
void
ObjectReader::Integer(std::string_view key, std::optional<T>& target, Bounds<T> bounds)
{
    if (const auto value = ReadInteger(key, {bounds.low, bounds.high}))
    {
        target = static_cast<T>(*value);
    }
}

template <std::size_t N>
void
ObjectReader::OneOf(std::string_view key,
                    std::uint32_t& target,
                    const std::array<std::uint32_t, N>& allowed)
{
    const Json* value = Find(key);
    if (value == nullptr)
    {
        return;
    }
    std::string list;
    for (const auto candidate : allowed)
    {
        if (value->is_number_integer() && *value == candidate)
        {
            target = candidate;
            return;
        }
        list += (list.empty() ? "" : ", ") + std::to_string(candidate);
    }
    Refuse(key, "one of the integers " + list);
}

template <typename E, std::size_t N>
void
ObjectReader::Choice(std::string_view key, E& target, const Names<E, N>& names)
{
    std::array<std::string_view, N> texts;
    for (std::size_t i = 0; i < N; ++i)
    {
        texts[i] = names[i].first;
    }
    if (const auto index = ReadChoice(key, texts))
    {
        target = names[*index].second;
    }
}

template <typename E>
void
ObjectReader::Choice(std::string_view key, E& target, std::span<const std::string_view> names)
{
    if (const auto index = ReadChoice(key, names))
    {
        target = static_cast<E>(*index);
    }
}

template <typename Mask, std::size_t N>
void
ObjectReader::Set(std::string_view key, Mask& target, const std::array<const char*, N>& names)
{
    if (const auto mask = ReadSet(key, names))
    {
        target = static_cast<Mask>(*mask);
    }
}

template <typename Read>
void
ObjectReader::Object(std::string_view key, Read read)
{
    if (const Json* value = Find(key))
    {
        ObjectReader reader(m_document, *value, PointerOf(key));
        read(reader);
        reader.Finish();
    }
}

template <typename T, typename Read>
void
ObjectReader::List(std::string_view key,
                   std::vector<T>& target,
                   Bounds<std::size_t> sizes,
                   Read read)
{
    const Json* value = Find(key);
    if (value == nullptr)
    {
        return;
    }
    if (!value->is_array())
    {
        Refuse(key, "an array of objects");
    }
    if (value->size() < sizes.low || value->size() > sizes.high)
    {
        Fail(key,
             "found " + std::to_string(value->size()) + " elements; allowed: " +
                 std::to_string(sizes.low) + " to " + std::to_string(sizes.high));
    }
    target.assign(value->size(), T{});
    for (std::size_t i = 0; i < target.size(); ++i)
    {
        ObjectReader reader(m_document, (*value)[i], PointerTo(PointerOf(key), i));
        read(reader, target[i]);
        reader.Finish();
    }
}

} // namespace ns3

#endif // INA_OBJECT_READER_H
