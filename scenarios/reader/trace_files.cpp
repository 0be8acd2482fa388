// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/trace_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "hw/fields/input_error.hpp"
#include "hw/fields/read_number.hpp"
#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

namespace {

constexpr std::string_view kFactorsHeader = "worker,iteration,relative_time";
constexpr std::string_view kFlowSizesHeader = "bytes,share";

/// Sorted stems of the files in the folder that have the extension.
std::vector<std::string> known_names(const std::filesystem::path& folder,
                                     std::string_view extension) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == extension) {
      names.push_back(entry->path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

/// Path of a named file. `kind`: noun for such files in error messages.
std::filesystem::path named_file(const Document& document, const std::string& pointer,
                                 const std::string& name, const std::filesystem::path& folder,
                                 std::string_view extension, std::string_view kind) {
  const auto known = known_names(folder, extension);
  if (std::ranges::find(known, name) == known.end()) {
    const auto nearest = nearest_name(name, known);
    document.fail(
        pointer,
        fmt::format(
            "found {}, which is not a {}{}; allowed: the path of a {} file, or a {} in {}: {}",
            describe(name), kind,
            nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest), extension, kind,
            folder.string(),
            known.empty() ? "there are none" : fmt::format("{}", fmt::join(known, ", "))));
  }
  return folder / (name + std::string(extension));
}

/// Throws InputError at the pointer if the file cannot be read.
std::string read_named_file(const Document& document, const std::string& pointer,
                            const std::filesystem::path& path) {
  try {
    return read_text_file(path);
  } catch (const std::runtime_error& error) {
    document.fail(pointer, fmt::format("{} cannot be read: {}", path.string(), error.what()));
  }
}

/// The number in the text, if nothing else is in it.
template <typename T>
std::optional<T> number(std::string_view text) {
  T number{};
  return fields::read_number(text, number) ? std::optional<T>(number) : std::nullopt;
}

/// Splits off the text before the separator, and removes the separator.
std::string_view take_until(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto front = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return front;
}

/// Drops the rows of empty cells that spreadsheets leave at the end.
std::string_view without_blank_tail(std::string_view text) {
  const auto last = text.find_last_not_of(", \t\r\n");
  const auto end = last == std::string_view::npos ? 0 : text.find('\n', last);
  return text.substr(0, end);
}

/// Removes the quotes around cells. Unmatched quotes remain and fail to parse as a number.
std::string without_quotes(std::string_view row) {
  std::string plain;
  for (bool more = true; more;) {
    more = row.find(',') != std::string_view::npos;
    auto cell = take_until(row, ',');
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') {
      cell = cell.substr(1, cell.size() - 2);
    }
    plain += cell;
    plain += more ? "," : "";
  }
  return plain;
}

/// Adds the next iteration of a worker. Returns the error in the row, or an empty text.
std::string add_factor(std::string_view row, FactorTable& table) {
  const auto worker = number<std::size_t>(take_until(row, ','));
  const auto iteration = number<std::size_t>(take_until(row, ','));
  const auto factor = number<double>(row);
  if (!worker || !iteration || !factor) {
    return "allowed: two integers and a number";
  }
  // NaN fails this comparison, too.
  if (!(*factor > 0 && *factor <= kMaxComputeTimeFactor)) {
    return fmt::format("allowed: a relative time above 0, at most {}", kMaxComputeTimeFactor);
  }
  if (*worker > table.size()) {
    return fmt::format("allowed: workers counted from 0, at most {} here", table.size());
  }
  if (*worker == table.size()) {
    table.emplace_back();
  }
  if (*iteration != table[*worker].size()) {
    return fmt::format("allowed: the next iteration of worker {}, {}", *worker,
                       table[*worker].size());
  }
  table[*worker].push_back(*factor);
  return "";
}

#ifdef INA_TRACES_DIR
/// A library within an ns-3 tree serves programs at any path.
std::filesystem::path built_in_traces_directory() { return INA_TRACES_DIR; }
#else
/// Found relative to the program. A path compiled in would make the builds of two checkouts differ.
std::filesystem::path built_in_traces_directory() {
  std::error_code ignored;
  auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored);
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (std::filesystem::is_directory(folder / "traces/profiles", ignored)) {
      return folder / "traces";
    }
  }
  return "traces";
}
#endif

}  // namespace

