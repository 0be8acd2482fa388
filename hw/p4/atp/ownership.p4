// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_ATP_OWNERSHIP_P4
#define INA_ATP_OWNERSHIP_P4

#include "../shared/constants.p4"
#include "types.p4"

// 100 ms, in the units of metadata.now.
const bit<32> AGGREGATOR_EXPIRY = 1526;

// The owners of aggregators. The table of members also selects the action on the task. The control
// plane installs what the members of a job send: each at its own port, in its own name, with its
// own bit, path of aggregation, and an index within the aggregators.
control Ownership(in headers_t headers, inout metadata_t metadata,
                  in ingress_intrinsic_metadata_t intrinsic) {
    Register<task_t, aggregator_t>(AGGREGATORS, {0, NOBODY}) tasks;
    RegisterAction<task_t, aggregator_t, bit<32>>(tasks) take = {
        void apply(inout task_t task, out bit<32> owner) {
            owner = task.job;
            if (task.job == NOBODY) {
                task.job = (bit<32>) headers.atp.job;
                task.psn = headers.atp.psn;
            }
        }
    };
    RegisterAction<task_t, aggregator_t, bit<32>>(tasks) free = {
        void apply(inout task_t task, out bit<32> owner) {
            owner = task.job;
            if (task.job == (bit<32>) headers.atp.job && task.psn == headers.atp.psn) {
                task.job = NOBODY;
            }
        }
    };

    action contribute(bit<8> others, bit<32> expected) {
        metadata.step = STEP_GRADIENT;
        metadata.others = others;
        metadata.expected = expected;
        metadata.marks = headers.atp.flags & FLAG_ECN;
        metadata.owner = take.execute(AGGREGATOR(headers.atp));
    }
    // A resend never reserves an aggregator (Figure 16); `step` is its action on its own one.
    action resend(step_t step) {
        metadata.step = step;
        metadata.owner = free.execute(AGGREGATOR(headers.atp));
    }
    action bring_parameters() {
        metadata.step = STEP_PARAMETER;
        metadata.owner = free.execute(AGGREGATOR(headers.atp));
    }
    action pass_through() {
        metadata.step = STEP_THROUGH;
    }
    action refuse() {
        metadata.step = STEP_REFUSE;
    }
    table members {
        key = {
            intrinsic.ingress_port: ternary;
            headers.atp.kind: ternary;
            headers.atp.flags: ternary;
            headers.atp.job: ternary;
            headers.atp.worker: ternary;
            metadata.own: ternary;
            headers.atp.fan_in_degree0: ternary;
            headers.atp.fan_in_degree1: ternary;
            BEYOND_AGGREGATORS(headers.atp): ternary @name("beyond");
        }
        actions = {
            contribute;
            resend;
            bring_parameters;
            pass_through;
            refuse;
        }
        const default_action = refuse;
        size = 2048;
    }
    // The packet's header names the task that was found expired.
    action free_expired() {
        free.execute(AGGREGATOR(headers.atp));
    }
    action join_first_level() {
        metadata.own = headers.atp.bitmap0;
    }
    action join_second_level() {
        metadata.own = headers.atp.bitmap1;
        metadata.second_level = 1;
    }
    table further_passes {
        key = {
            metadata.step: ternary;
            headers.atp.flags: ternary;
        }
        actions = {
            free_expired;
            join_first_level;
            join_second_level;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_EXPIRED, _): free_expired();
            (STEP_THROUGH, _): NoAction();
            (_, FLAG_SECOND_LEVEL &&& FLAG_SECOND_LEVEL): join_second_level();
            (_, _): join_first_level();
        }
        size = 4;
    }
    apply {
        if (metadata.step == STEP_FIRST) {
            members.apply();
        } else {
            further_passes.apply();
        }
    }
}

// A copy of the PSN, because an action on the task has no third comparison.
control OwnPsn(in headers_t headers, inout metadata_t metadata) {
    Register<bit<32>, aggregator_t>(AGGREGATORS) psns;
    RegisterAction<bit<32>, aggregator_t, bit<32>>(psns) write = {
        void apply(inout bit<32> psn) {
            psn = headers.atp.psn;
        }
    };
    RegisterAction<bit<32>, aggregator_t, bit<32>>(psns) compare = {
        void apply(inout bit<32> psn, out bit<32> ahead) {
            ahead = psn - headers.atp.psn;
        }
    };
    action begin() {
        metadata.found = FOUND_EMPTY;
        write.execute(AGGREGATOR(headers.atp));
    }
    action find_none() {
        metadata.found = FOUND_EMPTY;
    }
    action look() {
        metadata.found = FOUND_TASK;
        metadata.other_job = metadata.owner[15:0] ^ headers.atp.job;
        metadata.psn_ahead = compare.execute(AGGREGATOR(headers.atp));
    }
    table psn_of_task {
        key = {
            metadata.step: ternary;
            metadata.owner: ternary;
        }
        actions = {
            begin;
            find_none;
            look;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, NOBODY): begin();
            (STEP_GRADIENT, _): look();
            (STEP_FLUSH, NOBODY): find_none();
            (STEP_FLUSH, _): look();
            (STEP_PARAMETER, NOBODY): find_none();
            (STEP_PARAMETER, _): look();
        }
        size = 6;
    }
    apply {
        psn_of_task.apply();
    }
}

// The time at which a task last touched its aggregator. A parameter packet that finds an aggregator
// untouched for long frees it.
control Expiry(in headers_t headers, inout metadata_t metadata) {
    Register<bit<32>, aggregator_t>(AGGREGATORS) stamps;
    RegisterAction<bit<32>, aggregator_t, bit<32>>(stamps) write = {
        void apply(inout bit<32> stamp) {
            stamp = metadata.now;
        }
    };
    RegisterAction<bit<32>, aggregator_t, bit<1>>(stamps) compare = {
        void apply(inout bit<32> stamp, out bit<1> expired) {
            expired = 0;
            if (stamp < metadata.expiry) {
                expired = 1;
            }
        }
    };
    action touch() {
        write.execute(AGGREGATOR(headers.atp));
    }
    action look() {
        metadata.expired = compare.execute(AGGREGATOR(headers.atp));
    }
    table last_touch {
        key = {
            metadata.step: ternary;
            metadata.found: ternary;
            metadata.other_job: ternary;
            metadata.psn_ahead: ternary;
        }
        actions = {
            touch;
            look;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, FOUND_EMPTY, _, _): touch();
            (STEP_GRADIENT, OWN): touch();
            (STEP_PARAMETER, OWN): NoAction();
            (STEP_PARAMETER, FOUND_TASK, _, _): look();
        }
        size = 4;
    }
    apply {
        last_touch.apply();
    }
}

#endif
