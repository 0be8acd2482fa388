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

/// Identity of a parameter server in a job. If the job has several servers, `servers` determines
/// which fragments each of them handles.
struct ServerIdentity {
  JobId job = 0;
  std::uint16_t workers = 0;
  HostId host = 0;
  std::uint32_t psns_per_iteration = 1;
  /// The workers' hosts by rank. If given, the server rejects a frame whose source is not the host
  /// of the worker that the frame names. If empty, the network must prevent such frames.
  std::vector<HostId> members = {};
  /// Aggregation paths of the workers, by rank. If there are branches, `members` must be given.
  /// Default: one switch adds all workers, or, if they are more than it can add, no switch adds.
  std::vector<wire::AggregationPath> paths = wire::default_paths(workers);
  /// All servers of the job. Frames for another server are rejected.
  wire::JobServers servers = host;
};

struct ServerStatistics {
  std::uint64_t gradients = 0;  ///< gradient packets and partial sums received
  std::uint64_t duplicates =
      0;  ///< dropped: the entry had their workers already, or the task was complete
  std::uint64_t overlaps = 0;   ///< dropped: could not be added to the entry's content
  std::uint64_t completed = 0;  ///< tasks completed here
  std::uint64_t overflows = 0;  ///< complete sums that overflowed, for which floats were requested
  std::uint64_t reminders = 0;
  std::uint64_t requests = 0;
  std::uint64_t rejected_frames = 0;
};

/// Base class of the parameter servers of ATP, DSA and `ps`. It keeps a partial sum per PSN,
/// and adds each gradient whose workers the sum lacks. It sends the complete sum to all workers.
class ParameterServer {
 public:
  virtual ~ParameterServer() = default;
  void receive(Frame frame, Time now);
  /// Writes the next frame to send to `out`. Returns false if there is none.
  bool next(Frame& out);
  /// Time at which expire() is due; kNever if no entry waits.
  Time deadline() const;
  void expire(Time now);

  std::size_t open_entries() const { return entries_.size(); }
  const ServerStatistics& statistics() const { return statistics_; }

 protected:
  struct Entry {
    Values values;
    WorkerSet workers;  ///< workers whose values are in the sum
    std::uint32_t aggregator_index = 0;
    Time created{};
    Time reminded{};          ///< start of its current time-out
    Time added{};             ///< last new contribution
    WorkerSet marked;         ///< workers whose packets had a congestion mark
    bool collision = false;   ///< a part of the sum came here because of a collision
    bool sent_again = false;  ///< a part of the sum came, perhaps, because of a time-out
    /// DSA: whether a worker surely lacks the result. One retransmission is no proof of that.
    bool is_needed = false;
    /// DSA: switches that have not answered the reminder yet: leaves (bits by branch) and the root.
    /// Switches that have answered are asked again only after all others have answered, too.
    std::uint32_t leaves_due = 0;
    bool root_due = false;
    Backoff backoff;  ///< doubles the time-out until a new contribution arrives

    BOOST_DESCRIBE_CLASS(Entry, (),
                         (values, workers, aggregator_index, created, reminded, marked, collision,
                          sent_again, is_needed, leaves_due, root_due),
                         (), ())
  };
  using Entries = boost::unordered_flat_map<Psn, Entry>;

  ParameterServer(const ServerIdentity& identity, std::uint16_t result_bytes);

  /// Handles a gradient for a task that is complete.
  virtual void receive_late(Frame&& frame, Time now) = 0;
  /// Handles a worker's fragment in floats, for a task that is not complete. Only ATP's server
  /// requests floats.
  virtual void receive_floats(Frame&& frame, Time now);
  /// Handles a frame that is not a gradient.
  virtual void receive_control(const Frame& frame, Time now);
  /// Called if a worker reports that no worker needs the task's result any more.
  void close(Psn psn);
  /// Whether the sum of an entry with all workers may be sent. If not, the entry stays open.
  virtual bool accept_sum(Psn, Entry&, Time) { return true; }
  /// Called when the entry is complete and `result` is about to be sent.
  virtual void entry_completed(Entry& entry, Frame& result, Time now) = 0;
  /// Outcome of a gradient.
  enum class Merge : std::uint8_t {
    added,
    duplicate,  ///< its workers were already in the entry
    overlap,    ///< the entry had some, but not all, of its workers: either the gradient or the
                ///< entry's content was dropped
  };
  /// Called after a gradient that did not complete its entry.
  virtual void entry_incomplete(const Frame&, Entry&, Merge, Time) {}

  /// Time-out of a waiting entry. It doubles at every expiry until a new contribution arrives. When
  /// it expires, timed_out() is called, which may restart it.
  virtual Time entry_timeout(std::size_t doublings) const = 0;
  virtual void timed_out(Psn psn, Entry& entry, Time now) = 0;
  /// Starts the entry's time-out.
  void wait(Psn psn, Entry& entry, Time now);
  /// Handles a new contribution: a time-out that has doubled restarts with its original length.
  void progressed(Psn psn, Entry& entry, Time now);

  /// Adds a gradient to the entry of its task.
  void collect(Frame&& frame, Time now);
  /// Returns the task's entry, which it creates if there is none. A new entry needs a time-out: if
  /// a late copy of a packet opened it, no worker sends the other parts unasked.
  Entry& open(Psn psn, std::uint32_t aggregator_index, Time now);
  /// Sends the entry's values as the result, with these flags, and closes the entry.
  void complete(Entries::iterator found, std::uint8_t flags, Time now);
  void send(Frame&& frame);
  /// Asks the workers that are not in `have` for their fragments.
  void request(Psn psn, const Entry& entry, const WorkerSet& have, std::uint8_t flags = 0);
  /// Like request(), but sends a separate frame to each worker.
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

  using Queue = GrowingRing<Waiting>;  // in the order of `since`

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
  // One queue per number of doublings of the time-out. An item is stale if its entry is gone or has
  // restarted its time-out. It stays in the queue until it reaches the front.
  std::vector<Queue> waiting_ = std::vector<Queue>(1);
};

}  // namespace ina