std::filesystem::path traces_directory() {
  const char* directory = std::getenv("INA_TRACES");
  return directory != nullptr && *directory != '\0' ? directory : built_in_traces_directory();
}

const ModelProfile& TraceFiles::profile(const Document& document, const std::string& pointer,
                                        const std::string& name) {
  const auto path = name.ends_with(".json")
                        ? (document.directory_of(pointer) / name).lexically_normal()
                        : named_file(document, pointer, name, traces_directory() / "profiles",
                                     ".json", "profile");
  auto found = profiles_.find(path);
  if (found == profiles_.end()) {
    const auto file = ScenarioDocument::parse(path, read_named_file(document, pointer, path));
    ObjectReader reader(file, file.root(), "");
    auto profile = read_profile(reader, path.stem().string());
    reader.finish();
    found = profiles_.emplace(path, std::move(profile)).first;
  }
  return found->second;
}

const FactorTable& TraceFiles::compute_time_factors(const Document& document,
                                                    const std::string& pointer,
                                                    const std::string& name) {
  auto path = (document.directory_of(pointer) / name).lexically_normal();
  std::error_code unreadable;  // the read below reports it
  if (const auto shipped = traces_directory() / name;
      !std::filesystem::exists(path, unreadable) && std::filesystem::exists(shipped, unreadable)) {
    path = shipped;
  }
  auto found = factors_.find(path);
  if (found == factors_.end()) {
    found = factors_
                .emplace(path, parse_compute_time_factors(read_named_file(document, pointer, path),
                                                          path.string()))
                .first;
  }
  return found->second;
}

namespace {

/// Parses the rows below the header of a CSV file. `add(row)` returns the error in the row, or an
/// empty text.
template <typename Add>
void parse_rows(std::string_view text, const std::string& file, std::string_view wanted_header,
                Add add) {
  std::size_t rows = 0;
  text = without_blank_tail(text);
  bool header = false;
  for (std::size_t line = 1; !text.empty(); ++line) {
    auto row = take_until(text, '\n');
    row = row.substr(0, row.size() - (row.ends_with('\r') ? 1 : 0));
    if (row.starts_with('#')) {
      continue;
    }
    std::string fault;
    if (header) {
      fault = add(without_quotes(row));
      ++rows;
    } else if (without_quotes(row) != wanted_header) {
      fault = fmt::format("{}allowed: the header {}",
                          row.find(';') == std::string_view::npos
                              ? ""
                              : "columns are separated by commas, not by semicolons, and "
                                "numbers have a point; ",
                          wanted_header);
    }
    header = true;
    if (!fault.empty()) {
      throw InputError(file, fmt::format("line {}", line),
                       fmt::format("found \"{}\"; {}", shorten(std::string(row)), fault));
    }
  }
  if (rows == 0) {
    throw InputError(
        file, "", fmt::format("found no rows; allowed: rows under the header {}", wanted_header));
  }
}

/// Returns the error in the row, or an empty text.
std::string add_size(std::string_view row, std::vector<std::vector<double>>& table) {
  const auto bytes = number<double>(take_until(row, ','));
  const auto share = number<double>(row);
  if (!bytes || !share || !(*bytes >= 0) || !(*share >= 0))
    return "allowed: two numbers of 0 or more";
  table.push_back({*bytes, *share});
  return "";
}

}  // namespace

FactorTable parse_compute_time_factors(std::string_view text, const std::string& file) {
  FactorTable table;
  parse_rows(text, file, kFactorsHeader,
             [&](std::string_view row) { return add_factor(row, table); });
  return table;
}

const std::vector<std::vector<double>>& TraceFiles::flow_sizes(const Document& document,
                                                               const std::string& pointer,
                                                               const std::string& name) {
  const auto path = name.ends_with(".csv")
                        ? (document.directory_of(pointer) / name).lexically_normal()
                        : named_file(document, pointer, name, traces_directory() / "flow-sizes",
                                     ".csv", "file of flow sizes");
  auto [found, is_new] = flow_sizes_.try_emplace(path);
  if (is_new) {
    parse_rows(read_named_file(document, pointer, path), path.string(), kFlowSizesHeader,
               [&table = found->second](std::string_view row) { return add_size(row, table); });
  }
  return found->second;
}

}  // namespace ina::scenarios
