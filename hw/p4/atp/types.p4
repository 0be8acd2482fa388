// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_ATP_TYPES_P4
#define INA_ATP_TYPES_P4

#include "../shared/aggregators.p4"
#include "../shared/constants.p4"
#include "../shared/delivery.p4"
#include "../shared/headers.p4"
#include "../shared/passes.p4"
#include "../shared/values.p4"

// Steps of a first pass, by the kind of frame.
const step_t STEP_GRADIENT = 2;
const step_t STEP_FLUSH = 3;      // a resend at the first level
const step_t STEP_DISCARD = 4;    // a resend at the second level
const step_t STEP_PARAMETER = 5;
const step_t STEP_REFUSE = 6;
// Steps of resubmitted packets.
const step_t STEP_BEGIN_REST = 16;
const step_t STEP_ADD_REST = 17;
// Steps of recirculated packets: three take sums along, and one ignores the packet's values.
const step_t STEP_BRING_BEGUN = 32;
const step_t STEP_BRING_SUM = 33;
const step_t STEP_BRING_TAKEN = 34;
#define ANY_WITH_SUMS STEP_BRING_BEGUN &&& 0xf0
const step_t STEP_EXPIRED = 48;

// A pass's change of its aggregator.
typedef bit<8> event_t;
const event_t EVENT_NONE = 0;
const event_t EVENT_BEGUN = 1;
const event_t EVENT_ADDED = 2;
const event_t EVENT_AGAIN = 3;
const event_t EVENT_FLUSHED = 4;
const event_t EVENT_TAKEN = 5;
const event_t EVENT_EXPIRED = 6;
const event_t EVENT_REST_STAYS = 7;
const event_t EVENT_REFUSED = 8;

// Flags that a packet gets.
const bit<8> COLLISION_FLAGS = FLAG_COLLISION | FLAG_RESEND | FLAG_SECOND_LEVEL;
const bit<8> PARTIAL_FLAGS = FLAG_PARTIAL | FLAG_SECOND_LEVEL;

struct headers_t {
    recirculated_h recirculated;
    ethernet_h ethernet;
    ipv4_h ipv4;
    atp_h atp;
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
    bit<1> second_level;      // which bitmap and degree of the header this switch uses (ATP 3.4)
    bit<32> own;              // the bits of the packet in that bitmap
    bit<8> others;            // number of other contributions to the sum
    bit<32> now;
    bit<32> expiry;           // aggregators last touched before this time may be freed
    bit<32> owner;            // the aggregator's job
    found_t found;
    bit<16> other_job;
    bit<1> same_psn;
    bit<1> expired;
    bit<32> workers_before;   // workers already in the aggregator
    bit<8> marks;             // flags that the packet gets
    bit<8> missing;           // number of contributions that the aggregator waited for, including
                              // this one
    event_t event;
    sums_t sums;
    exit_t way_out;           // 0: not to its destination
}

#endif
