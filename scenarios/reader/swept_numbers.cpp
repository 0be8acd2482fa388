// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/swept_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "hw/fields/quantity.hpp"
#include "scenarios/results/cells.hpp"
#include "scenarios/results/rows.hpp"

namespace ina::scenarios {

namespace {

Json microseconds_of(std::string_view text) {
  constexpr std::int64_t kPsPerUs = 1'000'000;
  const std::int64_t ps = parse_time(text);
  return ps % kPsPerUs == 0 ? Json(ps / kPsPerUs)
                            : Json(static_cast<double>(ps) / static_cast<double>(kPsPerUs));
}

Json bits_per_second_of(std::string_view text) { return parse_rate(text); }

Json bytes_of(std::string_view text) { return parse_bytes(text); }

/// A kind of quantity with its base unit.
struct Kind {
  const char* suffix;
  Json (*parse)(std::string_view);
};

constexpr Kind kKinds[] = {
    {"_us", microseconds_of}, {"_bps", bits_per_second_of}, {"_bytes", bytes_of}};

/// The values as numbers of this kind. Empty if a value is of another kind, or if all values are
/// plain numbers.
std::vector<Json> numbers_of(const std::vector<Json>& values, const Kind& kind) {
  std::vector<Json> numbers;
  if (std::ranges::none_of(values, &Json::is_string)) {
    return {};
  }
  for (const Json& value : values) {
    if (kind.parse == bytes_of && value.is_number_unsigned()) {
      numbers.push_back(value);
      continue;
    }
    if (!value.is_string()) {
      return {};
    }
    try {
      numbers.push_back(kind.parse(value.get_ref<const std::string&>()));
    } catch (const QuantityError&) {
      return {};
    }
  }
  return numbers;
}

bool is_result_column(std::string_view name) {
  constexpr std::array<std::string_view, 4> kOfPoint = {"point", "variant", "system", "seed"};
  const auto in_table = [name]<class Row>(const Row&) {
    const auto columns = results::columns_of<Row>();
    return std::ranges::find(columns, name, &results::Column::name) != columns.end();
  };
  const auto in_tables = [&](const auto&... rows) { return (in_table(rows) || ...); };
  return std::ranges::find(kOfPoint, name) != kOfPoint.end() ||
         std::apply(in_tables, results::AllRows());
}

/// Possible column names of an axis, shortest first.
std::vector<std::string> tails_of(const std::string& pointer, std::string_view suffix) {
  std::vector<std::string> tails;
  std::string tail;
  const auto keys = split_pointer(pointer);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    tail = tail.empty() ? *key : fmt::format("{}_{}", *key, tail);
    tails.push_back(tail.ends_with(suffix) ? tail : tail + std::string(suffix));
  }
  return tails;
}

}  // namespace

void number_axes(std::vector<SweepAxis>& axes) {
  std::vector<std::vector<std::string>> tails(axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const Kind& kind : kKinds) {
      if (axes[a].numbers.empty()) {
        axes[a].numbers = numbers_of(axes[a].values, kind);
        tails[a] = tails_of(axes[a].pointer, kind.suffix);
      }
    }
    if (axes[a].numbers.empty()) {
      tails[a].clear();
    }
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto is_taken = [&](const std::string& name) {
      const auto has = [&](const auto& others) {
        return &others != &tails[a] && std::ranges::find(others, name) != others.end();
      };
      return is_result_column(name) || std::ranges::any_of(tails, has);
    };
    if (!tails[a].empty()) {
      const auto free = std::ranges::find_if_not(tails[a], is_taken);
      axes[a].column = free == tails[a].end() ? tails[a].back() : *free;
    }
  }
}

}  // namespace ina::scenarios
