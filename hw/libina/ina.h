/* SPDX-License-Identifier: BSD-3-Clause */
/* The all-reduce as a C library: sums of arrays over the workers of a job, made by SwitchML, ATP or
 * DSA, whichever the cluster file says.
 *
 * A process is one worker. All workers of a job submit the same all-reduces (kind and count) in the
 * same order, in which they complete; any number may be under way. Where they differ, all workers
 * get INA_MISMATCH for this one, and the next are not concerned. One that a worker does not submit
 * does not complete: the others wait for it, within their limits.
 *
 * Every function may be called by any thread at any time; where several threads submit, their order
 * is the caller's to settle. A thread of the library, which ina_init() starts, moves the packets:
 * also while the caller computes, for others may need this worker. It has all signals blocked. In a
 * child that fork() made every function fails, ina_rank() and ina_workers() return 0, and its end
 * does not concern its parent. exit() gives up what is under way, as ina_finalize(0) does, before
 * objects are destroyed that were there before ina_init().
 *
 * If the link to the switch goes down, every call that waits, with a limit or without one, returns
 * INA_TROUBLE with "link down" within a second, and so does every later submission. To go on, each
 * worker of the job calls ina_finalize(0), then ina_init_within(), which waits for the link to be
 * back. A link is down when the switch's process has ended (memif), or when the interface has no
 * carrier (af_packet, NICs). If the switch is gone and the carrier stays, the library notices after
 * about 4 s that its probes are not answered.
 *
 * A program is a session of its job. If a worker of it starts again, the session is over: the other
 * workers get INA_TROUBLE, with its rank, and go on in the same way, by ina_finalize(0) and
 * ina_init().
 *
 * Functions that can fail return an ina_status; ina_error() tells the reason. None ends the process
 * and none throws. */
#ifndef INA_H
#define INA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header; ina_version() is that of the library. */
#define INA_VERSION_MAJOR 0
#define INA_VERSION_MINOR 1
#define INA_VERSION_PATCH 0
#define INA_VERSION "0.1.0"

typedef enum ina_status {
  INA_OK = 0,
  INA_TROUBLE = 1,     /* of the machine: no memory, no thread, link down */
  INA_WRONG_INPUT = 2, /* an argument or a file: what was found, what is allowed */
  INA_TIMEOUT = 3,     /* not over in the given time */
  INA_NOT_FINITE = 4,  /* a worker has a NaN or an infinity; all workers get this */
  INA_OVERFLOW = 5,    /* a sum is out of range; see ina_submit_i32(); all workers get this */
  INA_MISMATCH = 6     /* workers differ in kind or count; all get this, with their ranks */
} ina_status;

/* An all-reduce under way. */
typedef uint64_t ina_request;

/* Joins the job, as the worker on `host` of the cluster file that ina-worker takes too, by a DPDK
 * device such as "net_memif0,role=client,...". Returns when all workers of the job have joined, or
 * INA_TIMEOUT if they have not after 60 s; ina_error() then names those that are missing. The switch
 * may start after the worker.
 * A process is in one job at a time: ina_init() may be called again after it failed, and after
 * ina_finalize(). */
ina_status ina_init(const char* cluster_file, uint32_t host, const char* device);

/* The same, within `seconds`; a negative number: as long as it takes. */
ina_status ina_init_within(const char* cluster_file, uint32_t host, const char* device,
                           double seconds);

/* The worker's rank in its job, from 0, and how many workers that has. Before ina_init() and after
 * ina_finalize() both are 0, and ina_error() says so. */
uint32_t ina_rank(void);
uint32_t ina_workers(void);

/* Starts summing `count` values, 0 or more. `out` gets the sums; it may be `in`, or has nothing in
 * common with it. Both are the library's until the request was waited for: the caller neither
 * changes `in` nor reads `out`, which is unspecified if that fails.
 *
 * Integers: each sum must lie above INT32_MIN and below INT32_MAX, at every step of the addition.
 * If one does not when all values are added, all workers get INA_OVERFLOW, under every system.
 *
 * - SwitchML: the switch's addition wraps around, so that nobody sees an overflow in the sums. The
 *   check comes before anything is sent, and is conservative: the number of workers times the
 *   largest magnitude of all their values must be at most INT32_MAX - 1. An array that is refused
 *   may have sums that fit, for example because values cancel out.
 * - All other systems: a sum that leaves the range stays at a limit, which tells. If only sums of
 *   some workers' values leave it, and the sum of all does not, the status depends on the order of
 *   the additions: INA_OK with the right sum, or INA_OVERFLOW. */
ina_status ina_submit_i32(const int32_t* in, int32_t* out, size_t count, ina_request* request);

/* The same without SwitchML's check, for values that are known to have sums that fit. Sums that do
 * not wrap around, with INA_OK. All workers have to submit the array so: one that checks can still
 * refuse it for all. */
ina_status ina_submit_i32_unchecked(const int32_t* in, int32_t* out, size_t count,
                                    ina_request* request);

/* The same for floats, which are summed as integers of a scale that the workers agree on first: the
 * power of two for which the largest magnitude M of all their values just fits. Of n workers, each
 * sum is off by at most n^2 M 2^-30, beside its rounding to float, and all workers get the same
 * bits. If a value of a worker is a NaN or an infinity, all workers get INA_NOT_FINITE, with its
 * rank. If a sum is beyond FLT_MAX, all workers get INA_OVERFLOW. With block floating point (the
 * cluster file's `quantisation`) M is the largest magnitude of the fragment, and INA_NOT_FINITE
 * comes at the end, when `out` has been written in part. */
ina_status ina_submit_f32(const float* in, float* out, size_t count, ina_request* request);

/* Waits until the request is over, for `seconds` at most; a negative number: as long as it
 * takes. After INA_TIMEOUT it can be waited for again, after anything else it is forgotten. */
ina_status ina_wait(ina_request request, double seconds);

/* Submits, and waits as long as it takes. */
ina_status ina_allreduce_i32(const int32_t* in, int32_t* out, size_t count);
ina_status ina_allreduce_f32(const float* in, float* out, size_t count);

/* Leaves the job: waits until all that was submitted is over, and until the other workers leave
 * too, for `seconds` at most (negative: as long as it takes; 0: gives up at once, without
 * telling the others), and gives up what is not over. If others submit an all-reduce instead, all
 * get INA_MISMATCH, and this worker has left. On return, whatever the status, the library touches
 * no memory of the caller any more, and all requests are forgotten. A worker that ends without this
 * keeps the others waiting. */
ina_status ina_finalize(double seconds);

/* The library's version, such as "0.1.0": static memory. While the major version is 0, a library
 * works with headers of its own minor version. */
const char* ina_version(void);

/* Why the last function that failed in this thread did so: one line, good until the next failure in
 * this thread. "" if none did. */
const char* ina_error(void);

#ifdef __cplusplus
}
#endif

#endif
