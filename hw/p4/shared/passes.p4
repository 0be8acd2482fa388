// SPDX-License-Identifier: BSD-3-Clause
// State that a pass of ATP's or DSA's packets leaves for the next one. A packet that stays in the
// switch is resubmitted as it came in; one that takes sums along is recirculated.
#ifndef INA_PASSES_P4
#define INA_PASSES_P4

#include "recirculation.p4"

// The operation of a pass; each program defines its own.
typedef bit<8> step_t;
const step_t STEP_THROUGH = 0;  // the frame needs no aggregator
const step_t STEP_FIRST = 1;

// Header in front of a recirculated frame.
header recirculated_h {
    step_t step;
}

// Fills the 64 bits that Tofino 1 preserves across a resubmission.
header resubmitted_h {
    step_t step;
    bit<56> unused;
}

const bit<3> RESUBMIT = 1;

#endif
