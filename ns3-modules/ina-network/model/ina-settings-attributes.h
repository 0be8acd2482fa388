/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SETTINGS_ATTRIBUTES_H
#define INA_SETTINGS_ATTRIBUTES_H

#include "ina-collision-policy.h"
#include "ina-enum-accessor.h"
#include "ina-protocol-time.h"

#include "hw/fields/bounds.hpp"
#include "hw/protocol/time.hpp"

#include "ns3/attribute.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup ina-network
 * Turns settings into attributes. Each key that visit() visits (hw/fields), except a list, becomes
 * an attribute with the key's help text, default and range. "min_rto" becomes MinRto, as ns-3
 * spells names. The name of a key in an object begins with the object's name, as in BurstLoss.
 */

namespace ns3
{

/** Turns "min_rto" into "MinRto". */
std::string InaAttributeNameOf(std::string_view key);

/**
 * Visitor of settings that calls this function for each key, with ns-3's types:
 * field(name, help, value, checker, get(AttributeValue&), set(const AttributeValue&)).
 * For an optional key, the value 0 means that the key is not set.
 */
template <typename Field>
class InaSettingsVisitor
{
  public:
    explicit InaSettingsVisitor(Field field, std::string prefix = "") :
        m_field(std::forward<Field>(field)), m_prefix(std::move(prefix))
    {
    }

    template <typename T>
    void
    integer(std::string_view key, T& target, ina::fields::Bounds<T> bounds, std::string_view help)
    {
        Add<UintegerValue>(
            key,
            help,
            MakeUintegerChecker<T>(bounds.low, bounds.high),
            [&target] { return uint64_t{target}; },
            [&target](uint64_t value) { target = static_cast<T>(value); });
    }

    template <typename T>
    void
    integer(std::string_view key,
            std::optional<T>& target,
            ina::fields::Bounds<T> bounds,
            std::string_view help)
    {
        Add<UintegerValue>(
            key,
            help,
            MakeUintegerChecker<T>(0, bounds.high),
            [&target] { return uint64_t{target.value_or(0)}; },
            [&target](uint64_t value)
            { target = value == 0 ? std::nullopt : std::optional(static_cast<T>(value)); });
    }

    /** Adds two attributes: an integer, and a boolean that selects `word` instead of it. */
    template <typename T>
    void
    integer_or(std::string_view word,
               std::string_view key,
               std::optional<T>& target,
               bool& isWord,
               ina::fields::Bounds<T> bounds,
               std::string_view help)
    {
        integer(key, target, bounds, help);
        boolean(std::string(word) + "_" + std::string(key), isWord, help);
    }

    template <std::size_t N>
    void
    one_of(std::string_view key,
           uint32_t& target,
           const std::array<uint32_t, N>& allowed,
           std::string_view help)
    {
        Add<UintegerValue>(
            key,
            help,
            MakeUintegerChecker<uint32_t>(allowed.front(), allowed.back()),
            [&target] { return uint64_t{target}; },
            [&target, allowed](uint64_t value)
            {
                const bool isAllowed = std::ranges::find(allowed, value) != allowed.end();
                target = isAllowed ? static_cast<uint32_t>(value) : target;
                return isAllowed;
            });
    }

    void
    boolean(std::string_view key, bool& target, std::string_view help)
    {
        Add<BooleanValue>(
            key,
            help,
            MakeBooleanChecker(),
            [&target] { return target; },
            [&target](bool value) { target = value; });
    }

    void
    probability(std::string_view key, double& target, std::string_view help)
    {
        Add<DoubleValue>(
            key,
            help,
            MakeDoubleChecker<double>(0, 1),
            [&target] { return target; },
            [&target](double value) { target = value; });
    }

    void
    time(std::string_view key,
         ina::Time& target,
         ina::fields::Bounds<int64_t> bounds,
         std::string_view help)
    {
        Add<TimeValue>(
            key,
            help,
            CheckerOf(bounds),
            [&target] { return InaFromProtocol(target); },
            [&target](const Time& value) { target = InaToProtocol(value); });
    }

    void
    time(std::string_view key,
         std::optional<ina::Time>& target,
         ina::fields::Bounds<int64_t> bounds,
         std::string_view help)
    {
        Add<TimeValue>(
            key,
            std::string(help) + "; 0s: by default",
            CheckerOf({0, bounds.high}),
            [&target] { return InaFromProtocol(target.value_or(ina::Time::zero())); },
            [&target, bounds](const Time& value)
            {
                const ina::Time time = InaToProtocol(value);
                const bool isAllowed = value.IsZero() || time.count() >= bounds.low;
                if (isAllowed)
                {
                    target = value.IsZero() ? std::nullopt : std::optional(time);
                }
                return isAllowed;
            });
    }

    /** Adds two attributes: a time, and a boolean that selects `word` instead of it. */
    void
    time_or(std::string_view word,
            std::string_view key,
            std::optional<ina::Time>& target,
            bool& isWord,
            ina::fields::Bounds<int64_t> bounds,
            std::string_view help)
    {
        time(key, target, bounds, help);
        boolean(std::string(word) + "_" + std::string(key), isWord, help);
    }

    /** Adds an integer attribute with one bit per name. */
    template <typename Mask, std::size_t N>
    void
    set(std::string_view key,
        Mask& target,
        const std::array<const char*, N>& names,
        std::string_view help)
    {
        std::string bits;
        for (std::size_t i = 0; i < N; ++i)
        {
            bits +=
                (i == 0 ? ": the sum of " : ", ") + std::to_string(1U << i) + " for " + names[i];
        }
        Add<UintegerValue>(
            key,
            std::string(help) + bits,
            MakeUintegerChecker<Mask>(1, (1U << N) - 1),
            [&target] { return uint64_t{target}; },
            [&target](uint64_t value) { target = static_cast<Mask>(value); });
    }

