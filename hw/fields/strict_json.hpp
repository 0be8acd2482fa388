// SPDX-License-Identifier: BSD-3-Clause
// Strict reading of JSON: keys must be unique, depth and size are limited, and objects keep the
// order of the file. Also JSON pointers, which name positions in a document.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ina::fields {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonKeys = 256;  ///< per object
inline constexpr std::size_t kMaxJsonKeyBytes = 128;
inline constexpr std::size_t kMaxPointerBytes = 256;  ///< in messages, and in --set

/// Reads a regular file of at most kMaxFileBytes, and drops a byte order mark. Throws
/// std::runtime_error with the reason but without the path.
std::string read_text_file(const std::filesystem::path& path);

/// Parses a JSON text. Throws InputError, with `file` as its file, on anything that RFC 8259 does
/// not allow, on duplicate keys, on keys of more than kMaxJsonKeyBytes, on more than kMaxJsonDepth
/// levels, and on more than kMaxJsonKeys keys in an object.
Json parse_strict_json(std::string_view text, const std::string& file);

/// The pointer to a member or an element of the value at `parent`.
std::string pointer_to(const std::string& parent, std::string_view key);
std::string pointer_to(const std::string& parent, std::size_t index);

/// The keys of a JSON pointer. Throws std::invalid_argument with the reason.
std::vector<std::string> split_pointer(const std::string& pointer);
std::string join_pointer(const std::vector<std::string>& keys);

/// Whether the value at `pointer` is part of the value at `outer`.
bool is_below(const std::string& pointer, const std::string& outer);

/// A value and its type for an error message, such as `"8" (a string)`; shortened if it is long.
std::string describe(const Json& value);

/// The text, shortened to a length that suits a message.
std::string shorten(std::string text, std::size_t limit = 120);

}  // namespace ina::fields
