// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ina::fields {

/// Escapes the text to one line of printable ASCII; other bytes become `\xNN`. A user's text may
/// contain line ends, escape sequences, bidirectional controls or invalid UTF-8. Escaped, it looks
/// the same on any terminal.
inline std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

/// Invalid input. what() is one line, "FILE: PLACE: what was found, and what is allowed". PLACE is
/// a JSON pointer, or a line and column. It is omitted if the error concerns the whole file.
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& file, const std::string& place, const std::string& message)
      : std::runtime_error(on_one_line(place.empty() ? file + ": " + message
                                                     : file + ": " + place + ": " + message)),
        file_(file),
        place_(place),
        message_(message) {}

  const std::string& file() const { return file_; }

  const std::string& place() const { return place_; }

  const std::string& message() const { return message_; }

 private:
  std::string file_;
  std::string place_;
  std::string message_;
};

}  // namespace ina::fields
