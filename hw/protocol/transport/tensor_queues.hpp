// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/wire/flow.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// One queue for each tensor that has waiting items. Tensors are identified and ordered by their
/// first PSN. Only few tensors have items at a time.
template <class Item>
class TensorQueues {
 public:
  bool empty() const { return used_ == 0; }
  /// The first and the last tensor with waiting items. There must be at least one.
  Psn first() const { return queues_.front().tensor; }
  Psn last() const { return queues_[used_ - 1].tensor; }

  void push(Psn tensor, const Item& item) { queue_of(tensor).emplace_back(item); }
  Item pop_first() { return pop(0); }
  Item pop_last() { return pop(used_ - 1); }

 private:
  static constexpr std::uint32_t kInitialCapacity = 4;
  using Items = GrowingRing<Item, kInitialCapacity>;
  struct Queue {
    Psn tensor;
    Items items;
    BOOST_DESCRIBE_CLASS(Queue, (), (tensor, items), (), ())
  };

  Items& queue_of(Psn tensor) {
    const auto end = queues_.begin() + used_;
    const auto at = std::partition_point(queues_.begin(), end, [tensor](const Queue& queue) {
      return wire::is_before(queue.tensor, tensor);
    });
    if (at != end && at->tensor == tensor) return at->items;
    const auto index = at - queues_.begin();
    if (used_ == queues_.size()) queues_.emplace_back();
    ++used_;
    const auto first = queues_.begin() + index;
    std::rotate(first, queues_.begin() + used_ - 1, queues_.begin() + used_);
    first->tensor = tensor;
    return first->items;
  }

  Item pop(std::uint32_t index) {
    Items& items = queues_[index].items;
    Item item = std::move(items.front());
    items.pop_front();
    if (items.empty()) {
      const auto emptied = queues_.begin() + index;
      std::rotate(emptied, std::next(emptied), queues_.begin() + used_);
      --used_;
    }
    return item;
  }

  // The first used_ queues are in use. The others are empty, and keep memory for later tensors.
  std::vector<Queue> queues_;
  std::uint32_t used_ = 0;

  BOOST_DESCRIBE_CLASS(TensorQueues, (), (), (), (queues_, used_))
};

}  // namespace ina
