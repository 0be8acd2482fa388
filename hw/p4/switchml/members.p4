// SPDX-License-Identifier: BSD-3-Clause
#ifndef INA_SWITCHML_MEMBERS_P4
#define INA_SWITCHML_MEMBERS_P4

#include "../shared/constants.p4"
#include "slots.p4"

// Admits updates at the port of their sender, a worker of the job or a leaf below its root, for a
// slot of the job's pool. At a leaf, admits results from the root. The control plane installs one
// entry for each sender and version.
control Members(in udp_h udp, in switchml_h switchml, inout metadata_t metadata,
                in ingress_intrinsic_metadata_t intrinsic) {
    // `first` is the first slot of the pool. `room` is 0x7fff minus the last slot of the pool, in
    // the header's format with the version bit on top. The top bit of slot + room is 1 only beyond
    // the pool.
    action admit(bit<16> first, bit<16> room, bit<32> worker_bit, bit<8> others,
                 MulticastGroupId_t workers) {
        metadata.place = switchml.version_and_slot + first;
        metadata.beyond = switchml.version_and_slot + room;
        metadata.worker_bit = worker_bit;
        metadata.others = others;
        metadata.workers = workers;
    }
    action admit_at_leaf(bit<16> first, bit<16> room, bit<32> worker_bit, bit<8> others,
                         MulticastGroupId_t workers, bit<8> branch, PortId_t up) {
        admit(first, room, worker_bit, others, workers);
        metadata.is_leaf = 1;
        metadata.branch = branch;
        metadata.up = up;
    }
    action admit_result(bit<16> first, bit<16> room, bit<32> slots, MulticastGroupId_t workers) {
        admit(first, room, 0, 0, workers);
        metadata.from_root = 1;
        metadata.last = switchml.offset + slots;
    }
    action refuse() {
        metadata.beyond = 0xffff;
    }
    table members {
        key = {
            intrinsic.ingress_port: exact;
            switchml.job: exact;
            switchml.worker: exact;
            switchml.version_and_slot[15:15]: exact @name("version");
        }
        actions = {
            admit;
            admit_at_leaf;
            refuse;
        }
        const default_action = refuse;
        size = 2 * MAX_JOBS * MAX_WORKERS_PER_SWITCH;
    }
    table roots {
        key = {
            intrinsic.ingress_port: exact;
            switchml.job: exact;
            switchml.version_and_slot[15:15]: exact @name("version");
        }
        actions = {
            admit_result;
            refuse;
        }
        const default_action = refuse;
        size = 2 * MAX_JOBS;
    }
    apply {
        if (udp.destination_port == SWITCHML_RESULT_PORT) {
            roots.apply();
        } else {
            members.apply();
        }
    }
}

#endif
