// SPDX-License-Identifier: BSD-3-Clause
#include "hw/fields/object_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <set>

#include "hw/fields/counted.hpp"

namespace ina::fields {

namespace {

/// A kind of quantity: functions to parse and format it, and its words for messages.
template <typename T>
struct Kind {
  std::string_view noun;
  std::string_view units;
  std::string_view example;
  T (*parse)(std::string_view);
  std::string (*format)(T);
  bool may_be_number = false;  ///< in the base unit
};

constexpr Kind<std::int64_t> kTime{"a time", kTimeUnits, "2.5us", parse_time, format_time};
constexpr Kind<std::uint64_t> kRate{"a rate", kRateUnits, "100Gbps", parse_rate, format_rate};
constexpr Kind<std::uint64_t> kBytes{"a size",    kByteUnits,   "5MB",
                                     parse_bytes, format_bytes, /*may_be_number=*/true};

template <typename T>
std::string allowed_quantity(const Kind<T>& kind, Bounds<T> bounds) {
  return fmt::format("{} from {} to {}, as {}a string with its unit ({}), such as \"{}\"",
                     kind.noun, kind.format(bounds.low), kind.format(bounds.high),
                     kind.may_be_number ? "a number of bytes or " : "", kind.units, kind.example);
}

/// Reads an optional time; `read` reads it as picoseconds.
template <typename Read>
void read_in_ps(std::optional<Time>& target, Read&& read) {
  std::optional<std::int64_t> ps;
  read(ps);
  if (ps) {
    target = Time(*ps);
  }
}

template <typename T>
T read_quantity(const Document& document, const Json& value, const std::string& pointer,
                const Kind<T>& kind, Bounds<T> bounds, const std::string& instead = {}) {
  std::string reason;
  const bool is_number = kind.may_be_number && value.is_number_unsigned();
  if (is_number || value.is_string()) {
    try {
      const T number = is_number ? value.get<T>() : kind.parse(value.get_ref<const std::string&>());
      if (number >= bounds.low && number <= bounds.high) {
        return number;
      }
      reason = number < bounds.low ? ", too small" : ", too large";
    } catch (const QuantityError& error) {
      reason = fmt::format(", {}", error.what());
    }
  } else if (value.is_number() && !kind.may_be_number) {
    reason = ", give a unit";
  }
  document.fail(pointer, fmt::format("found {}{}; allowed: {}{}", describe(value), reason, instead,
                                     allowed_quantity(kind, bounds)));
}

/// Suggestion for an unknown key: its new name, or a similar key. Empty if there is none.
std::string instead_of(const std::string& key, const std::vector<std::string>& known,
                       std::span<const FormerKey> former_keys) {
  for (const FormerKey& name : former_keys) {
    if (name.former != key) continue;
    if (name.now.starts_with('/')) return fmt::format(", which is {} now", name.now);
    if (std::ranges::find(known, name.now) != known.end()) {
      return fmt::format(", which is \"{}\" now", name.now);
    }
  }
  const auto nearest = nearest_name(key, known);
  return nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest);
}

/// New name of a renamed value of a choice; empty if the value was not renamed.
std::string name_now(std::string_view key, const Json& value,
                     std::span<const FormerValue> former_values) {
  for (const FormerValue& name : former_values) {
    if (name.key == key && value == name.former) {
      return fmt::format(", which is {} now", name.now);
    }
  }
  return {};
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

ObjectReader::ObjectReader(const Document& document, const Json& value, std::string pointer,
                           Absent absent)
    : document_(document), value_(value), pointer_(std::move(pointer)), absent_(absent) {
  if (!value.is_object()) {
    document.fail(pointer_, fmt::format("found {}; allowed: an object", describe(value)));
  }
}

const Json* ObjectReader::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) {
    known_.emplace_back(key);
  }
  const auto found = value_.find(key);
  return found == value_.end() ? nullptr : &*found;
}

const Json* ObjectReader::find_wanted(std::string_view key) {
  const Json* const value = find(key);
  if (value == nullptr && absent_ == Absent::error) {
    fail(key, "the key is missing");
  }
  return value;
}

const Json* ObjectReader::find_wanted(std::string_view key, const std::string& allowed) {
  const Json* const value = find_wanted(key);
  if (value == nullptr) {
    const auto missing = std::ranges::find(missing_, key, &Missing::key);
    if (missing != missing_.end()) missing->allowed = allowed;
  }
  return value;
}

void ObjectReader::require(std::string_view key) {
  if (!value_.contains(key)) {
    missing_.push_back({std::string(key), {}});
  }
}

