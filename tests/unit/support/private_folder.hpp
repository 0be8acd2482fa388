// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ina::ports {

/// A folder that only this user can enter. It is removed by the destructor.
class PrivateFolder {
 public:
  PrivateFolder() : path_(make()) {}
  ~PrivateFolder() { std::filesystem::remove_all(path_); }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  static std::filesystem::path make() {
    std::string name = testing::TempDir() + "ina-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return std::filesystem::canonical(name);
  }

  std::filesystem::path path_;
};

}  // namespace ina::ports