    /** Adds no attribute: lists can be set only by methods, such as SetLostFrames(). */
    void
    numbers(std::string_view,
            const std::vector<uint64_t>&,
            ina::fields::Bounds<uint64_t>,
            std::size_t,
            std::string_view)
    {
    }

    template <typename Read>
    void
    object(std::string_view key, const Read& read, std::string_view)
    {
        InaSettingsVisitor<Field&> inner(m_field, m_prefix + std::string(key) + "_");
        read(inner);
    }

    template <typename E, std::size_t N>
    void
    choice(std::string_view key,
           E& target,
           const ina::fields::ChoiceNames<E, N>& names,
           std::string_view help)
    {
        const auto checker = InaCreateEnumChecker<EnumChecker, int>();
        for (const auto& [name, value] : names)
        {
            checker->Add(static_cast<int>(value), std::string(name));
        }
        Add<InaEnumValueOfInt>(
            key,
            help,
            checker,
            [&target] { return static_cast<int>(target); },
            [&target](int value) { target = static_cast<E>(value); });
    }

    template <typename Read>
    void
    named(std::string_view key,
          std::span<const std::string_view>,
          ina::policies::CollisionPolicy& target,
          const Read&,
          std::string_view help)
    {
        Add<InaCollisionPolicyValue>(
            key,
            std::string(help) +
                ", with the policy's parameters: name[parameter=value|parameter=value]",
            MakeInaCollisionPolicyChecker(),
            [&target] { return target; },
            [&target](const ina::policies::CollisionPolicy& value) { target = value; });
    }

  private:
    static Ptr<const AttributeChecker>
    CheckerOf(ina::fields::Bounds<int64_t> bounds)
    {
        return MakeTimeChecker(InaFromProtocol(ina::Time(bounds.low)),
                               InaFromProtocol(ina::Time(bounds.high)));
    }

    template <typename Value, typename Get, typename Set>
    void
    Add(std::string_view key,
        std::string_view help,
        const Ptr<const AttributeChecker>& checker,
        Get get,
        Set set)
    {
        const auto read = [get](AttributeValue& value)
        {
            auto* const typed = dynamic_cast<Value*>(&value);
            if (typed != nullptr)
            {
                typed->Set(get());
            }
            return typed != nullptr;
        };
        const auto write = [set](const AttributeValue& value)
        {
            const auto* const typed = dynamic_cast<const Value*>(&value);
            if (typed == nullptr)
            {
                return false;
            }
            if constexpr (std::is_void_v<decltype(set(typed->Get()))>)
            {
                set(typed->Get());
                return true;
            }
            else
            {
                return set(typed->Get());
            }
        };
        m_field(InaAttributeNameOf(m_prefix + std::string(key)),
                std::string(help) + ".",
                Value(get()),
                checker,
                read,
                write);
    }

    Field m_field;
    std::string m_prefix; //!< names of the enclosing objects
};

template <typename Field>
InaSettingsVisitor(Field) -> InaSettingsVisitor<Field>;

/** Accesses one key of the settings in member m_settings of `Holder`, which is an ObjectBase.
 * Before a change it calls AbortIfUsed(), if `Holder` has such a method. */
template <typename Holder>
class InaSettingsAccessor : public AttributeAccessor
{
  public:
    explicit InaSettingsAccessor(std::string name) : m_name(std::move(name)) {}

    bool
    Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto* const holder = dynamic_cast<Holder*>(object);
        if constexpr (requires { holder->AbortIfUsed(); })
        {
            if (holder != nullptr)
            {
                holder->AbortIfUsed();
            }
        }
        return holder != nullptr &&
               Find(holder->m_settings,
                    [&value](const auto&, const auto& write) { return write(value); });
    }

    bool
    Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto* const holder = dynamic_cast<const Holder*>(object);
        if (holder == nullptr)
        {
            return false;
        }
        auto settings = holder->m_settings; // a copy, since the visitor needs a non-const object
        return Find(settings, [&value](const auto& read, const auto&) { return read(value); });
    }

    bool
    HasGetter() const override
    {
        return true;
    }

    bool
    HasSetter() const override
    {
        return true;
    }

  private:
    template <typename Settings, typename Use>
    bool
    Find(Settings& settings, Use use) const
    {
        bool isDone = false;
        InaSettingsVisitor visitor([&](const std::string& name,
                                       const std::string&,
                                       const AttributeValue&,
                                       const Ptr<const AttributeChecker>&,
                                       const auto& read,
                                       const auto& write)
                                   { isDone = name == m_name ? use(read, write) : isDone; });
        Settings::visit(visitor, settings);
        return isDone;
    }

    std::string m_name;
};

/**
 * Adds an attribute for each key of Holder's settings.
 *
 * \param tid TypeId of Holder
 * \return tid
 */
template <typename Holder, typename Settings>
TypeId
InaAddAttributesOf(TypeId tid)
{
    Settings defaults;
    InaSettingsVisitor visitor(
        [&tid](const std::string& name,
               const std::string& help,
               const AttributeValue& value,
               const Ptr<const AttributeChecker>& checker,
               const auto&,
               const auto&) {
            tid.AddAttribute(name, help, value, Create<InaSettingsAccessor<Holder>>(name), checker);
        });
    Settings::visit(visitor, defaults);
    return tid;
}

} // namespace ns3

#endif // INA_SETTINGS_ATTRIBUTES_H
