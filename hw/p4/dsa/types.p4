// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_TYPES_P4
#define INA_DSA_TYPES_P4

#include "../shared/aggregators.p4"
#include "../shared/delivery.p4"
#include "../shared/headers.p4"
#include "../shared/passes.p4"
#include "../shared/second_half.p4"
#include "../shared/values.p4"

// Steps of a first pass, by the kind of frame.
const step_t STEP_RESULT = 2;
const step_t STEP_REMINDER = 3;
const step_t STEP_GRADIENT = 4;
const step_t STEP_RETRANSMISSION = 5;
const step_t STEP_SWAP = 6;            // a resubmitted gradient, which preempts
const step_t STEP_ALONE = 8;           // the job has only this contribution at this switch
const step_t STEP_REFUSE = 9;
#define ANY_CONTRIBUTION STEP_GRADIENT &&& 0xfc

// Ways in which a packet leaves a pass, in addition to those of delivery.p4.
const exit_t EXIT_DROP = 0;
const exit_t EXIT_REST = 1;            // to its second pass, without sums
const exit_t EXIT_RESUBMIT = 2;
const exit_t EXIT_RECIRCULATE = 3;
const exit_t EXIT_EVICTED = 4;         // as EXIT_RECIRCULATE, with the sums of another task
const exit_t EXIT_COMPLETE = 10;       // this one and the next ones go to their destination
const exit_t EXIT_COLLIDED = 11;
const exit_t EXIT_SWAPPED = 12;
const exit_t EXIT_FETCHED = 13;

// Marks of a contribution that concern every worker: congestion and retransmission.
#define MARKS(HEADER) HEADER.flags & (FLAG_ECN | FLAG_RESEND)

struct headers_t {
    carry_h carry;
    ethernet_h ethernet;
    ipv4_h ipv4;
    dsa_h dsa;
    half_h done;     // in a second pass: the first half
    half_h values;
}

// All metadata is 0 before the parser.
@pa_auto_init_metadata
struct metadata_t {
    carry_h came;             // from the previous pass
    bool corrupt;
    bit<3> is_registration;   // 1: a registration message; has the bits of drop_ctl
    step_t step;
    bit<1> half;              // half of the packet's values that this pass brings to the registers
    bit<32> expected;         // contributors that a half must have next to this one: all others of
                              // this switch, workers or branches; of a partial sum, those in the
                              // first half
    bit<32> owner;            // the aggregator's job
    found_t found;
    bit<16> other_job;        // 0: the aggregator's job is the packet's
    bit<32> psn_ahead;        // the PSN of the aggregator's task, less the packet's
    bit<16> contest;          // 1: the packet preempts; in a swap, the priority of the evicted task
    bit<16> generation;
    bit<1> is_present;        // whether the generation is still the packet's
    bit<8> swapped;           // whether the task has taken the aggregator from another one
    bit<32> workers_before;   // contributors to the half; in a first pass, 0 means all others
    bit<32> unlike;           // differences between expected contributors and workers_before
    bit<8> marks;             // of the packet, or of all contributions
    sums_t sums;
    exit_t way_out;
    PortId_t way_back;        // port of a recirculated packet
    step_t next;
}

#endif
