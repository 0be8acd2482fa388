/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * Reading of JSON without leniency: one value for a key, bounded depth and size, objects in the
 * order of the file; and JSON pointers to its places.
 */
#ifndef INA_STRICT_JSON_H
#define INA_STRICT_JSON_H

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

using Json = nlohmann::ordered_json;

inline constexpr std::size_t MAX_FILE_BYTES = std::size_t{16} << 20;
inline constexpr std::size_t MAX_JSON_DEPTH = 64;
inline constexpr std::size_t MAX_JSON_KEYS = 256; ///< of one object
inline constexpr std::size_t MAX_JSON_KEY_BYTES = 128;
inline constexpr std::size_t MAX_POINTER_BYTES = 256; ///< in messages, and in --set

/// The content of a regular file of at most MAX_FILE_BYTES, without a byte order mark. Throws
/// std::runtime_error that says why not, without the path.
std::string ReadTextFile(const std::filesystem::path& path);

/// The JSON value in text. Throws ScenarioError, with `file` as its file, on anything that RFC 8259
/// does not allow, duplicate keys, keys of more than MAX_JSON_KEY_BYTES, more than MAX_JSON_DEPTH
/// levels or more than MAX_JSON_KEYS keys in an object.
Json ParseStrictJson(std::string_view text, const std::string& file);

/// The pointer to a member or an element of what `parent` points to.
std::string PointerTo(const std::string& parent, std::string_view key);
std::string PointerTo(const std::string& parent, std::size_t index);

/// The keys on the way to what a JSON pointer points to. Throws std::invalid_argument that says
/// what is wrong.
std::vector<std::string> SplitPointer(const std::string& pointer);
std::string JoinPointer(const std::vector<std::string>& keys);

/// A value and its type for an error message, such as `"8" (a string)`; shortened if it is long.
std::string Describe(const Json& value);

/// The text, cut to a length that suits a message.
std::string Shorten(std::string text, std::size_t limit = 120);

} // namespace ns3

#endif // INA_STRICT_JSON_H
