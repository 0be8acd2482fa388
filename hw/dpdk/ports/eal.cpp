// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/eal.hpp"

#include <fmt/format.h>
#include <rte_build_config.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <optional>
#include <set>

#include "hw/dpdk/ports/captured_errors.hpp"
#include "hw/dpdk/ports/device_spec.hpp"
#include "hw/dpdk/ports/memif_clients.hpp"
#include "hw/dpdk/ports/memif_device.hpp"
#include "hw/dpdk/ports/memif_servers.hpp"
#include "hw/dpdk/ports/mempool.hpp"
#include "hw/dpdk/ports/requirements.hpp"
#include "hw/dpdk/ports/server_start.hpp"

namespace ina::ports {

namespace {

constexpr std::size_t kBaseMegabytes = 64;

constexpr const char* kVirtualBus = "vdev";

bool is_there(const std::string& device) {
  std::uint16_t id = 0;
  return rte_eth_dev_get_port_by_name(name_of_device(device).c_str(), &id) == 0;
}

std::vector<int> processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

/// Value of --lcores. Logical cores float over the processors, as in "(0-1)@(0,1)", unless they
/// must be pinned. With one fixed processor per core, all processes of a testbed would share the
/// first processors. On isolated processors cores do not float.
std::string logical_cores(const Eal::Config& config) {
  const std::vector<int> cpus = processors();
  if (!config.pinned || cpus.size() != config.cores) {
    return fmt::format("(0-{})@({})", config.cores - 1, fmt::join(cpus, ","));
  }
  std::vector<std::string> pairs;
  for (std::size_t core = 0; core < cpus.size(); ++core) {
    pairs.push_back(fmt::format("{}@{}", core, cpus[core]));
  }
  return fmt::format("{}", fmt::join(pairs, ","));
}

/// The device as DPDK's driver is to open it. A memif driver uses a socket of this process instead
/// of the real one, to listen or to connect.
DeviceSpec for_driver(DeviceSpec spec) {
  if (!MemifDevice::is_memif(spec)) return spec;
  const MemifDevice memif = MemifDevice::check(spec);
  if (memif.is_server) {
    MemifServers::of_process().add(memif);
    spec.set("socket", of_driver(memif.socket));
  } else {
    spec.set("socket", MemifClients::of_process().add(memif));
    spec.set("socket-abstract", "yes");
  }
  return spec;
}

std::vector<MemifDevice> memif_servers(const std::vector<std::string>& devices) {
  std::vector<MemifDevice> servers;
  for (const std::string& device : devices) {
    const DeviceSpec spec = DeviceSpec::parse(device);
    if (!MemifDevice::is_memif(spec)) continue;
    MemifDevice memif = MemifDevice::check(spec);
    if (memif.is_server) servers.push_back(std::move(memif));
  }
  return servers;
}

/// Locks the sockets of these servers and removes stale files that killed servers left there.
std::list<StartLock> claim_sockets(const std::vector<MemifDevice>& servers) {
  std::set<std::filesystem::path> sockets;
  for (const MemifDevice& server : servers) sockets.insert(server.socket);
  std::list<StartLock> locks;
  for (const std::filesystem::path& socket : sockets) {
    locks.emplace_back(socket);
    remove_stale_sockets(socket);
  }
  return locks;
}

}  // namespace

std::vector<std::string> eal_arguments(const Eal::Config& config) {
  std::vector<std::string> arguments = {
      "ina",      "--no-shconf",         "--no-telemetry", "--iova-mode=va",
      "--lcores", logical_cores(config), "--log-level",    "error"};
  if (!config.hugepages) {
    const std::size_t megabytes =
        kBaseMegabytes + pool_megabytes(config.devices.size(), config.cores);
    arguments.insert(arguments.end(), {"--no-huge", "-m", std::to_string(megabytes)});
  } else {
    arguments.emplace_back("--huge-unlink");  // hugepage files do not outlive the process
  }
  // A bus with a list of allowed devices accepts no others. The lists of these two buses contain
  // one device that does not exist.
#ifdef RTE_BUS_AUXILIARY
  arguments.insert(arguments.end(), {"-a", "auxiliary:"});
#endif
#ifdef RTE_BUS_VMBUS
  arguments.insert(arguments.end(), {"-a", "vmbus:00000000-0000-0000-0000-000000000000"});
#endif
  bool pci = false;
  for (const std::string& device : config.devices) {
    const DeviceSpec spec = DeviceSpec::parse(device);
    if (spec.is_virtual()) continue;
    pci = true;
    arguments.insert(arguments.end(), {"-a", spec.text()});
  }
  if (!pci) arguments.emplace_back("--no-pci");
  return arguments;
}

namespace {

PortError cannot_start(const std::string& device, const std::string& why) {
  return PortError(fmt::format("DPDK cannot start with {}: {}", device,
                               why.empty() ? "no such device, or no driver for it" : why));
}

/// Starts DPDK, once per process.
void start_dpdk(const Eal::Config& config) {
  static bool started = false;
  std::vector<std::string> arguments = eal_arguments(config);
  if (started) return;
  std::vector<char*> pointers;
  pointers.reserve(arguments.size());
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  CapturedErrors errors;
  started = rte_eal_init(static_cast<int>(pointers.size()), pointers.data()) >= 0;
  if (!started) throw cannot_start(config.devices.front(), errors.text());
}

/// Registers this thread with DPDK, whose buffer pools have a cache for each registered thread.
/// Returns false if the thread is already registered, or if registration fails, which only costs
/// time.
bool register_thread() {
  const CapturedErrors unimportant;
  return rte_lcore_id() == LCORE_ID_ANY && rte_thread_register() == 0;
}

/// Plugs in the device. Returns the reason if DPDK fails, possibly ""; empty on success.
std::optional<std::string> plug(const DeviceSpec& spec) {
  const std::string text = for_driver(spec).text();
  const std::size_t comma = text.find(',');
  const std::string options = comma == std::string::npos ? "" : text.substr(comma + 1);
  CapturedErrors errors;
  const bool done = rte_eal_hotplug_add(kVirtualBus, spec.name.c_str(), options.c_str()) == 0;
  if (done && is_there(spec.name)) return std::nullopt;
  return errors.text();
}

}  // namespace

Eal::Eal(const Config& config) {
  check_requirements(config);
  const std::list<StartLock> locks = claim_sockets(memif_servers(config.devices));
  start_dpdk(config);
  registered_ = register_thread();
  try {
    plug_in(config.devices);
    MemifServers::of_process().open();
  } catch (const std::exception&) {
    unplug();
    throw;
  }
}

Eal::~Eal() { unplug(); }

void Eal::plug_in(const std::vector<std::string>& devices) {
  for (const std::string& device : devices) {
    const DeviceSpec spec = DeviceSpec::parse(device);
    if (!spec.is_virtual()) {
      if (!is_there(device)) throw cannot_start(device, "");
      continue;
    }
    if (is_there(device)) {
      throw PortError(device + ": found a port with this name; allowed: another name");
    }
    plugged_.push_back(spec.name);
    if (const auto why_not = plug(spec)) throw cannot_start(device, *why_not);
  }
}

void Eal::unplug() {
  for (const std::string& name : plugged_) {
    {
      const CapturedErrors unimportant;
      rte_eal_hotplug_remove(kVirtualBus, name.c_str());
    }
    MemifServers::of_process().close(name);
    MemifClients::of_process().close(name);
  }
  if (registered_) rte_thread_unregister();
}

void check_cores(unsigned cores) {
  const std::size_t most = std::min<std::size_t>(processors().size(), RTE_MAX_LCORE);
  if (cores >= 1 && cores <= most) return;
  throw PortError(fmt::format("--cores {}: this process may use {} processor{}; allowed: {}", cores,
                              most, most == 1 ? "" : "s",
                              most == 1 ? "1" : fmt::format("1 to {}", most)));
}

void run_on_cores(unsigned cores, const std::function<void(unsigned)>& body) {
  const auto on_core = [](void* argument) {
    (*static_cast<const std::function<void(unsigned)>*>(argument))(rte_lcore_id());
    return 0;
  };
  for (unsigned core = 1; core < cores; ++core) {
    rte_eal_remote_launch(on_core, const_cast<std::function<void(unsigned)>*>(&body), core);
  }
  body(0);
  rte_eal_mp_wait_lcore();
}

std::string name_of_device(const std::string& device) { return device.substr(0, device.find(',')); }

}  // namespace ina::ports
