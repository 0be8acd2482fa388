// SPDX-License-Identifier: BSD-3-Clause
// DSA III to VI: switch-models/programs/dsa.hpp, with the policy of the paper, for a Tofino.
#include <core.p4>
#include <tna.p4>

#include "../shared/egress.p4"
#include "../shared/registration.p4"
#include "bitmap.p4"
#include "exits.p4"
#include "generation.p4"
#include "ownership.p4"
#include "parser.p4"
#include "priority.p4"
#include "verdict.p4"

control Ingress(inout headers_t headers, inout metadata_t metadata,
                in ingress_intrinsic_metadata_t intrinsic,
                in ingress_intrinsic_metadata_from_parser_t from_parser,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    Ownership() ownership;
    OwnPsn() own_psn;
    Priority() priority;
    Bitmap() bitmap;
    SecondHalf() second_half;
    Generation() generation;
    Swapped() swapped;
    WayBack() way_back;
    Verdict() verdict;
    Values() values;
    Exits() exits;
    Registration() registration;
    Delivery() delivery;

    apply {
        if (metadata.corrupt) {
            for_deparser.drop_ctl = 1;
        } else {
            // Every frame meets all tables, and matches no entry of those without a step for it.
            // With branches, the chip would place everything after a branch into later stages than
            // the branch's own.
            registration.apply(headers.ethernet, metadata.is_registration, intrinsic, for_deparser);
            ownership.apply(headers, metadata, intrinsic);
            own_psn.apply(headers, metadata);
            second_half.apply(metadata.step, AGGREGATOR(headers.dsa), metadata.generation,
                              headers.dsa.bitmap0, metadata.workers_before);
            metadata.unlike = metadata.workers_before ^ metadata.expected;
            priority.apply(headers, metadata);
            bitmap.apply(headers, metadata);
            generation.apply(headers, metadata);
            swapped.apply(headers, metadata);
            verdict.apply(headers, metadata);
            values.apply(headers.values, AGGREGATOR(headers.dsa), metadata.half, metadata.sums);
            way_back.apply(intrinsic.ingress_port, headers.dsa.aggregator_index[5:0],
                           metadata.way_back);
            exits.apply(headers, metadata, for_deparser, for_tm);
            if (GOES_ON(metadata.way_out)) {
                delivery.apply(headers.ethernet, headers.dsa.isValid(), headers.dsa.job,
                               metadata.way_out, for_deparser, for_tm);
            }
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser())
    pipe;
Switch(pipe) main;
