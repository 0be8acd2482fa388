// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/machine_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "hw/fields/input_error.hpp"
#include "hw/fields/quantity.hpp"
#include "scenarios/resolve/memory_estimate.hpp"

namespace ina::runs {

using namespace scenarios;

namespace {

std::uint64_t machine_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string describe_machine() {
  constexpr std::uint64_t kMegabyte = 1'000'000;
  return fmt::format("this machine has {}", format_bytes(machine_bytes() / kMegabyte * kMegabyte));
}

}  // namespace

void check_machine_memory(const std::string& file, const Experiment& experiment) {
  for (const ExperimentPoint& point : experiment.points) {
    const MemoryEstimate estimate = estimate_memory(*point.combination);
    if (estimate.bytes > machine_bytes()) {
      throw InputError(file, estimate.pointer,
                       fmt::format("{}; allowed: a run that fits into memory ({})",
                                   describe_memory(estimate), describe_machine()));
    }
  }
}

unsigned runs_in_memory(const std::vector<const ExperimentPoint*>& points) {
  std::uint64_t largest = 1;
  for (const ExperimentPoint* point : points) {
    largest = std::max(largest, estimate_memory(*point->combination).bytes);
  }
  const std::uint64_t runs = std::max<std::uint64_t>(machine_bytes() / largest, 1);
  return static_cast<unsigned>(std::min<std::uint64_t>(runs, std::numeric_limits<unsigned>::max()));
}

std::uint64_t peak_resident_bytes() {
  constexpr std::uint64_t kBytesPerKib = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kBytesPerKib;
}

std::string describe_lack_of_memory(const ExperimentPoint& point) {
  return fmt::format("out of memory: {} or more; {}",
                     describe_memory(estimate_memory(*point.combination)), describe_machine());
}

}  // namespace ina::runs
