// SPDX-License-Identifier: BSD-3-Clause
// Further passes of ATP's and DSA's packets: what the one before leaves for the next. A packet that
// stays in the switch is resubmitted, as it came in; one that takes sums along is recirculated.
#ifndef INA_PASSES_P4
#define INA_PASSES_P4

#include "recirculation.p4"

// What a pass has to do; each program has its own.
typedef bit<8> step_t;
const step_t STEP_THROUGH = 0;  // no aggregator has to do with the frame
const step_t STEP_FIRST = 1;

// In front of a recirculated frame.
header recirculated_h {
    step_t step;
}

// Fills the 64 bits that Tofino 1 takes along.
header resubmitted_h {
    step_t step;
    bit<56> unused;
}

const bit<3> RESUBMIT = 1;

#endif
