// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML64_VALUES_P4
#define INA_SWITCHML64_VALUES_P4

#include "types.p4"

struct pair_t {
    bit<32> low;
    bit<32> high;
}

// The sums of one of a packet's values and of the value 32 positions later. An action returns one
// of them.
control Value(inout bit<32> low, inout bit<32> high, in metadata_t metadata) {
    Register<pair_t, row_t>(ROWS) sums;
    RegisterAction<pair_t, row_t, bit<32>>(sums) write = {
        void apply(inout pair_t sum) {
            sum.low = low;
            sum.high = high;
        }
    };
    RegisterAction<pair_t, row_t, bit<32>>(sums) add = {
        void apply(inout pair_t sum, out bit<32> result) {
            sum.low = sum.low + low;
            sum.high = sum.high + high;
            result = sum.low;
        }
    };
    RegisterAction<pair_t, row_t, bit<32>>(sums) read_low = {
        void apply(inout pair_t sum, out bit<32> result) {
            result = sum.low;
        }
    };
    RegisterAction<pair_t, row_t, bit<32>>(sums) read_high = {
        void apply(inout pair_t sum, out bit<32> result) {
            result = sum.high;
        }
    };
    action begin() {
        write.execute(ROW_OF(metadata.place));
    }
    action accumulate() {
        low = add.execute(ROW_OF(metadata.place));
    }
    action harvest_low() {
        low = read_low.execute(ROW_OF(metadata.place));
    }
    action harvest_high() {
        high = read_high.execute(ROW_OF(metadata.place));
    }
    table update {
        key = {
            metadata.update: ternary;
            metadata.missing: ternary;
        }
        actions = {
            begin;
            accumulate;
            harvest_low;
            harvest_high;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (UPDATE_NEW, 0): begin();
            (UPDATE_NEW, _): accumulate();
            (UPDATE_AGAIN, 0): harvest_low();
            (UPDATE_AGAIN, 1): harvest_low();
            (UPDATE_RESULT, 1): begin();
            (UPDATE_HARVEST, _): harvest_high();
        }
        size = 6;
    }
    apply {
        update.apply();
    }
}

control Values(inout values_h low, inout values_h high, in metadata_t metadata) {
#define DECLARE(N) Value() value##N;
    FOR_32_VALUES(DECLARE)
#undef DECLARE
    apply {
#define APPLY(N) value##N.apply(low.v##N, high.v##N, metadata);
        FOR_32_VALUES(APPLY)
#undef APPLY
    }
}

#endif
