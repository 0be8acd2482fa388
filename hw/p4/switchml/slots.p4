// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_SLOTS_P4
#define INA_SWITCHML_SLOTS_P4

#include "../shared/for_each_value.p4"
#include "../shared/headers.p4"

// Pairs of slots of all jobs: the largest power of two for which 32 arrays of values fit. Each
// program defines SLOT_BITS.
const int SLOTS = 1 << SLOT_BITS;
typedef bit<SLOT_BITS> slot_t;
// A slot in one of its two versions.
const int ROWS = 2 * SLOTS;
typedef bit<(SLOT_BITS + 1)> row_t;
#define SLOT_OF(PLACE) PLACE[SLOT_BITS - 1:0]
#define ROW_OF(PLACE) PLACE[15:15] ++ PLACE[SLOT_BITS - 1:0]

// The values of a packet, one for each array.
#define DECLARE(N) bit<32> v##N;
header values_h {
    FOR_32_VALUES(DECLARE)
}
#undef DECLARE

// An update's effect on its slot.
typedef bit<8> update_t;
const update_t UPDATE_NONE = 0;     // a copy that the network delayed, or not from a member
const update_t UPDATE_NEW = 1;
const update_t UPDATE_AGAIN = 2;    // from a worker that is in the sum already
const update_t UPDATE_HARVEST = 3;  // the second pass of a packet with 64 values
const update_t UPDATE_RESULT = 4;   // from the root, at a leaf

// All metadata is 0 before the parser.
@pa_auto_init_metadata
struct metadata_t {
    bool corrupt;
    bit<3> is_registration;  // 1: a registration message; has the bits of drop_ctl
    bit<16> place;        // index among the slots of all jobs, with the version bit on top
    bit<16> beyond;       // top bit: the slot is not in the job's pool
    bit<32> worker_bit;   // 0 for a result
    bit<8> others;        // number of other updates that the slot waits for; at a leaf the result
                          // counts too
    MulticastGroupId_t workers;
    bit<1> is_leaf;
    bit<8> branch;        // branch of a leaf
    PortId_t up;          // port from a leaf to the root
    PortId_t way_back;    // 64 values: port of a recirculated packet
    bit<1> from_root;
    bit<32> last;         // the latest fragment for which the slot still needs a result
    bit<1> behind;        // the slot has advanced to a later fragment
    bit<32> seen_before;
    update_t update;
    bit<8> missing;       // number of updates that the slot waited for; 0: it has none, or all
}

#endif
