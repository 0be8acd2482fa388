// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_DSA_OWNERSHIP_P4
#define INA_DSA_OWNERSHIP_P4

#include "../shared/constants.p4"
#include "types.p4"

// The owners of aggregators. The table of members also selects the action on the task. The control
// plane installs what the members of a job send: each at its own port, in its own name, with its
// own bit, path of aggregation, and an index within the aggregators. At the root of a tree the
// leaves are members, for the frames that they have admitted.
control Ownership(inout headers_t headers, inout metadata_t metadata,
                  in ingress_intrinsic_metadata_t intrinsic) {
    Register<task_t, aggregator_t>(AGGREGATORS, {0, NOBODY}) tasks;
    RegisterAction<task_t, aggregator_t, bit<32>>(tasks) take = {
        void apply(inout task_t task, out bit<32> owner) {
            owner = task.job;
            if (task.job == NOBODY) {
                task.job = (bit<32>) headers.dsa.job;
                task.psn = headers.dsa.psn;
            }
        }
    };
    RegisterAction<task_t, aggregator_t, bit<32>>(tasks) read = {
        void apply(inout task_t task, out bit<32> owner) {
            owner = task.job;
        }
    };
    RegisterAction<task_t, aggregator_t, bit<32>>(tasks) free = {
        void apply(inout task_t task, out bit<32> owner) {
            owner = task.job;
            if (task.job == (bit<32>) headers.dsa.job && task.psn == headers.dsa.psn) {
                task.job = NOBODY;
            }
        }
    };
    RegisterAction<task_t, aggregator_t, bit<32>>(tasks) swap = {
        void apply(inout task_t task, out bit<32> owner) {
            owner = task.job;
            if (task.job != NOBODY) {
                task.job = (bit<32>) headers.dsa.job;
                task.psn = headers.dsa.psn;
            }
        }
    };

    action contribute(bit<32> others) {
        metadata.step = STEP_GRADIENT;
        metadata.expected = others;
        metadata.marks = MARKS(headers.dsa);
        metadata.owner = take.execute(AGGREGATOR(headers.dsa));
    }
    // Reserves no aggregator: its task may be complete, and then no packet would free it.
    action contribute_again(bit<32> others) {
        metadata.step = STEP_RETRANSMISSION;
        metadata.expected = others;
        metadata.marks = MARKS(headers.dsa);
        metadata.owner = read.execute(AGGREGATOR(headers.dsa));
    }
    action contribute_alone() {
        metadata.step = STEP_ALONE;
        metadata.owner = (bit<32>) headers.dsa.job;
    }
    // The server has completed the task, so the switch holds only a copy.
    action bring_result() {
        metadata.step = STEP_RESULT;
        free.execute(AGGREGATOR(headers.dsa));
    }
    action fetch_and_free() {
        metadata.step = STEP_REMINDER;
        metadata.owner = free.execute(AGGREGATOR(headers.dsa));
    }
    // A leaf answers in place of the worker to which the reminder is addressed.
    action fetch_at_leaf() {
        fetch_and_free();
        bit<48> mac = headers.ethernet.source;
        headers.ethernet.source = headers.ethernet.destination;
        headers.ethernet.destination = mac;
        bit<32> ip = headers.ipv4.source;
        headers.ipv4.source = headers.ipv4.destination;
        headers.ipv4.destination = ip;
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
            headers.dsa.kind: ternary;
            headers.dsa.flags: ternary;
            headers.dsa.job: ternary;
            headers.dsa.worker: ternary;
            headers.dsa.bitmap0: ternary;
            headers.dsa.fan_in_degree0: ternary;
            headers.dsa.fan_in_degree1: ternary;
            headers.dsa.branch: ternary;
            headers.ethernet.destination[15:0]: ternary @name("destination");
            BEYOND_AGGREGATORS(headers.dsa): ternary @name("beyond");
        }
        actions = {
            contribute;
            contribute_again;
            contribute_alone;
            bring_result;
            fetch_and_free;
            fetch_at_leaf;
            pass_through;
            refuse;
        }
        const default_action = refuse;
        size = 2048;
    }

    action free_complete() {
        metadata.owner = (bit<32>) headers.dsa.job;
        free.execute(AGGREGATOR(headers.dsa));
    }
    // In a free aggregator, the packet reserves nothing: its task may be complete.
    action take_over() {
        metadata.owner = swap.execute(AGGREGATOR(headers.dsa));
    }
    action name_owner() {
        metadata.owner = (bit<32>) headers.dsa.job;
    }
    table further_passes {
        key = {
            metadata.step: exact;
        }
        actions = {
            free_complete;
            take_over;
            name_owner;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            STEP_COMPLETE: free_complete();
            STEP_FETCH_FIRST: free_complete();
            STEP_SWAP: take_over();
            STEP_TAKE_REST: name_owner();
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
    RegisterAction<bit<32>, aggregator_t, bit<32>>(psns) exchange = {
        void apply(inout bit<32> psn, out bit<32> ahead) {
            ahead = psn - headers.dsa.psn;
            psn = headers.dsa.psn;
        }
    };
    RegisterAction<bit<32>, aggregator_t, bit<32>>(psns) compare = {
        void apply(inout bit<32> psn, out bit<32> ahead) {
            ahead = psn - headers.dsa.psn;
        }
    };
    action begin() {
        metadata.found = FOUND_EMPTY;
        exchange.execute(AGGREGATOR(headers.dsa));
    }
    action find_none() {
        metadata.found = FOUND_EMPTY;
    }
    action take_over() {
        metadata.found = FOUND_TASK;
        metadata.other_job = metadata.owner[15:0] ^ headers.dsa.job;
        metadata.psn_ahead = exchange.execute(AGGREGATOR(headers.dsa));
    }
    action look() {
        metadata.found = FOUND_TASK;
        metadata.other_job = metadata.owner[15:0] ^ headers.dsa.job;
        metadata.psn_ahead = compare.execute(AGGREGATOR(headers.dsa));
    }
    table psn_of_task {
        key = {
            metadata.step: ternary;
            metadata.owner: ternary;
        }
        actions = {
            begin;
            find_none;
            take_over;
            look;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (STEP_GRADIENT, NOBODY): begin();
            (STEP_SWAP, NOBODY): find_none();
            (STEP_SWAP, _): take_over();
            (ANY_CONTRIBUTION, _): look();
            (STEP_REMINDER, _): look();
        }
        size = 5;
    }
    apply {
        psn_of_task.apply();
    }
}

#endif
