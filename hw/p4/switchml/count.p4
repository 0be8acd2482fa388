// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_COUNT_P4
#define INA_SWITCHML_COUNT_P4

#include "../shared/bit_match.p4"
#include "slots.p4"

// The number of contributions that each slot still waits for. A slot's first contribution sets it
// to the number of the others. A result is therefore complete at 0, and a job needs two workers. A
// leaf counts the root's result as one more, so its own sum is complete at 1.
control Count(inout metadata_t metadata) {
    Register<bit<8>, row_t>(ROWS, 0) missing;
    RegisterAction<bit<8>, row_t, bit<8>>(missing) step = {
        void apply(inout bit<8> count, out bit<8> before) {
            before = count;
            if (count == 0) {
                count = metadata.others;
            } else {
                count = count - 1;
            }
        }
    };
    RegisterAction<bit<8>, row_t, bit<8>>(missing) read = {
        void apply(inout bit<8> count, out bit<8> before) {
            before = count;
        }
    };
    RegisterAction<bit<8>, row_t, bit<8>>(missing) finish = {
        void apply(inout bit<8> count, out bit<8> before) {
            before = count;
            if (count == 1) {
                count = 0;
            }
        }
    };
    action contribute() {
        metadata.update = UPDATE_NEW;
        metadata.missing = step.execute(ROW_OF(metadata.place));
    }
    action ask_again() {
        metadata.update = UPDATE_AGAIN;
        metadata.missing = read.execute(ROW_OF(metadata.place));
    }
    action take_result() {
        metadata.update = UPDATE_RESULT;
        metadata.missing = finish.execute(ROW_OF(metadata.place));
    }
    action come_late() {
        metadata.update = UPDATE_NONE;
    }
#define AGAIN(BIT) (BOTH_HAVE(BIT), _, _): ask_again();
    table again {
        key = {
            metadata.worker_bit: ternary;
            metadata.seen_before: ternary;
            metadata.behind: ternary;
            metadata.from_root: ternary;
        }
        actions = {
            contribute;
            ask_again;
            take_result;
            come_late;
        }
        const entries = {
            FOR_EACH_WORKER_BIT(AGAIN)
            (_, _, 1, _): come_late();
            (_, _, _, 1): take_result();
            (_, _, _, _): contribute();
        }
        size = 35;
    }
#undef AGAIN
    apply {
        again.apply();
    }
}

#endif