std::string ObjectReader::pointer_of(std::string_view key) const {
  return pointer_to(pointer_, key);
}

void ObjectReader::boolean(std::string_view key, bool& target, std::string_view /* help */) {
  if (const Json* value = find_wanted(key)) {
    if (!value->is_boolean()) {
      refuse(key, "true or false");
    }
    target = value->get<bool>();
  }
}

void ObjectReader::implied(std::string_view key, bool value, std::string_view help) {
  bool found = value;
  boolean(key, found, help);
  if (found != value) {
    refuse(key, fmt::format("{}, which follows from other keys", value));
  }
}

void ObjectReader::probability(std::string_view key, double& target, std::string_view /* help */) {
  const std::string allowed = "a number from 0 to 1";
  if (const Json* value = find_wanted(key, allowed)) {
    const double found = value->is_number() ? value->get<double>() : -1;
    if (!(found >= 0 && found <= 1)) {
      refuse(key, allowed);
    }
    target = found;
  }
}

void ObjectReader::text(std::string_view key, std::string& target, std::string_view /* help */) {
  const std::string allowed = "a string";
  if (const Json* value = find_wanted(key, allowed)) {
    if (!value->is_string()) {
      refuse(key, allowed);
    }
    target = value->get<std::string>();
  }
}

void ObjectReader::text(std::string_view key, std::optional<std::string>& target,
                        std::string_view help) {
  if (find(key) != nullptr) text(key, target.emplace(), help);
}

void ObjectReader::texts(std::string_view key, std::vector<std::string>& target,
                         Bounds<std::size_t> sizes, std::string_view /* help */) {
  const bool may_be_one = sizes.low <= 1;
  const std::string allowed = fmt::format("{}an array of {} to {} strings",
                                          may_be_one ? "a string, or " : "", sizes.low, sizes.high);
  const Json* value = find_wanted(key, allowed);
  if (value == nullptr) return;
  if (may_be_one && value->is_string()) {
    target = {value->get<std::string>()};
    return;
  }
  if (!value->is_array() || value->size() < sizes.low || value->size() > sizes.high) {
    const auto found = value->is_array() ? counted(value->size(), "element") : describe(*value);
    fail(key, fmt::format("found {}; allowed: {}", found, allowed));
  }
  std::set<std::string> before;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Json& element = (*value)[i];
    if (!element.is_string()) refuse_element(key, i, element, "a string");
    if (!before.insert(element.get<std::string>()).second) {
      refuse_element(key, i, element, "each string once");
    }
  }
  target = value->get<std::vector<std::string>>();
}

void ObjectReader::constant(std::string_view key, std::string_view only,
                            std::string_view /* help */) {
  read_choice(key, {&only, 1});
}

void ObjectReader::time(std::string_view key, std::int64_t& target, Bounds<std::int64_t> bounds,
                        std::string_view /* help */) {
  if (const Json* value = find_wanted(key, allowed_quantity(kTime, bounds))) {
    target = read_quantity(document_, *value, pointer_of(key), kTime, bounds);
  }
}

void ObjectReader::time(std::string_view key, Time& target, Bounds<std::int64_t> bounds,
                        std::string_view help) {
  std::int64_t ps = target.count();
  time(key, ps, bounds, help);
  target = Time(ps);
}

void ObjectReader::numbers(std::string_view key, std::vector<std::uint64_t>& target,
                           Bounds<std::uint64_t> bounds, std::size_t most,
                           std::string_view /* help */) {
  auto values = read_integers(key, bounds, {0, most});
  if (!values) {
    return;
  }
  std::set<std::uint64_t> before;
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (!before.insert((*values)[i]).second) {
      refuse_element(key, i, (*values)[i], "each number once");
    }
  }
  target = std::move(*values);
}

void ObjectReader::factors(std::string_view key, std::vector<std::vector<double>>& target,
                           std::string_view /* help */) {
  const Json* value = find_wanted(key);
  if (value == nullptr) {
    return;
  }
  if (!value->is_array()) {
    refuse(key, "an array of arrays of numbers");
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Json& row = (*value)[i];
    if (!row.is_array() || row.empty()) {
      refuse_element(key, i, row, "an array of one or more numbers of 0 or more");
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j].is_number() && row[j].get<double>() >= 0) continue;
      document_.fail(pointer_to(pointer_to(pointer_of(key), i), j),
                     fmt::format("found {}; allowed: a number of 0 or more", describe(row[j])));
    }
  }
  target = value->get<std::vector<std::vector<double>>>();
}

