// SPDX-License-Identifier: BSD-3-Clause
// Visitors that write the rows of rows.hpp to tables, and list the tables' columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/fields/bounds.hpp"
#include "scenarios/results/csv_row.hpp"

namespace ina::results {

/// Appends the cells of a row.
class Cells {
 public:
  explicit Cells(CsvRow& row) : row_(row) {}

  void text(std::string_view, const std::string& text, std::string_view) { row_.text(text); }
  template <class Bounds>
  void integer(std::string_view, const std::optional<std::uint64_t>& value, Bounds,
               std::string_view) {
    value ? row_.number(*value) : row_.nothing();
  }
  template <class Bounds>
  void picoseconds(std::string_view, const std::optional<std::int64_t>& ps, Bounds,
                   std::string_view) {
    ps ? row_.microseconds(*ps) : row_.nothing();
  }
  template <class E, std::size_t N>
  void choice(std::string_view, E value, const fields::ChoiceNames<E, N>& names, std::string_view) {
    for (const auto& [name, candidate] : names) {
      if (candidate == value) row_.text(name);
    }
  }

 private:
  CsvRow& row_;
};

struct Column {
  std::string name;
  std::string help;  ///< meaning in Markdown, without a final full stop
};

/// Collects the columns of a row.
class Columns {
 public:
  std::vector<Column> columns;

  template <class Value>
  void text(std::string_view key, const Value&, std::string_view help) {
    add(key, help);
  }
  template <class Value, class Bounds>
  void integer(std::string_view key, const Value&, Bounds, std::string_view help) {
    add(key, help);
  }
  template <class Value, class Bounds>
  void picoseconds(std::string_view key, const Value&, Bounds, std::string_view help) {
    constexpr std::string_view kUnit = "ps";
    add(std::string(key.substr(0, key.size() - kUnit.size())) + "us", help);
  }
  template <class E, std::size_t N>
  void choice(std::string_view key, E, const fields::ChoiceNames<E, N>&, std::string_view help) {
    add(key, help);
  }

 private:
  void add(std::string_view name, std::string_view help) {
    columns.push_back({std::string(name), std::string(help)});
  }
};

/// Columns of a table, without those that identify the run.
template <class Row>
std::vector<Column> columns_of() {
  Columns columns;
  const Row row{};
  Row::visit(columns, row);
  return columns.columns;
}

/// Header of a table. `row`: the names of the columns that identify the run.
template <class Row>
std::string header(CsvRow row) {
  for (const Column& column : columns_of<Row>()) row.text(column.name);
  return row.line() + '\n';
}

/// One line of a table. `row`: the cells that identify the run.
template <class Row>
std::string line(CsvRow row, const Row& values) {
  Cells cells(row);
  Row::visit(cells, values);
  return row.line() + '\n';
}

}  // namespace ina::results
