// SPDX-License-Identifier: BSD-3-Clause
// The state that a packet of ATP or DSA carries from one pass to the next. A packet that stays in the switch
// is resubmitted as it came in; one that takes sums along is recirculated.
#ifndef INA_PASSES_P4
#define INA_PASSES_P4

#include "recirculation.p4"

// The operation of a pass. Each program defines its own steps of first passes.
typedef bit<8> step_t;
const step_t STEP_THROUGH = 0;  // the frame needs no aggregator
const step_t STEP_FIRST = 1;
// Passes that add to the second half of the sums.
const step_t STEP_REST = 16;
const step_t STEP_COMPLETE = 17;     // the packet has the complete first half
const step_t STEP_FLUSH_REST = 18;   // ATP: the packet has the first half, complete or not
#define ANY_JOIN STEP_REST &&& 0xfc
// The packet has the complete second half, and fetches the first one.
const step_t STEP_FETCH_FIRST = 20;
const step_t STEP_SWAP_REST = 21;    // DSA
const step_t STEP_TAKE_REST = 22;    // DSA
const step_t STEP_EXPIRED = 23;      // ATP

// In front of a recirculated frame, and the 64 bits that Tofino 1 preserves across a resubmission.
header carry_h {
    step_t step;
    bit<8> marks;
    bit<16> generation;   // of the packet's aggregator
    bit<32> expected;     // contributors that the other half must have
}

const bit<3> RESUBMIT = 1;

#endif