void ObjectReader::table_or_name(std::string_view key, std::vector<std::vector<double>>& rows,
                                 std::string& name, std::string_view help) {
  const std::string allowed = "a name, the path of a file, or an array of arrays of numbers";
  const Json* value = find_wanted(key, allowed);
  if (value == nullptr) return;
  if (value->is_string()) {
    text(key, name, help);
  } else if (value->is_array()) {
    factors(key, rows, help);
  } else {
    refuse(key, allowed);
  }
}

void ObjectReader::picoseconds(std::string_view key, Time& target, Bounds<std::int64_t> bounds,
                               std::string_view help) {
  std::int64_t ps = target.count();
  picoseconds(key, ps, bounds, help);
  target = Time(ps);
}

void ObjectReader::picoseconds(std::string_view key, std::optional<Time>& target,
                               Bounds<std::int64_t> bounds, std::string_view help) {
  read_in_ps(target, [&](std::optional<std::int64_t>& ps) { picoseconds(key, ps, bounds, help); });
}

void ObjectReader::time(std::string_view key, std::optional<std::int64_t>& target,
                        Bounds<std::int64_t> bounds, std::string_view /* help */) {
  if (const Json* value = find(key)) {
    target = read_quantity(document_, *value, pointer_of(key), kTime, bounds);
  }
}

void ObjectReader::time(std::string_view key, std::optional<Time>& target,
                        Bounds<std::int64_t> bounds, std::string_view help) {
  read_in_ps(target, [&](std::optional<std::int64_t>& ps) { time(key, ps, bounds, help); });
}

void ObjectReader::time_or(std::string_view word, std::string_view key, std::optional<Time>& target,
                           bool& is_word, Bounds<std::int64_t> bounds,
                           std::string_view /* help */) {
  const Json* value = find(key);
  if (value == nullptr) {
    return;
  }
  is_word = *value == word;
  if (is_word) {
    target.reset();
    return;
  }
  const auto instead = fmt::format("\"{}\", or ", word);
  target = Time(read_quantity(document_, *value, pointer_of(key), kTime, bounds, instead));
}

void ObjectReader::rate(std::string_view key, std::uint64_t& target, Bounds<std::uint64_t> bounds,
                        std::string_view /* help */) {
  if (const Json* value = find_wanted(key, allowed_quantity(kRate, bounds))) {
    target = read_quantity(document_, *value, pointer_of(key), kRate, bounds);
  }
}

void ObjectReader::rate(std::string_view key, std::optional<std::uint64_t>& target,
                        Bounds<std::uint64_t> bounds, std::string_view /* help */) {
  if (const Json* value = find(key)) {
    target = read_quantity(document_, *value, pointer_of(key), kRate, bounds);
  }
}

void ObjectReader::bytes(std::string_view key, std::uint64_t& target, Bounds<std::uint64_t> bounds,
                         std::string_view /* help */) {
  if (const Json* value = find_wanted(key, allowed_quantity(kBytes, bounds))) {
    target = read_quantity(document_, *value, pointer_of(key), kBytes, bounds);
  }
}

void ObjectReader::fixed(std::string_view key, const Json& value, TimeRange& target) const {
  target.low_ps = read_quantity(document_, value, pointer_of(key), kTime, kAnyTime);
  target.high_ps = target.low_ps;
}

void ObjectReader::uniform(TimeRange& target) {
  require("uniform");
  const std::string allowed = "an array of two times, the lowest and the highest";
  const Json* ends = find_wanted("uniform", allowed);
  if (ends == nullptr) {
    return;
  }
  if (!ends->is_array() || ends->size() != 2) {
    refuse("uniform", allowed);
  }
  const auto pointer = pointer_of("uniform");
  target.low_ps = read_quantity(document_, (*ends)[0], pointer_to(pointer, 0), kTime, kAnyTime);
  target.high_ps = read_quantity(document_, (*ends)[1], pointer_to(pointer, 1), kTime, kAnyTime);
  if (target.low_ps > target.high_ps) {
    fail("uniform", fmt::format("found {} before {}; allowed: the lower time first",
                                format_time(target.low_ps), format_time(target.high_ps)));
  }
}

void ObjectReader::finish() const {
  for (const auto& [key, value] : value_.items()) {
    if (std::ranges::find(known_, key) == known_.end()) {
      fail(shorten(key),
           fmt::format("unknown key{}; allowed: {}",
                       instead_of(key, known_, document_.former_keys()), fmt::join(known_, ", ")));
    }
  }
  if (!missing_.empty()) {
    const auto& [key, allowed] = missing_.front();
    fail(key, fmt::format("the key is missing, and it has no default; allowed: {}", allowed));
  }
}

