// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/random_stream.hpp"

#include <cmath>
#include <limits>

namespace ina::cluster {

namespace {

constexpr std::uint64_t kModulus1 = 4'294'967'087;
constexpr std::uint64_t kModulus2 = 4'294'944'443;
constexpr std::uint64_t kA12 = 1'403'580;
constexpr std::uint64_t kA13 = kModulus1 - 810'728;
constexpr std::uint64_t kA21 = 527'612;
constexpr std::uint64_t kA23 = kModulus2 - 1'370'589;
constexpr std::uint64_t kSeed = 1;
/// The first of ns-3's streams for manual numbering.
constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 63;
constexpr int kStreamsApart = 127;  // distance of streams, as an exponent of two
constexpr int kRunsApart = 76;

using Row = std::array<std::uint64_t, 3>;
using Matrix = std::array<Row, 3>;

constexpr Matrix kStep1 = {{{0, 1, 0}, {0, 0, 1}, {kA13, kA12, 0}}};
constexpr Matrix kStep2 = {{{0, 1, 0}, {0, 0, 1}, {kA23, 0, kA21}}};

std::uint64_t dot(const Row& row, const Row& column, std::uint64_t modulus) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * column[i] % modulus;
  return sum % modulus;
}

Row product(const Matrix& matrix, const Row& column, std::uint64_t modulus) {
  Row result{};
  for (std::size_t i = 0; i < matrix.size(); ++i) result[i] = dot(matrix[i], column, modulus);
  return result;
}

Matrix squared(const Matrix& matrix, std::uint64_t modulus) {
  Matrix result{};
  for (std::size_t column = 0; column < matrix.size(); ++column) {
    const Row of_column = {matrix[0][column], matrix[1][column], matrix[2][column]};
    const Row transformed = product(matrix, of_column, modulus);
    for (std::size_t row = 0; row < matrix.size(); ++row) result[row][column] = transformed[row];
  }
  return result;
}

/// Jumps by count * 2^power steps of a generator, with one matrix per bit of count.
class Jump {
 public:
  Jump(Matrix step, std::uint64_t modulus, int power) : modulus_(modulus) {
    for (; power > 0; --power) step = squared(step, modulus);
    for (Matrix& jump : by_bit_) {
      jump = step;
      step = squared(step, modulus);
    }
  }

  void by(std::uint64_t count, Row& state) const {
    for (auto jump = by_bit_.begin(); count != 0; count >>= 1U, ++jump) {
      if ((count & 1U) != 0) state = product(*jump, state, modulus_);
    }
  }

 private:
  std::uint64_t modulus_;
  std::array<Matrix, 64> by_bit_;
};

}  // namespace

RandomStream::RandomStream(std::uint64_t stream, std::uint64_t run)
    : first_{kSeed, kSeed, kSeed}, second_{kSeed, kSeed, kSeed} {
  static const Jump kStream1(kStep1, kModulus1, kStreamsApart);
  static const Jump kStream2(kStep2, kModulus2, kStreamsApart);
  static const Jump kRun1(kStep1, kModulus1, kRunsApart);
  static const Jump kRun2(kStep2, kModulus2, kRunsApart);
  kStream1.by(kFirstStream + stream, first_);
  kStream2.by(kFirstStream + stream, second_);
  kRun1.by(run, first_);
  kRun2.by(run, second_);
}

double RandomStream::uniform() {
  constexpr double kNorm = 2.328306549295727688e-10;  // 1 / (kModulus1 + 1)
  const std::uint64_t next1 = dot(kStep1[2], first_, kModulus1);
  const std::uint64_t next2 = dot(kStep2[2], second_, kModulus2);
  first_ = {first_[1], first_[2], next1};
  second_ = {second_[1], second_[2], next2};
  const std::uint64_t difference = next1 > next2 ? next1 - next2 : next1 + kModulus1 - next2;
  return static_cast<double>(difference) * kNorm;
}

std::uint64_t RandomStream::seed() {
  constexpr double kSeeds = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint64_t>(uniform() * kSeeds);
}

Time RandomStream::between(Time low, Time high) {
  if (low == high) return low;
  const auto least = static_cast<double>(low.count());
  const auto span = static_cast<double>(high.count()) - least;
  return Time(std::llround(least + uniform() * span));
}

}  // namespace ina::cluster
