// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_ATP_TYPES_P4
#define INA_ATP_TYPES_P4

#include "../shared/aggregators.p4"
#include "../shared/constants.p4"
#include "../shared/delivery.p4"
#include "../shared/headers.p4"
#include "../shared/passes.p4"
#include "../shared/second_half.p4"
#include "../shared/values.p4"

// Steps of a first pass, by the kind of frame.
const step_t STEP_GRADIENT = 2;
const step_t STEP_FLUSH = 3;      // a resend at the first level
const step_t STEP_DISCARD = 4;    // a resend at the second level
const step_t STEP_PARAMETER = 5;
const step_t STEP_REFUSE = 6;
// A pass's effect on its aggregator.
typedef bit<8> event_t;
const event_t EVENT_NONE = 0;
const event_t EVENT_BEGUN = 1;
const event_t EVENT_ADDED = 2;
const event_t EVENT_AGAIN = 3;
const event_t EVENT_FLUSHED = 4;
const event_t EVENT_EXPIRED = 5;
const event_t EVENT_JOINED = 6;    // the packet has added to the second half, or found itself there
const event_t EVENT_FETCHED = 7;
const event_t EVENT_REFUSED = 8;

// Flags that a packet gets.
const bit<8> COLLISION_FLAGS = FLAG_COLLISION | FLAG_RESEND | FLAG_SECOND_LEVEL;
const bit<8> PARTIAL_FLAGS = FLAG_PARTIAL | FLAG_SECOND_LEVEL;

struct headers_t {
    carry_h carry;
    ethernet_h ethernet;
    ipv4_h ipv4;
    atp_h atp;
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
    bit<1> second_level;      // which bitmap and degree of the header this switch uses (ATP 3.4)
    bit<32> own;              // the bits of the packet in that bitmap
    bit<8> others;            // number of other contributions to the sum
    bit<32> expected;         // contributors that the sum must have next to this one
    bit<32> now;
    bit<32> expiry;           // aggregators last touched before this time may be freed
    bit<32> owner;            // the aggregator's job
    found_t found;
    bit<16> other_job;        // 0: the aggregator's job is the packet's
    bit<32> psn_ahead;        // the PSN of the aggregator's task, less the packet's
    bit<1> expired;
    bit<16> generation;
    bit<1> is_present;        // whether the generation is still the packet's
    bit<32> workers_before;   // contributors to the half
    bit<32> unlike;           // differences between expected contributors and workers_before
    bit<8> marks;             // flags that the packet gets
    bit<8> missing;           // number of contributions that the first half waited for, including
                              // this one
    event_t event;
    sums_t sums;
    exit_t way_out;           // 0: not to its destination
    PortId_t way_back;        // port of a recirculated packet
}

#endif
