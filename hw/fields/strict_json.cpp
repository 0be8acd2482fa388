// SPDX-License-Identifier: BSD-3-Clause
#include "hw/fields/strict_json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "hw/fields/input_error.hpp"

namespace ina::fields {

namespace {

/// Removes UTF-8's byte order mark, which some editors write. Throws std::runtime_error on another
/// encoding.
void take_byte_order_mark(std::string& text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) {
    text.erase(0, kMark.size());
  }
  // UTF-16 without a mark is visible in the first character, which is ASCII in all files that are
  // read here.
  const bool utf16 = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
                     (text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0'));
  if (utf16) {
    throw std::runtime_error("found UTF-16; allowed: UTF-8");
  }
}

/// Builds the value from the events of nlohmann's parser. The parser alone would keep the last of
/// duplicate keys.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  StrictBuilder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Json result() { return std::move(root_); }

  bool null() override { return add(nullptr); }

  bool boolean(bool value) override { return add(value); }

  bool number_integer(number_integer_t value) override { return add(value); }

  bool number_unsigned(number_unsigned_t value) override { return add(value); }

  bool number_float(number_float_t value, const string_t& /* literal */) override {
    return add(value);
  }

  bool string(string_t& value) override { return add(std::move(value)); }

  bool binary(binary_t& value) override { return add(std::move(value)); }

  bool start_object(std::size_t /* size */) override { return open(Json::object()); }

  bool key(string_t& name) override {
    const Json& object = *open_.back();
    if (name.size() > kMaxJsonKeyBytes) {
      throw InputError(file_, pointer(),
                       fmt::format("found the key \"{}\"; allowed: at most {} bytes", shorten(name),
                                   kMaxJsonKeyBytes));
    }
    if (object.contains(name)) {
      throw InputError(file_, pointer_to(pointer(), name),
                       "found the key twice; allowed: one value per key");
    }
    if (object.size() == kMaxJsonKeys) {
      throw InputError(
          file_, pointer(),
          fmt::format("found more than {0} keys; allowed: at most {0} in an object", kMaxJsonKeys));
    }
    keys_.back() = name;
    return true;
  }

  bool end_object() override { return close(); }

  bool start_array(std::size_t /* size */) override { return open(Json::array()); }

  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& /* last_token */,
                   const nlohmann::detail::exception& error) override {
    const auto before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto column = before.size() - (before.find_last_of('\n') + 1) + 1;
    // nlohmann's message is "[json.exception...] parse error at line 1, column 2: <the reason>".
    std::string reason = error.what();
    const auto column_end = reason.find(": ", std::min(reason.find("column "), reason.size()));
    reason = column_end == std::string::npos ? reason.substr(reason.find("] ") + 2)
                                             : reason.substr(column_end + 2);
    throw InputError(file_, fmt::format("line {}, column {}", line, column),
                     "invalid JSON: " + shorten(reason));
  }

 private:
  /// Pointer to the innermost open container, or to an outer one if that pointer is too long.
  std::string pointer() const {
    std::string pointer;
    for (std::size_t level = 0; level + 1 < open_.size(); ++level) {
      const auto next = open_[level]->is_array() ? pointer_to(pointer, open_[level]->size() - 1)
                                                 : pointer_to(pointer, keys_[level]);
      if (next.size() > kMaxPointerBytes) {
        break;
      }
      pointer = next;
    }
    return pointer;
  }

  /// Adds the value and returns a pointer to it. The pointer is valid until the value's parent
  /// grows, that is, while the value is open.
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[keys_.back()] = std::move(value));
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (open_.size() == kMaxJsonDepth) {
      throw InputError(
          file_, pointer(),
          fmt::format("found more than {0} levels; allowed: at most {0}", kMaxJsonDepth));
    }
    open_.push_back(place(std::move(container)));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::string_view text_;
  std::string file_;
  Json root_;
  std::vector<Json*> open_;        ///< the containers around the next value, outermost first
  std::vector<std::string> keys_;  ///< the current key of each container
};

std::string_view type_name(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "a boolean";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return value.empty() ? "an empty object" : "an object";
    default:
      return "a number";
  }
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw std::runtime_error(
        status.type() == std::filesystem::file_type::not_found ? "no such file" : error.message());
  }
  if (std::filesystem::is_directory(status)) {
    throw std::runtime_error("it is a directory");
  }
  // Reading a pipe or a device may never end.
  if (!std::filesystem::is_regular_file(status)) {
    throw std::runtime_error("it is not a regular file");
  }
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > kMaxFileBytes) {
    throw std::runtime_error(error ? error.message() : "it is larger than 16 MiB");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error(std::strerror(errno));
  }
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (in.bad()) {
    throw std::runtime_error("it cannot be read");
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  take_byte_order_mark(text);
  return text;
}

Json parse_strict_json(std::string_view text, const std::string& file) {
  StrictBuilder builder(text, file);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.result();
}

std::string pointer_to(const std::string& parent, std::string_view key) {
  std::string pointer = parent + '/';
  for (const char c : key) {
    pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return pointer;
}

std::string pointer_to(const std::string& parent, std::size_t index) {
  return fmt::format("{}/{}", parent, index);
}

std::vector<std::string> split_pointer(const std::string& pointer) {
  if (!pointer.starts_with('/')) {
    throw std::invalid_argument("a JSON pointer, which starts with \"/\"");
  }
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      keys.emplace_back();
    } else if (pointer[i] != '~') {
      keys.back() += pointer[i];
    } else if (const auto code = pointer.substr(++i, 1); code == "0" || code == "1") {
      keys.back() += code == "0" ? '~' : '/';
    } else {
      throw std::invalid_argument(
          "a JSON pointer, with \"~0\" for \"~\" and \"~1\" for \"/\" in keys");
    }
  }
  return keys;
}

bool is_below(const std::string& pointer, const std::string& outer) {
  return pointer.starts_with(outer + '/');
}

std::string join_pointer(const std::vector<std::string>& keys) {
  std::string pointer;
  for (const auto& key : keys) {
    pointer = pointer_to(pointer, key);
  }
  return pointer;
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::array:
      return value.empty() ? "an empty array" : "an array";
    case Json::value_t::object:
      return value.empty() ? "an empty object" : "an object";
    default:
      return fmt::format("{} ({})",
                         shorten(value.dump(-1, ' ', false, Json::error_handler_t::replace)),
                         type_name(value));
  }
}

std::string shorten(std::string text, std::size_t limit) {
  if (text.size() > limit) {
    auto end = limit;
    // Never cuts in the middle of a UTF-8 sequence.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
      --end;
    }
    text.resize(end);
    text += "...";
  }
  return text;
}

}  // namespace ina::fields
