// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/flow_rules.hpp"

#include <rte_flow.h>

#include <bit>

#include "hw/protocol/wire/headers.hpp"
#include "hw/protocol/wire/steering.hpp"

namespace ina::ports {

namespace {

constexpr std::size_t kIpEnd = sizeof(wire::EthernetHeader) + sizeof(wire::Ipv4Header);

/// A rule for rte_flow: Ethernet, IPv4, UDP if the format has it, then the pattern. A rule is not
/// movable, because it points into itself.
class Rule {
 public:
  Rule(wire::Format format, const IndexPattern& pattern, std::uint16_t queue)
      : pattern_(pattern), queue_{queue} {
    const bool udp = wire::runs_over_udp(format);
    const std::size_t headers = kIpEnd + (udp ? sizeof(wire::UdpHeader) : 0);
    raw_.relative = 1;
    raw_.offset = static_cast<std::int32_t>(pattern_.offset - headers);
    raw_.length = static_cast<std::uint16_t>(pattern_.value.size());
    raw_.pattern = pattern_.value.data();
    raw_mask_.relative = 1;
    raw_mask_.search = 1;
    raw_mask_.offset = -1;
    raw_mask_.limit = 0xffff;
    raw_mask_.length = 0xffff;
    raw_mask_.pattern = pattern_.mask.data();
    std::size_t next = 0;
    items_[next++].type = RTE_FLOW_ITEM_TYPE_ETH;
    items_[next++].type = RTE_FLOW_ITEM_TYPE_IPV4;
    if (udp) items_[next++].type = RTE_FLOW_ITEM_TYPE_UDP;
    items_[next++] = {RTE_FLOW_ITEM_TYPE_RAW, &raw_, nullptr, &raw_mask_};
    items_[next].type = RTE_FLOW_ITEM_TYPE_END;
    actions_[0] = {RTE_FLOW_ACTION_TYPE_QUEUE, &queue_};
    actions_[1].type = RTE_FLOW_ACTION_TYPE_END;
  }
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  bool create(std::uint16_t port, rte_flow_error& error) const {
    rte_flow_attr ingress{};
    ingress.ingress = 1;
    return rte_flow_create(port, &ingress, items_.data(), actions_.data(), &error) != nullptr;
  }

 private:
  IndexPattern pattern_;
  rte_flow_action_queue queue_;
  rte_flow_item_raw raw_{};
  rte_flow_item_raw raw_mask_{};
  std::array<rte_flow_item, 5> items_{};
  std::array<rte_flow_action, 2> actions_{};
};

}  // namespace

std::optional<IndexPattern> index_pattern(wire::Format format, unsigned core, unsigned cores) {
  if (!std::has_single_bit(cores)) return std::nullopt;
  const wire::IndexField field = wire::index_field(format);
  const unsigned mask = (cores - 1) & field.mask;
  const auto bytes = [](unsigned bits) -> std::array<std::uint8_t, 2> {
    return {static_cast<std::uint8_t>(bits >> 8), static_cast<std::uint8_t>(bits)};
  };
  return IndexPattern{field.offset, bytes(mask), bytes(core)};
}

std::optional<std::string> steer_by_rules(std::uint16_t port, wire::Format format,
                                          const std::function<std::uint16_t(unsigned)>& queue_of,
                                          unsigned cores) {
  for (unsigned core = 0; core < cores; ++core) {
    const auto pattern = index_pattern(format, core, cores);
    if (!pattern) return "number of cores is not a power of two";
    rte_flow_error error{};
    if (Rule(format, *pattern, queue_of(core)).create(port, error)) continue;
    const std::string why =
        error.message == nullptr ? "not supported by the driver" : error.message;
    rte_flow_flush(port, &error);
    return why;
  }
  return std::nullopt;
}

}  // namespace ina::ports
