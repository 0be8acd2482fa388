// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/training_job.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ina::testing {

const numeric::SyntheticTable& synthetic_table() {
  static const numeric::SyntheticTable instance;
  return instance;
}

std::uint32_t JobPlan::psns_per_iteration() const {
  std::uint32_t psns = 0;
  for (const std::uint32_t fragments : tensors) psns += fragments + exponent_lead(fragments);
  return psns;
}

bool JobPlan::carries_values(Psn psn) const {
  Psn offset = psn % psns_per_iteration();
  for (const std::uint32_t fragments : tensors) {
    const std::uint32_t lead = exponent_lead(fragments);
    if (offset < fragments + lead) return offset >= lead;
    offset -= fragments + lead;
  }
  return false;
}

TrainingWorker::TrainingWorker(const numeric::SyntheticTable& table, const JobPlan& plan,
                               std::uint16_t rank, StarNetwork& network, Random& random,
                               const MakeTransport& make)
    : table_(table),
      plan_(plan),
      network_(network),
      random_(random),
      source_(table, plan, rank),
      sum_(numeric::synthetic_sum(plan.seed, plan.workers)),
      key_(numeric::synthetic_key(plan.seed)),
      transport_(make(*this)),
      rank_(rank),
      received_(plan.psns()) {}

void TrainingWorker::start(HostId self, Time now) {
  self_ = self;
  begin_iteration(now);
}

void TrainingWorker::begin_iteration(Time now) {
  Psn psn = iteration_ * plan_.psns_per_iteration();
  const Psn everyone_has_before = psn;
  to_submit_.clear();
  for (const std::uint32_t fragments : plan_.tensors) {
    const auto priority = static_cast<std::uint16_t>(random_.between(1, 16));
    const std::uint32_t lead = plan_.exponent_lead(fragments);
    to_submit_.push_back({psn, fragments + lead, priority, everyone_has_before, &source_, lead});
    psn += fragments + lead;
  }
  tensors_left_ = static_cast<std::uint32_t>(to_submit_.size());
  std::reverse(to_submit_.begin(), to_submit_.end());
  for (std::size_t i = 0; plan_.any_order && i + 1 < to_submit_.size(); ++i) {
    if (random_.percent(50)) std::swap(to_submit_[i], to_submit_[i + 1]);
  }
  Time at = now + random_.between(Time::zero(), plan_.compute);
  if (random_.percent(plan_.straggler_percent)) at += random_.between(Time::zero(), plan_.straggle);
  for (std::size_t i = 0; i < to_submit_.size(); ++i) {
    network_.wake_at(self_, at);
    at += random_.between(Time::zero(), plan_.compute);
  }
}

void TrainingWorker::wake(Time now) {
  transport_->submit(to_submit_.back(), now);
  to_submit_.pop_back();
}

void TrainingWorker::receive(Frame&& frame, Time now) {
  transport_->receive(frame, now);
  if (!std::exchange(iteration_done_, false)) return;
  if (++iteration_ < plan_.iterations) {
    begin_iteration(now);
  } else {
    finished_();
  }
}

void TrainingWorker::fragment_complete(const Frame& result, bool, Time) {
  if (result.job != plan_.job || result.psn >= received_.size()) {
    complain("got a fragment that does not exist, PSN " + std::to_string(result.psn));
    return;
  }
  if (received_[result.psn]++ != 0) complain("got PSN " + std::to_string(result.psn) + " twice");
  if (const auto wrong = first_difference(result)) {
    complain("got a wrong sum for PSN " + std::to_string(result.psn) + " at value " +
             std::to_string(*wrong));
  }
}

std::optional<std::size_t> TrainingWorker::first_difference(const Frame& result) const {
  if (plan_.overflow().strikes(result.psn)) return first_difference_of_overflow(result);
  if (plan_.exponent_slots != 0) return first_difference_of_block(result);
  return numeric::first_difference(table_, sum_, key_, result.psn, result.values.data(),
                                   result.values.size());
}

/// Integers that arrive are exact, and floats the rounded exact sum. Which of both arrive is a
/// matter of the order of additions, unless the sum fits no integer.
std::optional<std::size_t> TrainingWorker::first_difference_of_overflow(const Frame& result) const {
  const Overflow overflow = plan_.overflow();
  const std::size_t count = result.values.size();
  std::vector<std::int32_t> small(count);
  numeric::generate(table_, sum_, key_, result.psn, small.data(), count);
  std::vector<double> sums(small.begin(), small.end());
  sums[overflow.place(result.psn, count)] = overflow.sum(result.psn, plan_.workers);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t bits = result.values.data()[i];
    const bool right = result.has(flag::floats)
                           ? std::bit_cast<float>(bits) == static_cast<float>(sums[i])
                           : bits == sums[i];
    if (!right) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> TrainingWorker::first_difference_of_block(const Frame& result) const {
  const bool carries_values = plan_.carries_values(result.psn);
  const numeric::ExponentCode largest =
      carries_values ? source_.blocks().largest(result.psn) : numeric::ExponentCode{0};
  if (result.exponents != largest) return 0;
  const auto sum = carries_values ? source_.blocks().sum(result.psn) : numeric::SyntheticGradient{};
  return numeric::first_difference(table_, sum, key_, result.psn, result.values.data(),
                                   result.values.size());
}

void TrainingWorker::tensor_complete(Psn first_psn, Time) {
  const Psn first_of_iteration = iteration_ * plan_.psns_per_iteration();
  if (first_psn < first_of_iteration || tensors_left_ == 0) complain("got a tensor twice");
  if (--tensors_left_ == 0) iteration_done_ = true;
}

std::string TrainingWorker::verdict() const {
  if (!complaint_.empty()) return complaint_;
  const auto missing = std::find(received_.begin(), received_.end(), 0);
  const std::string me = "job " + std::to_string(plan_.job) + " worker " + std::to_string(rank_);
  if (missing != received_.end()) {
    return me + " never got PSN " + std::to_string(missing - received_.begin());
  }
  if (iteration_ != plan_.iterations) return me + " did not finish its iterations";
  if (transport_->in_flight() != 0) return me + " still has packets in flight";
  if (transport_->deadline() != kNever) return me + " still waits for something";
  return {};
}

void TrainingWorker::complain(const std::string& what) {
  if (!complaint_.empty()) return;
  complaint_ = "job " + std::to_string(plan_.job) + " worker " + std::to_string(rank_) + " " + what;
}

}  // namespace ina::testing
