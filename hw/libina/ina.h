/* SPDX-License-Identifier: BSD-3-Clause */
/* The all-reduce as a C library: sums arrays over the workers of a job, by SwitchML, ATP, DSA or
 * another system that the cluster file names.
 *
 * Each process is one worker. All workers of a job submit the same all-reduces (kind and count) in
 * the same order. All-reduces complete in this order, and any number may be under way. If the
 * workers differ in an all-reduce, all of them get INA_MISMATCH for it, and later all-reduces are
 * not affected. An all-reduce that one of the workers does not submit never completes: the other
 * workers wait for it, within their time limits.
 *
 * Every function may be called by any thread at any time. If several threads submit, the caller
 * must order their submissions. ina_init() starts a thread that moves the packets. It works while
 * the caller computes, too, because other workers may need its packets. It blocks all signals. In a
 * child of fork(), every function fails, ina_rank() and ina_workers() return 0, and the child's end
 * does not affect its parent. exit() gives up all requests, as ina_finalize(0) does. It does so
 * before it destroys static objects that were constructed before the first call of ina_init().
 *
 * If the link to the switch goes down, every waiting call, with or without a limit, returns
 * INA_TROUBLE with "link down" within a second, and so does every later submission. To go on, each
 * worker of the job calls ina_finalize(0) and then ina_init_within(), which waits for the link to
 * be back. A link is down when the switch's process has ended (memif), or when the interface has no
 * carrier (af_packet, NICs). If the switch is gone but the carrier stays, the library notices after
 * about 4 s that its probes are not answered.
 *
 * Workers of a job that have joined together are in one session. If one of them starts again, the
 * session is over: the other workers get INA_TROUBLE, and ina_error() names that worker's rank. To
 * go on, they call ina_finalize(0) and then ina_init(), as after a link failure.
 *
 * Functions that can fail return an ina_status; ina_error() returns the reason. No function ends
 * the process or throws. */
#ifndef INA_H
#define INA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header; ina_version() returns the version of the library. */
#define INA_VERSION_MAJOR 0
#define INA_VERSION_MINOR 1
#define INA_VERSION_PATCH 0
#define INA_VERSION "0.1.0"

typedef enum ina_status {
  INA_OK = 0,
  INA_TROUBLE = 1,     /* environment error: no memory, no thread, link down, session over */
  INA_WRONG_INPUT = 2, /* an argument or a file: what was found, what is allowed */
  INA_TIMEOUT = 3,     /* not over in the given time */
  INA_NOT_FINITE = 4,  /* a worker submitted a NaN or an infinity; all workers get this */
  INA_OVERFLOW = 5,    /* a sum is out of range; see ina_submit_i32(); all workers get this */
  INA_MISMATCH = 6     /* workers differ in kind or count; all get this; ina_error() names them */
} ina_status;

/* An all-reduce under way. */
typedef uint64_t ina_request;

/* Joins the job as the worker on `host` of the cluster file (the one that ina-worker reads),
 * through a DPDK device such as "net_memif0,role=client,...". Returns when all workers of the job
 * have joined. Returns INA_TIMEOUT if they have not joined after 60 s; ina_error() then names the
 * missing workers. The switch may start later than the worker. A process is in at most one job.
 * Call ina_init() again only after it failed or after ina_finalize(). */
ina_status ina_init(const char* cluster_file, uint32_t host, const char* device);

/* Like ina_init(), with a limit in seconds; a negative number means no limit. */
ina_status ina_init_within(const char* cluster_file, uint32_t host, const char* device,
                           double seconds);

/* The worker's rank in its job, from 0, and the job's number of workers. Before ina_init() and
 * after ina_finalize() both return 0, and ina_error() returns the reason. */
uint32_t ina_rank(void);
uint32_t ina_workers(void);

/* Starts summing `count` values, 0 or more. `out` receives the sums. It is either `in` itself or
 * does not overlap it. Until the request has been waited for, the caller must neither change `in`
 * nor read `out`. If the request fails, the contents of `out` are unspecified.
 *
 * Integers: each sum must lie above INT32_MIN and below INT32_MAX, at every step of the addition.
 * If the final sum is outside this range, all workers get INA_OVERFLOW, under every system.
 *
 * - SwitchML: the switch's addition wraps around, so an overflow cannot be seen in the sums. The
 *   library therefore checks before it sends anything, and conservatively: the number of workers
 *   times the largest magnitude of all their values must be at most INT32_MAX - 1. A refused array
 *   may have sums that fit, for example because values cancel out.
 * - All other systems: a sum that leaves the range stays at a limit, which indicates the overflow.
 *   If a partial sum leaves the range, but the final sum lies in it, the status depends on the
 *   order of the additions: INA_OK with the right sum, or INA_OVERFLOW. */
ina_status ina_submit_i32(const int32_t* in, int32_t* out, size_t count, ina_request* request);

/* Like ina_submit_i32() without SwitchML's check, for values whose sums are known to fit. Under
 * SwitchML, sums that do not fit wrap around, with INA_OK. All workers have to submit the array in
 * this way: a worker that checks can still refuse it for all. */
ina_status ina_submit_i32_unchecked(const int32_t* in, int32_t* out, size_t count,
                                    ina_request* request);

/* Like ina_submit_i32(), for floats. They are summed as integers, with a scale that the workers
 * agree on first. It is the power of two by which the largest magnitude M of all values just fits.
 * With n workers, each sum is off by at most n^2 M 2^-30, in addition to its rounding to float, and
 * all workers get the same bits. If a worker has a NaN or an infinity, all workers get
 * INA_NOT_FINITE; ina_error() names it. If a sum is beyond FLT_MAX, all get INA_OVERFLOW. With
 * block floating point (`quantisation` in the cluster file), M is the largest magnitude in the same
 * packet, and INA_NOT_FINITE is returned only at the end, when `out` has been written in part. */
ina_status ina_submit_f32(const float* in, float* out, size_t count, ina_request* request);

/* Waits until the request is over, for at most `seconds`; a negative number means no limit. After
 * INA_TIMEOUT the request can be waited for again; after any other status it is forgotten. */
ina_status ina_wait(ina_request request, double seconds);

/* Submits an array and waits for its sums, without a limit. */
ina_status ina_allreduce_i32(const int32_t* in, int32_t* out, size_t count);
ina_status ina_allreduce_f32(const float* in, float* out, size_t count);

/* Leaves the job. Waits until all submitted requests are over and the other workers leave, too. It
 * gives up after `seconds`. A negative number means no limit; 0 gives up at once, without notifying
 * the other workers. If a worker submits an all-reduce instead of leaving, all workers get
 * INA_MISMATCH, and this one has left. After the call, whatever its status, the library does
 * not access the caller's memory any more, and all requests are forgotten. A worker that ends
 * without this call keeps the others waiting. */
ina_status ina_finalize(double seconds);

/* The library's version, such as "0.1.0", in static memory. While the major version is 0, a library
 * works only with headers of its own minor version. */
const char* ina_version(void);

/* The reason for the last failure in this thread, in one line; "" if there was none. The string is
 * valid until the next failure in this thread. */
const char* ina_error(void);

#ifdef __cplusplus
}
#endif

#endif
