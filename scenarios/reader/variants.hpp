// SPDX-License-Identifier: BSD-3-Clause
// Variants: named partial scenarios, each of which is merged over the scenario in turn. They are
// the first axis of an experiment.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

/// Keys that say which runs there are; they cannot differ between the runs.
inline constexpr std::array<std::string_view, 8> kSameForAllRuns{
    "$schema", "extends", "name", "description", "seeds", "sweep", "variants", "baseline"};

/// The axis of a document's variants, empty if it has none. Throws InputError if one of them is
/// not as docs/how-to/compare-variants.md says, or sets what one of the axes of the sweep also sets.
std::optional<SweepAxis> read_variants(const ScenarioDocument& document,
                                       const std::vector<SweepAxis>& axes);

/// Merges a variant over the document.
void apply_variant(ScenarioDocument& document, const std::string& name);

/// Throws InputError if a pointer of --set leads into a variant that there is not.
void check_variant_exists(const ScenarioDocument& document, const std::string& pointer,
                          const std::string& file);

/// Throws InputError, with `file` as its file, if a variant would replace what was set at the
/// pointer.
void check_override(const ScenarioDocument& document, const std::string& pointer,
                    const std::string& file);

}  // namespace ina::scenarios
