// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hw/protocol/transport/peer_schedule.hpp"

namespace ina::schedules {

/// Two binary trees (Sanders, Speck and Träff, Parallel Computing 2009), one for each half of the
/// fragments. A leaf of one tree is an inner node of the other, so both directions of every link
/// are used.
struct DoubleTree {
  static constexpr std::string_view kName = "tree";
  static constexpr std::string_view kTitle = "double binary tree all-reduce";
  static constexpr std::string_view kLabel = "Double tree";

  static std::uint32_t steps(std::uint16_t workers) { return 2 * depth(workers); }

  /// Number of edges from the root to the deepest leaf.
  static std::uint32_t depth(std::uint16_t workers) {
    std::uint32_t depth = 0;
    for (Place place = 0; place < workers; ++place) {
      depth = std::max(depth, neighbours_of(place, workers).depth);
    }
    return depth;
  }

  static PeerSchedule make(std::uint16_t rank, std::uint16_t workers) {
    using Peer = PeerSchedule::Peer;
    PeerSchedule schedule;
    const auto peer_of = [&schedule](std::uint16_t peer) {
      const auto found = std::ranges::find(schedule.ranks, peer);
      const auto index = static_cast<Peer>(found - schedule.ranks.begin());
      if (found == schedule.ranks.end()) schedule.ranks.push_back(peer);
      return index;
    };

    const Neighbours trees[] = {neighbours_of(rank, workers), second_neighbours_of(rank, workers)};
    // Children have the first indices, from 0: a worker has children in only one tree.
    for (const Neighbours& tree : trees) {
      for (const std::uint16_t child : tree.children) peer_of(child);
    }
    const auto children = static_cast<Peer>(schedule.ranks.size());
    for (const Neighbours& tree : trees) {
      PeerSchedule::Route route;
      if (!tree.children.empty()) route.parts_from = route.result_to = {0, children};
      if (tree.parent) route.sum_to = route.result_from = peer_of(*tree.parent);
      schedule.routes.push_back(route);
    }

    schedule.begins.resize(schedule.ranks.size());
    constexpr std::uint16_t kTrees = 2;
    for (std::uint16_t tree = 0; tree < kTrees; ++tree) {
      const PeerSchedule::Route& route = schedule.routes[tree];
      if (route.parts_from.count() == 0) schedule.begins[route.sum_to].push_back(tree);
    }
    return schedule;
  }

 private:
  using Place = std::uint16_t;

  /// A node's neighbours in a binary search tree of places 0, 1, ..., where even places are leaves.
  struct Neighbours {
    std::optional<Place> parent;
    std::vector<Place> children;
    std::uint32_t depth = 0;
  };

  /// Root of the places from `begin`, which is even, to before `end`. A root must be odd unless it
  /// is the only place. It is therefore the middle place, or the one before if the middle is even.
  static Place root_of(Place begin, Place end) {
    const auto middle = static_cast<Place>((begin + end) / 2);
    if (end - begin == 1) return begin;
    return middle % 2 == 1 ? middle : static_cast<Place>(middle - 1);
  }

  static Neighbours neighbours_of(Place place, std::uint16_t places) {
    Neighbours neighbours;
    Place begin = 0;
    Place end = places;
    for (Place root = root_of(begin, end); root != place; root = root_of(begin, end)) {
      neighbours.parent = root;
      ++neighbours.depth;
      if (place < root) {
        end = root;
      } else {
        begin = static_cast<Place>(root + 1);
      }
    }
    if (begin < place) neighbours.children.push_back(root_of(begin, place));
    const auto behind = static_cast<Place>(place + 1);
    if (behind < end) neighbours.children.push_back(root_of(behind, end));
    return neighbours;
  }

  /// A worker's place in the second tree. Leaves of the first tree have odd places there: the order
  /// is reversed if the number of workers is even, and shifted by one if it is odd. (In the latter
  /// case, the last worker is a leaf in both trees.)
  static std::uint16_t second_place(std::uint16_t rank, std::uint16_t workers) {
    if (workers % 2 == 0) return static_cast<Place>(workers - 1 - rank);
    return static_cast<Place>((rank + 1) % workers);
  }

  static std::uint16_t rank_at(Place second_place, std::uint16_t workers) {
    if (workers % 2 == 0) return static_cast<std::uint16_t>(workers - 1 - second_place);
    return static_cast<std::uint16_t>((second_place + workers - 1) % workers);
  }

  /// A worker's neighbours in the second tree, as ranks.
  static Neighbours second_neighbours_of(std::uint16_t rank, std::uint16_t workers) {
    Neighbours neighbours = neighbours_of(second_place(rank, workers), workers);
    if (neighbours.parent) neighbours.parent = rank_at(*neighbours.parent, workers);
    for (Place& child : neighbours.children) child = rank_at(child, workers);
    return neighbours;
  }
};

}  // namespace ina::schedules
