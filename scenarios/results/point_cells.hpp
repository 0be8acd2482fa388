// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/results/csv_row.hpp"

namespace ina::results {

/// Columns that identify a run in every row of its tables, with their cells.
using PointCells = std::vector<std::pair<std::string, std::string>>;

PointCells cells_of(const scenarios::ExperimentPoint& point);

CsvRow names_in(const PointCells& cells);
CsvRow values_in(const PointCells& cells);

}  // namespace ina::results
