// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_VALUES_P4
#define INA_SWITCHML_VALUES_P4

#include "types.p4"

// The sums of one of a packet's values.
control Value(inout bit<32> value, in metadata_t metadata) {
    Register<bit<32>, row_t>(ROWS) sums;
    RegisterAction<bit<32>, row_t, bit<32>>(sums) write = {
        void apply(inout bit<32> sum, out bit<32> result) {
            sum = value;
            result = sum;
        }
    };
    RegisterAction<bit<32>, row_t, bit<32>>(sums) add = {
        void apply(inout bit<32> sum, out bit<32> result) {
            sum = sum + value;
            result = sum;
        }
    };
    RegisterAction<bit<32>, row_t, bit<32>>(sums) read = {
        void apply(inout bit<32> sum, out bit<32> result) {
            result = sum;
        }
    };
    action begin() {
        write.execute(ROW_OF(metadata.place));
    }
    action accumulate() {
        value = add.execute(ROW_OF(metadata.place));
    }
    action harvest() {
        value = read.execute(ROW_OF(metadata.place));
    }
    table update {
        key = {
            metadata.update: ternary;
            metadata.missing: ternary;
        }
        actions = {
            begin;
            accumulate;
            harvest;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (UPDATE_NEW, 0): begin();
            (UPDATE_NEW, _): accumulate();
            (UPDATE_AGAIN, 0): harvest();
            (UPDATE_AGAIN, 1): harvest();
            (UPDATE_RESULT, 1): begin();
        }
        size = 5;
    }
    apply {
        update.apply();
    }
}

control Values(inout values_h values, in metadata_t metadata) {
#define DECLARE(N) Value() value##N;
    FOR_32_VALUES(DECLARE)
#undef DECLARE
    apply {
#define APPLY(N) value##N.apply(values.v##N, metadata);
        FOR_32_VALUES(APPLY)
#undef APPLY
    }
}

#endif
