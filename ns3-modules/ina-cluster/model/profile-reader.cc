/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-fields.h"
#include "trace-files.h"

#include <fmt/format.h>

#include <set>

namespace ns3
{

namespace
{

/// More would take hours, as a worker looks at all that it has not ended.
constexpr std::uint64_t MAX_PARTITIONS = 100'000;

std::uint64_t
CountPartitions(const ModelProfile& profile)
{
    std::uint64_t partitions = 0;
    for (const auto& layer : profile.layers)
    {
        partitions += PartitionCount(layer, profile.partition_bytes);
    }
    return partitions;
}

void
CheckPartitions(const ObjectReader& reader, const ModelProfile& profile)
{
    if (profile.partition_bytes % 4 != 0)
    {
        reader.Fail("partition_bytes",
                    fmt::format("{} bytes; allowed: a multiple of 4, the bytes of a value",
                                profile.partition_bytes));
    }
    const auto partitions = CountPartitions(profile);
    if (partitions == 0)
    {
        reader.Fail("layers",
                    "no layer has parameters; allowed: at least one that has something to send");
    }
    if (partitions > MAX_PARTITIONS)
    {
        reader.Fail("layers",
                    fmt::format("{} partitions of {}; allowed: at most {} partitions in all layers",
                                partitions,
                                FormatBytes(profile.partition_bytes),
                                MAX_PARTITIONS));
    }
}

/// Times are summed up in 64 bits.
void
CheckComputeTime(const ObjectReader& reader, const ModelProfile& profile)
{
    std::int64_t total = 0;
    for (const auto& layer : profile.layers)
    {
        total += layer.forward_ps + layer.backward_ps;
        if (total > MAX_TIME_PS)
        {
            reader.Fail(
                "layers",
                fmt::format("more than {0} of computation; allowed: at most {0} an iteration",
                            FormatTime(MAX_TIME_PS)));
        }
    }
}

/// One element of "send_order": a layer of the profile and a partition of it, both counted from 1.
std::pair<std::uint32_t, std::uint32_t>
ReadPartition(const ObjectReader& reader,
              const Json& value,
              std::size_t index,
              const ModelProfile& profile)
{
    const auto refuse = [&](const std::string& allowed)
    {
        reader.Document().Fail(
            PointerTo(reader.PointerOf("send_order"), index),
            fmt::format("found {}; allowed: {}",
                        Shorten(value.dump(-1, ' ', false, Json::error_handler_t::replace)),
                        allowed));
    };
    const auto positive = [](const Json& number)
    { return number.is_number_unsigned() && number > 0; };
    if (!value.is_array() || value.size() != 2 || !positive(value[0]) || !positive(value[1]))
    {
        refuse("[layer, partition], two integers counted from 1");
    }
    const auto layer = value[0].get<std::uint64_t>();
    if (layer > profile.layers.size())
    {
        refuse(fmt::format("a layer from 1 to {}", profile.layers.size()));
    }
    const auto partitions = PartitionCount(profile.layers[layer - 1], profile.partition_bytes);
    const auto partition = value[1].get<std::uint64_t>();
    if (partition > partitions)
    {
        refuse(partitions == 0
                   ? fmt::format("layers with parameters, and layer {} has none", layer)
                   : fmt::format("a partition from 1 to {} of layer {}", partitions, layer));
    }
    return {static_cast<std::uint32_t>(layer), static_cast<std::uint32_t>(partition)};
}

void
ReadSendOrder(ObjectReader& reader, ModelProfile& profile)
{
    const Json* order = reader.Find("send_order");
    if (order == nullptr)
    {
        return;
    }
    if (!order->is_array())
    {
        reader.Refuse("send_order", "an array of [layer, partition]");
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::size_t i = 0; i < order->size(); ++i)
    {
        const auto partition = ReadPartition(reader, (*order)[i], i, profile);
        if (!seen.insert(partition).second)
        {
            reader.Document().Fail(
                PointerTo(reader.PointerOf("send_order"), i),
                fmt::format("partition {} of layer {} stands here twice; allowed: each one once",
                            partition.second,
                            partition.first));
        }
        profile.send_order.push_back(partition);
    }
    if (const auto partitions = CountPartitions(profile); seen.size() != partitions)
    {
        reader.Fail("send_order",
                    fmt::format("{} of the {} partitions; allowed: each one once",
                                seen.size(),
                                partitions));
    }
}

} // namespace

ModelProfile
ReadProfile(ObjectReader& reader, const std::string& default_name)
{
    ModelProfile profile;
    profile.name = default_name;
    VisitProfile(reader, profile);
    if (!profile.layers.empty())
    {
        CheckPartitions(reader, profile);
        CheckComputeTime(reader, profile);
        ReadSendOrder(reader, profile);
    }
    else
    {
        // "layers" is missing, which Finish() tells; an order without layers must not hide that.
        reader.Find("send_order");
    }
    for (std::size_t i = 0; i < profile.layers.size(); ++i)
    {
        auto& name = profile.layers[i].name;
        name = name.empty() ? fmt::format("layer{}", i + 1) : name;
    }
    return profile;
}

} // namespace ns3
