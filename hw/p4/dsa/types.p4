// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_TYPES_P4
#define INA_DSA_TYPES_P4

#include "../shared/aggregators.p4"
#include "../shared/delivery.p4"
#include "../shared/headers.p4"
#include "../shared/passes.p4"
#include "../shared/values.p4"

// Steps of a first pass, by the kind of frame. The first two differ in one bit.
const step_t STEP_GRADIENT = 2;
const step_t STEP_RETRANSMISSION = 3;
const step_t STEP_RESULT = 4;
const step_t STEP_REMINDER = 5;
const step_t STEP_ALONE = 6;    // the job has only this contribution at this switch
const step_t STEP_REFUSE = 7;
#define ANY_CONTRIBUTION STEP_GRADIENT &&& 0xfe
// Steps of resubmitted packets.
const step_t STEP_BEGIN_REST = 16;
const step_t STEP_ADD_REST = 17;
const step_t STEP_SWAP = 18;
// Steps of recirculated packets.
const step_t STEP_COMPLETE = 32;
const step_t STEP_TAKE_REST = 33;
const step_t STEP_SWAP_REST = 34;
const step_t STEP_HAND_UP = 35;  // like STEP_COMPLETE, at a leaf

// Ways in which a packet leaves a pass, in addition to those of delivery.p4.
const exit_t EXIT_DROP = 0;
const exit_t EXIT_RESUBMIT = 1;
const exit_t EXIT_COMPLETE = 2;  // this and the next two are recirculated
const exit_t EXIT_EVICTED = 3;
const exit_t EXIT_FETCHED = 4;
const exit_t EXIT_ALONE = 10;    // this and the next one go to their destination
const exit_t EXIT_COLLIDED = 11;
#define HAS_EVERYONE(EXIT) (EXIT[2:0] == 2)

struct headers_t {
    recirculated_h recirculated;
    ethernet_h ethernet;
    ipv4_h ipv4;
    dsa_h dsa;
    half_h done;     // in a recirculated packet: the half that the previous pass finished
    half_h values;
}

// All metadata is 0 before the parser.
@pa_auto_init_metadata
struct metadata_t {
    resubmitted_h resubmitted;
    bool corrupt;
    bit<3> is_registration;   // 1: a registration message; has the bits of drop_ctl
    step_t step;
    bit<1> half;              // half of the packet's values that this pass brings to the registers
    bit<32> others;           // all contributors of this switch except this one: workers or
                              // branches
    bit<32> owner;            // the aggregator's job
    found_t found;
    bit<16> other_job;
    bit<1> same_psn;
    bit<32> evicted_psn;
    bit<1> preempts;
    bit<32> workers_before;   // workers already in the aggregator; 0: all except this one
    bit<8> marks;
    sums_t sums;
    exit_t way_out;
}

#endif
