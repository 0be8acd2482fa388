// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hw/dpdk/ports/requirements.hpp"
#include "tests/unit/support/private_folder.hpp"
#include "tests/unit/support/refusal.hpp"

namespace ina::ports {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Hugepages : public testing::Test {
 protected:
  void reserve(const std::string& size, int free) const {
    const std::filesystem::path of_size = folder_.path() / "sizes" / ("hugepages-" + size);
    std::filesystem::create_directories(of_size);
    std::ofstream(of_size / "free_hugepages") << free << "\n";
  }
  void mount(const std::string& type, const std::string& options) const {
    std::ofstream(folder_.path() / "mounts", std::ios::app)
        << "none /mnt " << type << " " << options << " 0 0\n";
  }
  std::string refusal() const {
    return refusal_of(
        [&] { check_hugepages(folder_.path() / "sizes", folder_.path() / "mounts"); });
  }

  PrivateFolder folder_;
};

TEST_F(Hugepages, AreEnoughIfAHugetlbfsOfTheirSizeIsMounted) {
  reserve("2048kB", 64);
  reserve("1048576kB", 0);
  mount("proc", "rw,nosuid");
  mount("hugetlbfs", "rw,relatime,pagesize=2M");
  EXPECT_THAT(refusal(), IsEmpty());
}

TEST_F(Hugepages, OfAnySizeThatIsMountedAreEnough) {
  reserve("64kB", 1);
  reserve("1048576kB", 2);
  mount("hugetlbfs", "rw,pagesize=1024M,mode=700");
  EXPECT_THAT(refusal(), IsEmpty());
}

TEST_F(Hugepages, WithoutAMountAreRefusedWithTheCommand) {
  reserve("2048kB", 64);
  mount("tmpfs", "rw,pagesize=2M");
  EXPECT_THAT(
      refusal(),
      HasSubstr("--hugepages: found 64 free hugepages of 2M, but no mounted hugetlbfs of this "
                "page size; allowed: a mounted one (mkdir -p /dev/hugepages && mount -t "
                "hugetlbfs -o pagesize=2M none /dev/hugepages)"));
}

TEST_F(Hugepages, WithAMountOfAnotherSizeAreRefusedWithTheirOwn) {
  reserve("1048576kB", 2);
  mount("hugetlbfs", "rw,pagesize=2M");
  EXPECT_THAT(refusal(), HasSubstr("-o pagesize=1024M "));
}

TEST_F(Hugepages, ThatAreNotReservedAreRefusedWhateverIsMounted) {
  reserve("2048kB", 0);
  mount("hugetlbfs", "rw,pagesize=2M");
  EXPECT_THAT(refusal(), HasSubstr("--hugepages: found no free hugepages"));
}

}  // namespace
}  // namespace ina::ports
