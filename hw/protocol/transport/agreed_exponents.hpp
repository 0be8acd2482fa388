// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <vector>

#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// The agreed exponents of a worker's unfinished fragments, in block floating point: the maxima of
/// all workers' exponents, from the switch. The fragments of a tensor form exponent_lead rows. A
/// row has every exponent_lead-th fragment, and one of them at a time is in flight.
class AgreedExponents {
 public:
  /// Whether no active tensor uses block floating point.
  bool empty() const { return tensors_.empty(); }

  void submit(const Tensor& tensor) {
    tensors_.push_back({tensor.first_psn, tensor.fragments,
                        std::vector<numeric::ExponentCode>(tensor.exponent_lead)});
  }
  void complete(Psn first_psn) {
    std::erase_if(tensors_, [&](const Rows& rows) { return rows.first_psn == first_psn; });
  }

  /// The exponent_lead of the tensor of `psn`; 0 if that tensor does not use block floating point.
  std::uint32_t lead(Psn psn) const {
    const Rows* rows = find(psn);
    return rows == nullptr ? 0 : static_cast<std::uint32_t>(rows->largest.size());
  }
  /// Whether `psn`, a fragment of an active tensor, carries an exponent but no values.
  bool leads(Psn psn) const {
    const Rows* rows = find(psn);
    return psn - rows->first_psn < rows->largest.size();
  }
  /// The agreed exponent of `psn`, a fragment of an active tensor: the last one that agree() set
  /// for its row.
  numeric::ExponentCode of(Psn psn) const { return find(psn)->of(psn); }
  /// Called with the result of `psn`; `largest` is the exponent of the next fragment in its row.
  void agree(Psn psn, numeric::ExponentCode largest) { find(psn)->of(psn) = largest; }
  /// Whether another fragment follows `psn` in its row.
  bool has_next(Psn psn) const {
    const Rows* rows = find(psn);
    return rows != nullptr && psn - rows->first_psn + rows->largest.size() < rows->fragments;
  }

 private:
  struct Rows {
    Psn first_psn;
    std::uint32_t fragments;
    std::vector<numeric::ExponentCode> largest;

    numeric::ExponentCode& of(Psn psn) { return largest[(psn - first_psn) % largest.size()]; }
    numeric::ExponentCode of(Psn psn) const { return largest[(psn - first_psn) % largest.size()]; }
    BOOST_DESCRIBE_CLASS(Rows, (), (first_psn, fragments, largest), (), ())
  };
  BOOST_DESCRIBE_CLASS(AgreedExponents, (), (), (), (tensors_))

  const Rows* find(Psn psn) const {
    const auto holds = [&](const Rows& rows) { return psn - rows.first_psn < rows.fragments; };
    const auto found = std::ranges::find_if(tensors_, holds);
    return found == tensors_.end() ? nullptr : &*found;
  }
  Rows* find(Psn psn) { return const_cast<Rows*>(std::as_const(*this).find(psn)); }

  std::vector<Rows> tensors_;
};

}  // namespace ina
