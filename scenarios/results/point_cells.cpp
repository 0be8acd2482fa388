// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/point_cells.hpp"

#include "hw/cluster/systems/all.hpp"

namespace ina::results {

PointCells cells_of(const scenarios::ExperimentPoint& point) {
  PointCells cells{{"point", std::to_string(point.index)}};
  for (const auto& [pointer, value] : point.labels) {
    if (!scenarios::has_own_column(pointer)) cells.emplace_back(pointer, value);
    for (const scenarios::SweptNumber& number : point.numbers) {
      if (number.pointer == pointer) cells.emplace_back(number.column, number.value.dump());
    }
  }
  const std::string variant = point.variant();
  if (!variant.empty()) cells.emplace_back("variant", variant);
  cells.emplace_back("system", cluster::name_of(point.combination->system));
  cells.emplace_back("seed", std::to_string(point.seed));
  return cells;
}

CsvRow names_in(const PointCells& cells) {
  CsvRow row;
  for (const auto& [name, value] : cells) row.text(name);
  return row;
}

CsvRow values_in(const PointCells& cells) {
  CsvRow row;
  for (const auto& [name, value] : cells) row.text(value);
  return row;
}

}  // namespace ina::results
