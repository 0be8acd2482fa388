// SPDX-License-Identifier: BSD-3-Clause
// Aggregators of ATP and DSA. A packet takes two passes to bring its 62 values to the value
// registers.
#ifndef INA_AGGREGATORS_P4
#define INA_AGGREGATORS_P4

#include "for_each_value.p4"

// The largest power of two for which 31 arrays of two cells each fit.
const int AGGREGATORS = 16384;
typedef bit<14> aggregator_t;
#define AGGREGATOR(HEADER) HEADER.aggregator_index[13:0]
#define BEYOND_AGGREGATORS(HEADER) HEADER.aggregator_index[31:14]

#define DECLARE(N) bit<32> v##N;
header half_h {
    FOR_31_VALUES(DECLARE)
}
#undef DECLARE

// The owner of an aggregator, <job, PSN>.
struct task_t {
    bit<32> psn;
    bit<32> job;
}
// Not a valid job: jobs have at most 8 bits. The value has less than 32 bits because a stateful ALU
// cannot compare with a constant of 32 bits.
const bit<32> NOBODY = 0x1ffff;

// Contents of the aggregator that a packet found. A found task is the packet's own if the jobs and
// the PSNs do not differ.
typedef bit<8> found_t;
const found_t FOUND_NOTHING = 0;
const found_t FOUND_EMPTY = 1;
const found_t FOUND_TASK = 2;
#define OWN FOUND_TASK, 0, 0

#endif
