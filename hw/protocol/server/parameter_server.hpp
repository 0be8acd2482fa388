// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/server/psn_set.hpp"
#include "hw/protocol/server/worker_set.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/backoff.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/job_servers.hpp"

namespace ina {

/// Who a parameter server is, in a job; of several it has the fragments that `servers` says.
struct ServerIdentity {
  JobId job = 0;
  std::uint16_t workers = 0;
  HostId host = 0;
  std::uint32_t psns_per_iteration = 1;
  /// The workers' hosts by rank. If given, what does not come from the member that it names is
  /// rejected; otherwise that is for the network to see to.
  std::vector<HostId> members = {};
  /// Where their gradients are added up, by rank; with branches there must be members. By default
  /// all are at one switch, if it can add them up.
  std::vector<wire::AggregationPath> paths = wire::default_paths(workers);
  /// All of the job. What is for another one is rejected.
  wire::JobServers servers = host;
};

struct ServerStatistics {
  std::uint64_t gradients = 0;  ///< gradient packets and partial aggregates received
  std::uint64_t duplicates =
      0;  ///< dropped: their workers were in the entry already, or the task was complete
  std::uint64_t overlaps = 0;   ///< dropped: could not be added to what the entry held
  std::uint64_t completed = 0;  ///< tasks completed here
  std::uint64_t overflows = 0;  ///< complete sums that overflowed, so that floats were asked for
  std::uint64_t reminders = 0;
  std::uint64_t requests = 0;
  std::uint64_t rejected_frames = 0;
};

/// What the servers of ATP, DSA and `ps` share: a dictionary of partial sums by PSN, merged by
/// bitmaps; one with all workers makes a result packet to every worker.
class ParameterServer {
 public:
  virtual ~ParameterServer() = default;
  void receive(Frame frame, Time now);
  /// The next frame to put on the wire.
  bool next(Frame& out);
  /// When expire() wants to be called; kNever if no entry waits.
  Time deadline() const;
  void expire(Time now);

  std::size_t open_entries() const { return entries_.size(); }
  const ServerStatistics& statistics() const { return statistics_; }

 protected:
  struct Entry {
    Values values;
    WorkerSet workers;  ///< who are in the values
    std::uint32_t aggregator_index = 0;
    Time created{};
    Time reminded{};          ///< or created; when its time-out began
    Time added{};             ///< when something new came in last
    WorkerSet marked;         ///< whose packets came with a congestion mark
    bool collision = false;   ///< some of it came here because of one
    bool sent_again = false;  ///< some of it came after a time-out, or had to wait for one
    /// DSA: a worker lacks the result, which the first retransmission alone does not show.
    bool is_needed = false;
    /// DSA, whose answers to reminders are to come: of leaves, as bits by branch, and after these
    /// of the root. One that has answered is asked again once all have.
    std::uint32_t leaves_due = 0;
    bool root_due = false;
    Backoff backoff;  ///< its time-out doubles until something new comes in

    BOOST_DESCRIBE_CLASS(Entry, (),
                         (values, workers, aggregator_index, created, reminded, marked, collision,
                          sent_again, is_needed, leaves_due, root_due),
                         (), ())
  };
  using Entries = boost::unordered_flat_map<Psn, Entry>;

  ParameterServer(const ServerIdentity& identity, std::uint16_t result_bytes);

  /// A gradient for a task that is complete.
  virtual void receive_late(Frame&& frame, Time now) = 0;
  /// A worker's fragment as floats, of a task that is not complete: only ATP asks for such.
  virtual void receive_floats(Frame&& frame, Time now);
  /// A frame that is not a gradient.
  virtual void receive_control(const Frame& frame, Time now);
  /// A worker says that nobody needs the task any more.
  void close(Psn psn);
  /// Whether the sum of an entry that is full may go out. If not, the entry stays open, full.
  virtual bool accept_sum(Psn, Entry&, Time) { return true; }
  /// The entry is full; `result` is about to go out.
  virtual void entry_completed(Entry& entry, Frame& result, Time now) = 0;
  /// What became of a gradient.
  enum class Merge : std::uint8_t {
    added,
    duplicate,  ///< its workers were in the entry already
    overlap,    ///< some were: it, or what the entry held, had to be dropped
  };
  /// A gradient left its entry incomplete.
  virtual void entry_incomplete(const Frame&, Entry&, Merge, Time) {}

  /// After so long, doubled with every time since something new came in, timed_out() is called for
  /// an entry that waits, and may let it wait again.
  virtual Time entry_timeout(std::size_t doublings) const = 0;
  virtual void timed_out(Psn psn, Entry& entry, Time now) = 0;
  /// The entry's time-out begins now.
  void wait(Psn psn, Entry& entry, Time now);
  /// Something new came in: if the time-out has doubled, it begins now, undoubled.
  void progressed(Psn psn, Entry& entry, Time now);

  /// Adds a gradient to the entry of its task.
  void collect(Frame&& frame, Time now);
  /// The entry of the task; a new one waits from now on: what opened it may be a copy that was
  /// late, or workers that have the result since, and then nobody sends the rest unasked.
  Entry& open(Psn psn, std::uint32_t aggregator_index, Time now);
  /// Sends the entry's values as the result, with `flags`, and closes the entry.
  void complete(Entries::iterator found, std::uint8_t flags, Time now);
  void send(Frame&& frame);
  /// Asks the workers who are not in `have` for their fragments.
  void request(Psn psn, const Entry& entry, const WorkerSet& have, std::uint8_t flags = 0);
  /// Each of them by a frame of its own.
  void request_from_each(Psn psn, const Entry& entry, const WorkerSet& have,
                         std::uint8_t flags = 0);
  Frame control(FrameKind kind, Psn psn, const Entry& entry) const;
  bool has_everyone(const WorkerSet& workers) const { return workers.count() == identity_.workers; }

  ServerIdentity identity_;
  Branches branches_;
  Entries entries_;
  RecentPsnSet completed_;
  ServerStatistics statistics_;

 private:
  struct Waiting {
    Psn psn;
    Time since;
    BOOST_DESCRIBE_CLASS(Waiting, (), (psn, since), (), ())
  };

  using Queue = GrowingRing<Waiting>;  // in the order of time

  bool stale(const Waiting& waiting) const;
  Time due(std::size_t doublings) const;
  void expire_queue(std::size_t doublings, Time now);
  bool has(Psn psn) const { return identity_.servers.of(psn) == identity_.host; }
  bool is_of_worker(const Frame& frame) const;
  Frame request_of(Psn psn, const Entry& entry, const WorkerSet& have,
                   const wire::AggregationPath& path, std::uint8_t flags) const;
  bool is_of_job(const Frame& frame) const;
  bool gradient_is_of_job(const Frame& frame) const;
  void receive_gradient(Frame&& frame, Time now);
  Merge merge(Frame& frame, Entry& entry);

  BOOST_DESCRIBE_CLASS(ParameterServer, (), (), (entries_, completed_), (outbox_, waiting_))

  std::uint16_t result_bytes_;
  GrowingRing<Frame> outbox_;
  // By the doublings of their time-out; entries that are gone, or wait elsewhere, stay until
  // reached.
  std::vector<Queue> waiting_ = std::vector<Queue>(1);
};

}  // namespace ina
