// SPDX-License-Identifier: BSD-3-Clause
// Reading of JSON without leniency: one value for a key, bounded depth and size, objects in the
// order of the file; and JSON pointers to its places.
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
inline constexpr std::size_t kMaxJsonKeys = 256;  ///< of one object
inline constexpr std::size_t kMaxJsonKeyBytes = 128;
inline constexpr std::size_t kMaxPointerBytes = 256;  ///< in messages, and in --set

/// The content of a regular file of at most kMaxFileBytes, without a byte order mark. Throws
/// std::runtime_error that says why not, without the path.
std::string read_text_file(const std::filesystem::path& path);

/// The JSON value in text. Throws InputError, with `file` as its file, on anything that RFC 8259
/// does not allow, duplicate keys, keys of more than kMaxJsonKeyBytes, more than kMaxJsonDepth
/// levels or more than kMaxJsonKeys keys in an object.
Json parse_strict_json(std::string_view text, const std::string& file);

/// The pointer to a member or an element of what `parent` points to.
std::string pointer_to(const std::string& parent, std::string_view key);
std::string pointer_to(const std::string& parent, std::size_t index);

/// The keys on the way to what a JSON pointer points to. Throws std::invalid_argument that says
/// what is wrong.
std::vector<std::string> split_pointer(const std::string& pointer);
std::string join_pointer(const std::vector<std::string>& keys);

/// Whether what stands at `pointer` is a part of what stands at `outer`.
bool is_below(const std::string& pointer, const std::string& outer);

/// A value and its type for an error message, such as `"8" (a string)`; shortened if it is long.
std::string describe(const Json& value);

/// The text, cut to a length that suits a message.
std::string shorten(std::string text, std::size_t limit = 120);

}  // namespace ina::fields
