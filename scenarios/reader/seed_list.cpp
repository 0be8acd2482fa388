// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/seed_list.hpp"

#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "hw/fields/read_number.hpp"

namespace ina::scenarios {

namespace {

std::optional<std::uint64_t> parse_seed(std::string_view text) {
  std::uint64_t seed = 0;
  const bool valid = fields::read_number(text, seed) && text.front() != '0' && seed <= kMaxSeed;
  return valid ? std::optional(seed) : std::nullopt;
}

/// First and last seed of a range such as "7-9" or "7".
std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_seed_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto low = parse_seed(text.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : parse_seed(text.substr(dash + 1));
  if (!low || !high || *low > *high) {
    return std::nullopt;
  }
  return std::pair{*low, *high};
}

class SeedList {
 public:
  SeedList(const ScenarioDocument& document, std::size_t max_count)
      : document_(document), max_count_(max_count) {}

  void add_number(const Json& number, const std::string& place) {
    if (!number.is_number_unsigned() || number == 0 || number > kMaxSeed) {
      refuse(number, place);
    }
    add(number.get<std::uint64_t>(), place);
  }

  void add_text(const Json& text, const std::string& place) {
    std::string_view rest = text.get_ref<const std::string&>();
    for (bool more = true; more;) {
      const auto comma = rest.find(',');
      const auto range = parse_seed_range(rest.substr(0, comma));
      if (!range) {
        refuse(text, place);
      }
      for (auto seed = range->first; seed <= range->second; ++seed) {
        add(seed, place);
      }
      more = comma != std::string_view::npos;
      rest.remove_prefix(more ? comma + 1 : rest.size());
    }
  }

  std::vector<std::uint64_t> take() { return std::move(seeds_); }

  [[noreturn]] void refuse(const Json& found, const std::string& place) const {
    document_.fail(
        place,
        fmt::format(
            "found {}; allowed: seeds from 1 to {}, as an integer, an array of integers, or a "
            "string such as \"1-5\" or \"1,3,7-9\"",
            describe(found), kMaxSeed));
  }

 private:
  void add(std::uint64_t seed, const std::string& place) {
    if (!seen_.insert(seed).second) {
      document_.fail(place, fmt::format("found seed {} twice; allowed: each seed once", seed));
    }
    if (seeds_.size() == max_count_) {
      document_.fail(place,
                     fmt::format("found more than {0} seeds; allowed: at most {0}", max_count_));
    }
    seeds_.push_back(seed);
  }

  const ScenarioDocument& document_;
  std::size_t max_count_;
  std::vector<std::uint64_t> seeds_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

std::vector<std::uint64_t> read_seeds(const ScenarioDocument& document, const std::string& pointer,
                                      const Json& value, std::size_t max_count) {
  SeedList list(document, max_count);
  if (value.is_string()) {
    list.add_text(value, pointer);
  } else if (!value.is_array()) {
    list.add_number(value, pointer);
  } else if (value.empty()) {
    list.refuse(value, pointer);
  }
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
    list.add_number(value[i], pointer_to(pointer, i));
  }
  return list.take();
}

}  // namespace ina::scenarios