void ObjectReader::fail(std::string_view key, const std::string& message) const {
  document_.fail(pointer_of(key), message);
}

void ObjectReader::refuse(std::string_view key, const std::string& allowed) const {
  fail(key, fmt::format("found {}; allowed: {}", describe(value_.at(std::string(key))), allowed));
}

std::optional<std::uint64_t> ObjectReader::read_integer(std::string_view key,
                                                        Bounds<std::uint64_t> bounds,
                                                        std::string_view word) {
  const std::string integer = fmt::format("an integer from {} to {}", bounds.low, bounds.high);
  const std::string allowed = word.empty() ? integer : fmt::format("\"{}\", or {}", word, integer);
  const Json* value = find_wanted(key, allowed);
  if (value == nullptr) {
    return std::nullopt;
  }
  const bool whole = value->is_number_integer();
  const bool negative = whole && !value->is_number_unsigned() && value->get<std::int64_t>() < 0;
  const auto number = whole && !negative ? value->get<std::uint64_t>() : 0;
  if (!whole || negative || number < bounds.low || number > bounds.high) {
    refuse(key, allowed);
  }
  return number;
}

std::optional<std::vector<std::uint64_t>> ObjectReader::read_integers(std::string_view key,
                                                                      Bounds<std::uint64_t> bounds,
                                                                      Bounds<std::size_t> sizes) {
  const Json* value = find_wanted(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const std::string integer = fmt::format("an integer from {} to {}", bounds.low, bounds.high);
  if (!value->is_array() || value->size() < sizes.low || value->size() > sizes.high) {
    const std::string size = sizes.low == 0 ? fmt::format("at most {}", sizes.high)
                             : sizes.low == sizes.high
                                 ? fmt::to_string(sizes.low)
                                 : fmt::format("{} to {}", sizes.low, sizes.high);
    refuse(key, fmt::format("an array of {}, each {}", size, integer));
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Json& element = (*value)[i];
    const bool allowed = element.is_number_unsigned() &&
                         element.get<std::uint64_t>() >= bounds.low &&
                         element.get<std::uint64_t>() <= bounds.high;
    if (!allowed) {
      refuse_element(key, i, element, integer);
    }
  }
  return value->get<std::vector<std::uint64_t>>();
}

void ObjectReader::refuse_element(std::string_view key, std::size_t index, const Json& element,
                                  const std::string& allowed) const {
  document_.fail(pointer_to(pointer_of(key), index),
                 fmt::format("found {}; allowed: {}", describe(element), allowed));
}

std::optional<std::size_t> ObjectReader::read_choice(std::string_view key,
                                                     std::span<const std::string_view> names,
                                                     std::string_view or_else) {
  const std::string allowed = fmt::format("\"{}\"{}", fmt::join(names, "\", \""), or_else);
  const Json* value = find_wanted(key, allowed);
  if (value == nullptr) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (value->is_string() && value->get_ref<const std::string&>() == names[i]) {
      return i;
    }
  }
  fail(key, fmt::format("found {}{}; allowed: {}", describe(*value),
                        name_now(key, *value, document_.former_values()), allowed));
}

void ObjectReader::fail_without(std::string_view key,
                                std::span<const std::string_view> names) const {
  fail(key, fmt::format("the key is missing; allowed: \"{}\"", fmt::join(names, "\", \"")));
}

std::optional<std::uint64_t> ObjectReader::read_set(std::string_view key,
                                                    std::span<const char* const> names) {
  const Json* value = find_wanted(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const auto allowed = fmt::format("\"{}\"", fmt::join(names, "\", \""));
  if (!value->is_array() || value->empty()) {
    refuse(key, "an array of one or more of " + allowed);
  }
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Json& element = (*value)[i];
    const auto name = std::find_if(names.begin(), names.end(),
                                   [&](const char* candidate) { return element == candidate; });
    const auto bit = std::uint64_t{1} << (name - names.begin());
    if (name == names.end() || (mask & bit) != 0) {
      document_.fail(pointer_to(pointer_of(key), i),
                     fmt::format("found {}; allowed: {}, each once", describe(element), allowed));
    }
    mask |= bit;
  }
  return mask;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  std::string nearest;
  // A name with half of its letters wrong is another word, unless it is the beginning of a key
  // ("memory" for "memory_bytes").
  auto least = std::max<std::size_t>(name.size() / 2, 2) + 1;
  for (const auto& candidate : names) {
    const auto distance =
        name.size() >= 3 && candidate.starts_with(name) ? 1 : edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace ina::fields
