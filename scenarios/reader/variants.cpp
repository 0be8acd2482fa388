// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/variants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <utility>

#include "hw/fields/input_error.hpp"

namespace ina::scenarios {

namespace {

constexpr std::size_t kMaxVariantBytes = 40;
/// Names may have any printable ASCII except these, since two names are joined in "A/B" and a name
/// may be part of a JSON pointer followed by "=value".
constexpr std::string_view kNotInNames = "/~=";

bool is_variant_name(std::string_view name) {
  const auto may_be_in_name = [](char c) {
    return c >= ' ' && c <= '~' && kNotInNames.find(c) == std::string_view::npos;
  };
  return !name.empty() && name.size() <= kMaxVariantBytes && name.front() != ' ' &&
         name.back() != ' ' && std::ranges::all_of(name, may_be_in_name);
}

/// Appends the pointers of all values that a partial scenario sets, except objects.
void append_set_pointers(const Json& partial, const std::string& pointer,
                         std::vector<std::string>& pointers) {
  if (!partial.is_object()) {
    pointers.push_back(pointer);
    return;
  }
  for (const auto& [key, value] : partial.items()) {
    append_set_pointers(value, pointer_to(pointer, key), pointers);
  }
}

std::vector<std::string> set_pointers(const Json& partial) {
  std::vector<std::string> pointers;
  append_set_pointers(partial, "", pointers);
  return pointers;
}

void check_variant(const ScenarioDocument& document, const std::string& name, const Json& partial) {
  const auto place = pointer_to(kVariants, shorten(name));
  if (!is_variant_name(name)) {
    document.fail(place,
                  fmt::format("found the name \"{}\"; allowed: up to {} printable ASCII characters "
                              "except / ~ =, without a blank at the beginning or end",
                              shorten(name), kMaxVariantBytes));
  }
  if (!partial.is_object()) {
    document.fail(place, fmt::format("found {}; allowed: an object with keys of the scenario",
                                     describe(partial)));
  }
  for (const auto key : kSameForAllRuns) {
    if (partial.contains(key)) {
      document.fail(
          pointer_to(place, key),
          fmt::format("found \"{}\", which is the same for all runs; allowed: any key except {}",
                      key, fmt::join(kSameForAllRuns, ", ")));
    }
  }
}

void check_not_swept(const ScenarioDocument& document, const std::vector<SweepAxis>& axes,
                     const std::string& name, const Json& partial) {
  for (const auto& pointer : set_pointers(partial)) {
    for (const auto& axis : axes) {
      if (pointer == axis.pointer || is_below(pointer, axis.pointer) ||
          is_below(axis.pointer, pointer)) {
        document.fail(pointer_to("/sweep", axis.pointer),
                      fmt::format("found an axis, but the variant \"{}\" sets {}; allowed: a key "
                                  "that no variant sets",
                                  name, shorten(pointer)));
      }
    }
  }
}

/// Null if there are no variants or they are not an object.
const Json* find_variants(const ScenarioDocument& document) {
  const auto variants = document.root().find("variants");
  return variants != document.root().end() && variants->is_object() ? &*variants : nullptr;
}

}  // namespace

std::optional<SweepAxis> read_variants(const ScenarioDocument& document,
                                       const std::vector<SweepAxis>& axes) {
  const auto variants = document.root().find("variants");
  if (variants == document.root().end()) {
    return std::nullopt;
  }
  if (!variants->is_object() || variants->empty()) {
    document.fail(
        kVariants,
        fmt::format("found {}; allowed: an object with at least one variant, each with a name",
                    describe(*variants)));
  }
  SweepAxis axis{kVariants, {}, {}, {}, {}};
  for (const auto& [name, partial] : variants->items()) {
    check_variant(document, name, partial);
    check_not_swept(document, axes, name, partial);
    axis.values.emplace_back(name);
    axis.labels.push_back(name);
  }
  return axis;
}

void apply_variant(ScenarioDocument& document, const std::string& name) {
  document.merge_part(pointer_to(kVariants, name));
}

void check_variant_exists(const ScenarioDocument& document, const std::string& pointer,
                          const std::string& file) {
  const auto keys = split_pointer(pointer);
  const Json* variants = find_variants(document);
  const bool within_one = keys.size() > 2 && keys.front() == "variants";
  if (!within_one || variants == nullptr || variants->contains(keys[1])) {
    return;
  }
  std::vector<std::string> names;
  for (const auto& [name, partial] : variants->items()) {
    names.push_back(shorten(name));
  }
  throw InputError(
      file, pointer,
      fmt::format("found a name that no variant has; allowed: \"{}\"", fmt::join(names, "\", \"")));
}

void check_override(const ScenarioDocument& document, const std::string& pointer,
                    const std::string& file) {
  const Json* variants = find_variants(document);
  if (variants == nullptr) {
    return;
  }
  for (const auto& [name, partial] : variants->items()) {
    if (!partial.is_object()) {
      continue;  // read_variants() refuses it
    }
    for (const auto& set : set_pointers(partial)) {
      if (set == pointer || is_below(pointer, set)) {
        throw InputError(
            file, pointer,
            fmt::format("found an override that the variant \"{}\" would replace; allowed: an "
                        "override of {}{}, or a preceding {}={{}}, which removes all variants",
                        shorten(name), pointer_to(kVariants, shorten(name)), shorten(set),
                        kVariants));
      }
    }
  }
}

}  // namespace ina::scenarios
