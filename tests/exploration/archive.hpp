// SPDX-License-Identifier: BSD-3-Clause
// Writes the state of objects as bytes and reads it back, by their BOOST_DESCRIBE_CLASS lists.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "tests/exploration/renaming.hpp"

namespace ina::exploration {

using Bytes = std::vector<std::byte>;

/// Visitor of objects that collects their instants, writes the objects, or reads them back. An
/// instant is written as its rank among the host's instants, counted back from its clock. Only the
/// order of instants matters, not their distances, since any timer may fire at any moment.
class Archive {
 public:
  static Archive collector() { return Archive(Way::collect); }
  /// Appends to `out`, with the workers renamed.
  static Archive writer(Bytes& out, const Renaming& renaming) {
    Archive archive(Way::write);
    archive.out_ = &out;
    archive.renaming_ = &renaming;
    return archive;
  }
  static Archive reader(std::span<const std::byte> in, ValuePool& pool) {
    Archive archive(Way::read);
    archive.in_ = in.data();
    archive.pool_ = &pool;
    return archive;
  }

  /// Must precede the objects of each host. `now`: its clock. `source`: the source of its tensors.
  void enter(Time now, const GradientSource* source) {
    now_ = now;
    source_ = source;
    if (collecting()) instants_.clear();
  }
  /// Ranks the instants that `collector` has collected.
  void rank_by(Archive& collector);

  Time now() const { return now_; }
  bool collecting() const { return way_ == Way::collect; }
  bool reading() const { return way_ == Way::read; }
  bool writing() const { return way_ == Way::write; }

  template <class Number>
  void number(Number& x) {
    if (reading()) {
      x = static_cast<Number>(get());
    } else if (writing()) {
      put(static_cast<std::uint64_t>(x));
    }
  }
  std::size_t count(std::size_t n) {
    number(n);
    return n;
  }
  void bitmap(std::uint32_t& bits) {
    std::uint32_t renamed = writing() ? renaming_->bitmap(bits) : 0;
    number(reading() ? bits : renamed);
  }
  void rank(std::uint16_t& rank) {
    std::uint16_t renamed = writing() ? renaming_->rank(rank) : std::uint16_t{0};
    number(reading() ? rank : renamed);
  }
  /// The worker whose part is at `place` in a list that is ordered by new rank.
  std::uint16_t worker_at(std::uint16_t place) const {
    return writing() ? renaming_->worker_of(place) : place;
  }
  void host(HostId& id) {
    HostId renamed = writing() ? renaming_->host(id) : HostId{0};
    number(reading() ? id : renamed);
  }
  void time(Time& t);
  /// Visits an instant. Only whether it is older than `limit` matters.
  void age(Time& t, Time limit);
  void values(Values& v, bool floats = false);
  void sum(std::int32_t& value) {
    std::uint32_t bits = static_cast<std::uint32_t>(value);
    if (writing()) bits = renaming_->sum(bits);
    number(bits);
    if (reading()) value = static_cast<std::int32_t>(bits);
  }
  /// Like sum(), for floats. A value that is not a sum of contributions is written unchanged.
  void float_sum(std::int32_t& bits);
  void source(const GradientSource*& s) {
    if (reading()) s = source_;
  }

 private:
  enum class Way : std::uint8_t { collect, write, read };
  explicit Archive(Way way) : way_(way) {}

  void put(std::uint64_t x) {
    for (; x >= 0x80; x >>= 7) out_->push_back(static_cast<std::byte>(x | 0x80));
    out_->push_back(static_cast<std::byte>(x));
  }
  std::uint64_t get() {
    std::uint64_t x = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(*in_++);
      x |= (byte & 0x7f) << shift;
      if (byte < 0x80) return x;
    }
  }

  Way way_;
  Bytes* out_ = nullptr;
  const Renaming* renaming_ = nullptr;
  const std::byte* in_ = nullptr;
  ValuePool* pool_ = nullptr;
  const GradientSource* source_ = nullptr;
  Time now_{};
  std::vector<Time> instants_;  // latest first
};

/// A string as a template argument.
template <std::size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT: meant to convert
  constexpr operator std::string_view() const { return {text, N - 1}; }
};

template <class T>
using Members =
    boost::describe::describe_members<std::remove_const_t<T>, boost::describe::mod_any_access |
                                                                  boost::describe::mod_inherited>;

template <Name name>
struct IsNamed {
  template <class Descriptor>
  using fn = boost::mp11::mp_bool<std::string_view(Descriptor::name) == std::string_view(name)>;
};

/// The described member of that name, even if private.
template <Name name, class T>
auto& member(T& object) {
  using All = Members<T>;
  using Found = boost::mp11::mp_at<All, boost::mp11::mp_find_if_q<All, IsNamed<name>>>;
  return object.*Found::pointer;
}

template <class T>
constexpr bool is_sequence = false;
template <class Item>
constexpr bool is_sequence<std::vector<Item>> = true;

template <class T>
constexpr bool is_ring = false;
template <class Item, std::uint32_t capacity>
constexpr bool is_ring<GrowingRing<Item, capacity>> = true;

template <class T>
constexpr bool is_map = false;
template <class Key, class Item>
constexpr bool is_map<boost::unordered_flat_map<Key, Item>> = true;

template <class Map>
void visit_map(Archive& archive, Map& map) {
  const std::size_t items = archive.count(map.size());
  std::vector<typename Map::key_type> keys;
  if (archive.reading()) {
    map.clear();
    keys.resize(items);
  } else {
    for (const auto& [key, item] : map) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
  }
  for (auto& key : keys) {
    archive.number(key);
    visit(archive, map[key]);
  }
}

template <class T>
void visit(Archive& archive, T& x);

template <class Sequence>
void visit_sequence(Archive& archive, Sequence& items) {
  const std::size_t size = archive.count(items.size());
  if (archive.reading()) items.resize(size);
  for (auto& item : items) visit(archive, item);
}

template <class Item, std::uint32_t capacity>
void visit_ring(Archive& archive, GrowingRing<Item, capacity>& ring) {
  const std::size_t size = archive.count(ring.size());
  if (archive.reading()) {
    ring.clear();
    while (ring.size() < size) ring.emplace_back();
  }
  for (std::size_t i = 0; i < size; ++i) visit(archive, ring[i]);
}

/// Visits every described member, recursively. Classes that need something else have an overload. A
/// member named `bitmap_` is a bitmap of workers.
template <class T>
void visit(Archive& archive, T& x) {
  if constexpr (std::is_same_v<T, Time>) {
    archive.time(x);
  } else if constexpr (std::is_same_v<T, Values>) {
    archive.values(x);
  } else if constexpr (std::is_same_v<T, const GradientSource*>) {
    archive.source(x);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    archive.number(x);
  } else if constexpr (is_map<T>) {
    visit_map(archive, x);
  } else if constexpr (is_ring<T>) {
    visit_ring(archive, x);
  } else if constexpr (is_sequence<T>) {
    visit_sequence(archive, x);
  } else {
    boost::mp11::mp_for_each<Members<T>>([&](auto descriptor) {
      if constexpr (std::string_view(descriptor.name) == "bitmap_") {
        archive.bitmap(x.*descriptor.pointer);
      } else {
        visit(archive, x.*descriptor.pointer);
      }
    });
  }
}

}  // namespace ina::exploration
