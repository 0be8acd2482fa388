// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

#include "hw/files/part_file.hpp"
#include "hw/files/path_target.hpp"
#include "hw/files/requested_file.hpp"
#include "hw/files/whole_file.hpp"

namespace ina::files {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "ina-files-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    folder_ = name;
  }
  ~Files() override { fs::remove_all(folder_); }

  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename());
    return found;
  }

  fs::path folder_;
};

TEST_F(Files, APartHasANameOfItsOwnUntilItIsKeptAndNoneIfItIsNot) {
  {
    PartFile lost(folder_ / "lost");
    PartFile kept(folder_ / "kept");
    PartFile again(folder_ / "kept");
    EXPECT_EQ(names().size(), 3U);
    for (const std::string& name : names()) {
      EXPECT_TRUE(name.starts_with(".ina-") && name.ends_with(".part")) << name;
    }
    kept.write("content");
    kept.keep();
  }
  EXPECT_EQ(names(), std::set<std::string>{"kept"});
  EXPECT_EQ(read(folder_ / "kept"), "content");
}

TEST_F(Files, PermissionsAreThoseOfANewFileOrOfTheReplacedOne) {
  const mode_t before = umask(027);
  write(folder_ / "file", "1");
  umask(before);
  const auto mode = [&] { return fs::status(folder_ / "file").permissions(); };
  EXPECT_EQ(mode(), fs::perms{0640});
  fs::permissions(folder_ / "file", fs::perms{0604});
  write(folder_ / "file", "2");
  EXPECT_EQ(mode(), fs::perms{0604});
}

TEST_F(Files, TroubleNamesThePathThatWasGiven) {
  try {
    write(folder_ / "gone" / "file", "content");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), (folder_ / "gone" / "file").string() +
                                ": cannot be written: No such file or directory");
  }
}

TEST_F(Files, ADescriptorOfOursIsWrittenToThroughAnyLinkNotReplaced) {
  const int descriptor = open((folder_ / "file").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  const fs::path link = folder_ / "link";
  fs::create_symlink("/dev/fd/" + std::to_string(descriptor), link);
  ASSERT_EQ(own_descriptor(link), descriptor);
  EXPECT_EQ(::write(descriptor, "before ", 7), 7);
  RequestedFile("--json", link, json_mark("ina run --json")).write("content");
  EXPECT_EQ(::write(descriptor, " after", 6), 6);
  close(descriptor);
  EXPECT_EQ(read(folder_ / "file"), "before content after");
  EXPECT_EQ(why_not_writable("/dev/fd/" + std::to_string(descriptor)), "Bad file descriptor");
  EXPECT_FALSE(own_descriptor(folder_ / "file"));
}

TEST_F(Files, OnlyWhatTheSameOptionOfTheSameCommandWroteOrNothingIsReplaced) {
  const fs::path path = folder_ / "file";
  const auto request = [&] { RequestedFile("--json", path, json_mark("ina run --json")); };
  std::ofstream(path).flush();
  EXPECT_NO_THROW(request());
  write(path, "{\n \"written_by\": \"ina run --json\",\n");
  EXPECT_NO_THROW(request());
  for (const char* other : {"ina plot --json", "ina run", "ina run --json2"}) {
    write(path, std::string(R"({"written_by": ")") + other + "\"}");
    EXPECT_THROW(request(), NotWritten) << other;
  }
}

}  // namespace
}  // namespace ina::files
