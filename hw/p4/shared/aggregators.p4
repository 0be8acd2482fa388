// SPDX-License-Identifier: BSD-3-Clause
// Aggregators of ATP and DSA. A packet's 62 values come to the value registers in two passes.
#ifndef INA_AGGREGATORS_P4
#define INA_AGGREGATORS_P4

#include "for_each_value.p4"

// What 31 arrays of two cells each leave room for, and a power of two.
const int AGGREGATORS = 16384;
typedef bit<14> aggregator_t;
#define AGGREGATOR(HEADER) HEADER.aggregator_index[13:0]
#define BEYOND_AGGREGATORS(HEADER) HEADER.aggregator_index[31:14]

#define DECLARE(N) bit<32> v##N;
header half_h {
    FOR_31_VALUES(DECLARE)
}
#undef DECLARE
const bit<32> HALF_BITS = 31 * 32;

// Whose an aggregator is, <job, PSN>.
struct task_t {
    bit<32> psn;
    bit<32> job;
}
// No job: none has more than 8 bits. A stateful ALU compares with no constant of 32 bits.
const bit<32> NOBODY = 0x1ffff;

// What a packet found in its aggregator. That a task is its own takes two more comparisons: of the
// job, by their difference, and of the PSN.
typedef bit<8> found_t;
const found_t FOUND_NOTHING = 0;
const found_t FOUND_EMPTY = 1;
const found_t FOUND_TASK = 2;
#define OWN FOUND_TASK, 0, 1

#endif
