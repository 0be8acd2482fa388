// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/circular_buffer.hpp>
#include <utility>

namespace ina {

/// Appends to a queue that doubles when it is full, instead of overwriting its first item.
template <class Item>
void push_growing(boost::circular_buffer<Item>& queue, Item item) {
  if (queue.full()) queue.set_capacity(queue.capacity() * 2);
  queue.push_back(std::move(item));
}

}  // namespace ina
