// SPDX-License-Identifier: BSD-3-Clause
// What the lists of fields of rows.hpp make of a row in a table.
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

/// Collects the names of a row's columns.
class Columns {
 public:
  std::vector<std::string> names;

  template <class Value>
  void text(std::string_view key, const Value&, std::string_view) {
    names.emplace_back(key);
  }
  template <class Value, class Bounds>
  void integer(std::string_view key, const Value&, Bounds, std::string_view) {
    names.emplace_back(key);
  }
  template <class Value, class Bounds>
  void picoseconds(std::string_view key, const Value&, Bounds, std::string_view) {
    constexpr std::string_view kUnit = "ps";
    names.push_back(std::string(key.substr(0, key.size() - kUnit.size())) + "us");
  }
  template <class E, std::size_t N>
  void choice(std::string_view key, E, const fields::ChoiceNames<E, N>&, std::string_view) {
    names.emplace_back(key);
  }
};

/// The columns of a table, except those that name the point.
template <class Row>
std::vector<std::string> columns_of() {
  Columns columns;
  const Row row{};
  Row::visit(columns, row);
  return columns.names;
}

/// The first line of a table. `row`: with the names of the columns that name the point.
template <class Row>
std::string header(CsvRow row) {
  for (const std::string& column : columns_of<Row>()) row.text(column);
  return row.line() + '\n';
}

/// `row`: with the cells that name the point.
template <class Row>
std::string line(CsvRow row, const Row& values) {
  Cells cells(row);
  Row::visit(cells, values);
  return row.line() + '\n';
}

}  // namespace ina::results
