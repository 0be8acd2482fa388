/* SPDX-License-Identifier: GPL-2.0-only */
#include "star-bench.h"

#include "measurement.h"
#include "stock-star.h"

#include "hw/files/standard_output.hpp"

#include "ns3/nstime.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace
{

const char* const SCENARIO = INA_SOURCE_DIR "/tests/benchmarks/dsa-8x8.json";

constexpr uint32_t JOBS = 8;
constexpr uint32_t WORKERS = 8;
constexpr uint64_t HOPS_PER_FRAGMENT = 2;

Measurement
MeasureStock(uint64_t packetHops, bool values)
{
    return Isolated(
        [&]
        {
            ns3::Time::SetResolution(ns3::Time::PS);
            ns3::StockStarConfig config;
            config.jobs = JOBS;
            config.workers = WORKERS;
            config.fragments =
                static_cast<uint32_t>(packetHops / (HOPS_PER_FRAGMENT * JOBS * WORKERS));
            config.values = values;
            const ns3::StockStarResult result = ns3::RunStockStar(config);
            return Measurement{result.packetHops, result.cpuSeconds, 0};
        });
}

template <typename... Values>
void
Print(fmt::format_string<Values...> format, Values&&... values)
{
    ina::files::print(fmt::format(format, std::forward<Values>(values)...));
}

} // namespace

ina::fields::Json
BenchStar(unsigned rounds)
{
    Series inaValues{"ina, DSA, values and verification", {}};
    Series inaNone{"ina, DSA, payload none", {}};
    Series stockValues{"stock ns-3, 62 values added", {}};
    Series stockNone{"stock ns-3, no values", {}};
    for (unsigned round = 0; round < rounds; ++round)
    {
        inaValues.rounds.push_back(MeasureScenario(SCENARIO, {"/payload=values"}));
        const uint64_t hops = inaValues.rounds.front().packetHops;
        stockValues.rounds.push_back(MeasureStock(hops, true));
        inaNone.rounds.push_back(MeasureScenario(SCENARIO, {"/payload=none"}));
        stockNone.rounds.push_back(MeasureStock(hops, false));
    }
    Print("{:<28}  {:>10}  {:>12}  {:>9}\n", "", "ns per hop", "packet-hops", "peak MB");
    ina::fields::Json json;
    json["series"] = ina::fields::Json::array();
    for (const Series* series : {&inaValues, &stockValues, &inaNone, &stockNone})
    {
        Print("{:<28}  {:>10.1f}  {:>12}  {:>9.0f}\n",
              series->name,
              series->Nanoseconds(),
              series->rounds.front().packetHops,
              series->PeakMegabytes());
        json["series"].push_back(series->ToJson());
    }
    json["ratio_with_values"] = RatioOf(stockValues, inaValues);
    json["ratio_without_values"] = RatioOf(stockNone, inaNone);
    Print("stock / ina, with values     {:.1f}\nstock / ina, without values  {:.1f}\n",
          json["ratio_with_values"].get<double>(),
          json["ratio_without_values"].get<double>());
    return json;
}
