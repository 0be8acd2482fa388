// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_VALUES_P4
#define INA_VALUES_P4

#include "aggregators.p4"

// Operation of a pass on the sums.
typedef bit<8> sums_t;
const sums_t SUMS_LEAVE = 0;
const sums_t SUMS_BEGIN = 1;
const sums_t SUMS_ADD = 2;       // and take the new sums along
const sums_t SUMS_TAKE = 3;
const sums_t SUMS_EXCHANGE = 4;

const bit<32> HIGHEST = 0x7fffffff;
const bit<32> LOWEST = 0x80000000;
const int<32> ABOVE_LOWEST = -0x7fffffff;  // the least constant that a stateful ALU compares with

// The sums of two of a packet's values, one in each half. A sum that has reached a limit of int32
// stays there. A packet's value at a limit replaces the sum. The table detects such values, because
// the stateful ALU has no comparison left.
control Value(inout bit<32> value, in aggregator_t index, in bit<1> half, in sums_t what) {
    Register<int<32>, bit<15>>(2 * AGGREGATORS) sums;
    RegisterAction<int<32>, bit<15>, int<32>>(sums) write = {
        void apply(inout int<32> sum) {
            sum = (int<32>) value;
        }
    };
    RegisterAction<int<32>, bit<15>, int<32>>(sums) add = {
        void apply(inout int<32> sum, out int<32> result) {
            if (sum != (int<32>) HIGHEST && sum >= ABOVE_LOWEST) {
                sum = sum |+| (int<32>) value;
            }
            result = sum;
        }
    };
    RegisterAction<int<32>, bit<15>, int<32>>(sums) read = {
        void apply(inout int<32> sum, out int<32> result) {
            result = sum;
        }
    };
    RegisterAction<int<32>, bit<15>, int<32>>(sums) swap = {
        void apply(inout int<32> sum, out int<32> result) {
            result = sum;
            sum = (int<32>) value;
        }
    };
    action begin() {
        write.execute(index ++ half);
    }
    action accumulate() {
        value = (bit<32>) add.execute(index ++ half);
    }
    action take() {
        value = (bit<32>) read.execute(index ++ half);
    }
    action exchange() {
        value = (bit<32>) swap.execute(index ++ half);
    }
    table update {
        key = {
            what: ternary;
            value: ternary;
        }
        actions = {
            begin;
            accumulate;
            take;
            exchange;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (SUMS_ADD, HIGHEST): begin();
            (SUMS_ADD, LOWEST): begin();
            (SUMS_BEGIN, _): begin();
            (SUMS_ADD, _): accumulate();
            (SUMS_TAKE, _): take();
            (SUMS_EXCHANGE, _): exchange();
        }
        size = 6;
    }
    apply {
        update.apply();
    }
}

control Values(inout half_h values, in aggregator_t index, in bit<1> half, in sums_t what) {
#define DECLARE(N) Value() value##N;
    FOR_31_VALUES(DECLARE)
#undef DECLARE
    apply {
#define APPLY(N) value##N.apply(values.v##N, index, half, what);
        FOR_31_VALUES(APPLY)
#undef APPLY
    }
}

#endif
