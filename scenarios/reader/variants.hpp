// SPDX-License-Identifier: BSD-3-Clause
// Variants are named partial scenarios. Each variant has its own runs, for which it is merged over
// the scenario. The variants are the first axis of an experiment.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

/// Keys that determine the set of runs and therefore cannot differ between runs.
inline constexpr std::array<std::string_view, 8> kSameForAllRuns{
    "$schema", "extends", "name", "description", "seeds", "sweep", "variants", "baseline"};

/// The axis of a document's variants; nothing without variants. Throws InputError if a variant is
/// invalid by docs/how-to/compare-variants.md or sets a key that an axis of the sweep sets, too.
std::optional<SweepAxis> read_variants(const ScenarioDocument& document,
                                       const std::vector<SweepAxis>& axes);

/// Merges a variant over the document.
void apply_variant(ScenarioDocument& document, const std::string& name);

/// Throws InputError if a pointer given by --set is inside a variant that does not exist.
void check_variant_exists(const ScenarioDocument& document, const std::string& pointer,
                          const std::string& file);

/// Throws InputError for `file` if a variant would replace the value that was set at the pointer.
void check_override(const ScenarioDocument& document, const std::string& pointer,
                    const std::string& file);

}  // namespace ina::scenarios
