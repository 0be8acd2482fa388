// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/results/csv_row.hpp"

namespace ina::results {

/// Name and cell of each column that identifies a run. Every row of the run's tables has them.
using PointCells = std::vector<std::pair<std::string, std::string>>;

PointCells cells_of(const scenarios::ExperimentPoint& point);

CsvRow names_in(const PointCells& cells);
CsvRow values_in(const PointCells& cells);

}  // namespace ina::results
