// SPDX-License-Identifier: BSD-3-Clause
// Guard of an aggregator against packets that come between the two passes of another one, as in
// switch-models/programs/second_half.hpp.
#ifndef INA_SECOND_HALF_P4
#define INA_SECOND_HALF_P4

#include "aggregators.p4"
#include "passes.p4"

struct second_half_t {
    bit<32> generation;
    bit<32> contributors;
}

// Contributors to the second half of the sums. A packet joins the contributors of its own
// generation, and ends every other generation there. `before`: the contributors before the packet;
// 0 if it begins the second half.
control SecondHalf(in step_t step, in aggregator_t index, in bit<16> generation, in bit<32> own,
                   inout bit<32> before) {
    Register<second_half_t, aggregator_t>(AGGREGATORS) halves;
    RegisterAction<second_half_t, aggregator_t, bit<32>>(halves) join = {
        void apply(inout second_half_t half, out bit<32> found) {
            found = 0;
            if (half.generation == (bit<32>) generation) {
                found = half.contributors;
                half.contributors = half.contributors | own;
            } else {
                half.contributors = own;
            }
            half.generation = (bit<32>) generation;
        }
    };
    // For a packet that has taken the first half from the generation before.
    RegisterAction<second_half_t, aggregator_t, bit<32>>(halves) exchange = {
        void apply(inout second_half_t half, out bit<32> found) {
            found = 0;
            if (half.generation + 1 == (bit<32>) generation) {
                found = half.contributors;
            }
            half.contributors = own;
            half.generation = (bit<32>) generation;
        }
    };
    RegisterAction<second_half_t, aggregator_t, bit<32>>(halves) read = {
        void apply(inout second_half_t half, out bit<32> found) {
            found = 0;
            if (half.generation == (bit<32>) generation) {
                found = half.contributors;
            }
        }
    };
    action add() {
        before = join.execute(index);
    }
    action swap() {
        before = exchange.execute(index);
    }
    action look() {
        before = read.execute(index);
    }
    table contributors {
        key = {
            step: ternary;
        }
        actions = {
            add;
            swap;
            look;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            ANY_JOIN: add();
            STEP_SWAP_REST: swap();
            STEP_TAKE_REST: look();
        }
        size = 3;
    }
    apply {
        contributors.apply();
    }
}

#endif
