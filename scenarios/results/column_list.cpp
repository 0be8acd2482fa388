// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/column_list.hpp"

#include <tuple>

#include "scenarios/results/cells.hpp"
#include "scenarios/results/rows.hpp"

namespace ina::results {

fields::Json column_list() {
  fields::Json tables;
  const auto add = [&tables]<class Row>(const Row&) {
    fields::Json& table = tables[Row::kTable] = fields::Json::array();
    for (const Column& column : columns_of<Row>()) {
      table.push_back({{"name", column.name}, {"help", column.help}});
    }
  };
  std::apply([&add](const auto&... rows) { (add(rows), ...); }, AllRows());
  return tables;
}

}  // namespace ina::results
