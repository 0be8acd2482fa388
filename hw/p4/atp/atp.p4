// SPDX-License-Identifier: BSD-3-Clause
// ATP 3.5, 3.7 and A.2: switch-models/programs/atp.hpp for a Tofino.
#include <core.p4>
#include <tna.p4>

#include "../shared/egress.p4"
#include "../shared/registration.p4"
#include "bitmap.p4"
#include "count.p4"
#include "generation.p4"
#include "ownership.p4"
#include "parser.p4"
#include "verdict.p4"

control Ingress(inout headers_t headers, inout metadata_t metadata,
                in ingress_intrinsic_metadata_t intrinsic,
                in ingress_intrinsic_metadata_from_parser_t from_parser,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    Ownership() ownership;
    OwnPsn() own_psn;
    Expiry() expiry;
    SecondHalf() second_half;
    Bitmap() bitmap;
    Generation() generation;
    Congestion() congestion;
    Count() count;
    Values() values;
    WayBack() way_back;
    Verdict() verdict;
    Registration() registration;
    Delivery() delivery;

    apply {
        if (metadata.corrupt) {
            for_deparser.drop_ctl = 1;
        } else {
            // Every frame meets all tables, and matches no entry of those without a step for it.
            // With branches, the chip would place everything after a branch into later stages than
            // the branch's own.
            metadata.now = from_parser.global_tstamp[47:16];
            metadata.expiry = from_parser.global_tstamp[47:16] |-| AGGREGATOR_EXPIRY;
            registration.apply(headers.ethernet, metadata.is_registration, intrinsic, for_deparser);
            ownership.apply(headers, metadata, intrinsic);
            own_psn.apply(headers, metadata);
            second_half.apply(metadata.step, AGGREGATOR(headers.atp), metadata.generation,
                              metadata.own, metadata.workers_before);
            metadata.unlike = metadata.workers_before ^ metadata.expected;
            expiry.apply(headers, metadata);
            bitmap.apply(headers, metadata);
            generation.apply(headers, metadata);
            congestion.apply(headers, metadata);
            count.apply(headers, metadata);
            values.apply(headers.values, AGGREGATOR(headers.atp), metadata.half, metadata.sums);
            way_back.apply(intrinsic.ingress_port, headers.atp.aggregator_index[5:0],
                           metadata.way_back);
            verdict.apply(headers, metadata, for_deparser, for_tm);
            if (GOES_ON(metadata.way_out)) {
                delivery.apply(headers.ethernet, headers.atp.isValid(), headers.atp.job,
                               metadata.way_out, for_deparser, for_tm);
            }
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser())
    pipe;
Switch(pipe) main;
