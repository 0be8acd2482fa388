// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// The bookkeeping that every worker transport needs: which fragments of which tensors are unsent,
/// in flight or done, and the packets in flight in the order of their (last) sending.
class FragmentTracker {
 public:
  enum class State : std::uint8_t { unsent, in_flight, done };

  struct Fragment {
    Time sent{};
    std::uint32_t aggregator_index = 0;  ///< that its packets carry
    std::uint8_t transmissions = 0;
    State state = State::unsent;

    BOOST_DESCRIBE_CLASS(Fragment, (), (sent, aggregator_index, transmissions, state), (), ())
  };

  struct Done {
    bool first;                  ///< false: it was done before, or is unknown
    std::uint8_t transmissions;  ///< 1: its round trip is unambiguous
    Time sent;
    bool tensor_complete;  ///< with this fragment
    Psn tensor_first_psn;
  };

  void submit(const Tensor& tensor);

  /// The fragment to send next if PSNs go out strictly in order, so that a tensor waits until those
  /// before it were handed in and sent. Workers with windows need that: if they went ahead with
  /// different tensors they would fill their windows, and the switch's aggregators, with fragments
  /// for which each waits for the others.
  std::optional<Psn> next_unsent() const {
    if (find_active(next_psn_) == nullptr) return std::nullopt;
    return next_psn_;
  }

  /// The tensor of `psn` if it is active, or complete but still readable; nullptr otherwise.
  const Tensor* find(Psn psn) const;

  /// The fragment, if it is in flight, or done while an earlier one of its tensor is not; nullptr
  /// otherwise.
  Fragment* fragment(Psn psn);
  bool is_in_flight(Psn psn);
  /// Whether its tensor was handed in and it was not sent.
  bool is_unsent(Psn psn) const;
  bool is_done(Psn psn) const;

  struct Sent {
    Fragment& fragment;  ///< good until the next call
    const Tensor& tensor;
  };
  /// Of a tensor that was handed in.
  Sent sent(Psn psn, Time now);
  /// Counts the time of `psn`, which is in flight, from now on, without a transmission.
  void postpone(Psn psn, Time now);
  Done done(Psn psn);

  /// The packet in flight that was (last) sent first: ATP's expected sequence number.
  std::optional<Psn> oldest_in_flight() const {
    if (sendings_.empty()) return std::nullopt;
    return sendings_.front().psn;
  }
  /// The same, and forgets when it was sent, until it is sent again.
  std::optional<Psn> take_oldest();
  Time oldest_sent() const;
  std::uint32_t in_flight() const { return in_flight_; }

  /// Calls `expired(psn)` for every packet in flight that was sent at `limit` or before, and
  /// forgets when it was sent, until it is sent again.
  template <class Function>
  void take_sent_until(Time limit, Function&& expired) {
    for (drop_stale(); !sendings_.empty() && sendings_.front().sent <= limit; drop_stale()) {
      const Psn psn = sendings_.front().psn;
      sendings_.pop_front();
      expired(psn);
    }
  }

 private:
  // A tensor's fragments between the first that is not done and the last that was sent, in a ring
  // that grows to the width of that span.
  struct Active {
    Tensor tensor;
    std::uint32_t base = 0;    ///< all fragments before it are done
    std::uint32_t unsent = 0;  ///< all fragments from it on are unsent
    std::uint32_t remaining = 0;
    std::vector<Fragment> ring;

    bool holds(Psn psn) const { return psn - tensor.first_psn < tensor.fragments; }
    Fragment& at(std::uint32_t fragment) { return ring[fragment & (ring.size() - 1)]; }
    const Fragment& at(std::uint32_t fragment) const { return ring[fragment & (ring.size() - 1)]; }
    void grow();
    BOOST_DESCRIBE_CLASS(Active, (), (tensor, base, unsent, remaining, ring), (), ())
  };
  struct Sending {
    Psn psn;
    Time sent;
    BOOST_DESCRIBE_CLASS(Sending, (), (psn, sent), (), ())
  };
  BOOST_DESCRIBE_CLASS(FragmentTracker, (), (), (),
                       (active_, complete_, everyone_has_before_, next_psn_, sendings_, in_flight_))

  Active* find_active(Psn psn) {
    return const_cast<Active*>(std::as_const(*this).find_active(psn));
  }
  const Active* find_active(Psn psn) const {
    for (const Active& active : active_) {
      if (active.holds(psn)) return &active;
    }
    return nullptr;
  }
  bool stale(const Sending& sending) const;
  void drop_stale();
  void finish(std::size_t index);

  std::vector<Active> active_;    // in the order of PSNs
  std::vector<Tensor> complete_;  // still readable
  std::vector<std::vector<Fragment>> spare_rings_;
  Psn everyone_has_before_ = 0;
  Psn next_psn_ = 0;  // after the last one that was sent
  GrowingRing<Sending> sendings_;
  std::uint32_t in_flight_ = 0;
};

}  // namespace ina
