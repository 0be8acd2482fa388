// SPDX-License-Identifier: BSD-3-Clause
// The egress of all programs: marks frames that waited behind a long queue (RFC 3168). Frames of
// the protocols are marked even if they do not declare ECN. ATP and DSA also have a flag of their
// own, in addition to IPv4's field.
#ifndef INA_EGRESS_P4
#define INA_EGRESS_P4

#include "constants.p4"
#include "headers.p4"

const bit<32> LONGEST_WITHOUT_MARK = 749;  // cells

struct egress_headers_t {
    ethernet_h ethernet;
    ipv4_h ipv4;
    udp_h udp;
    kind_and_flags_h aggregation;
}

// 0 before the parser, as each program requests for its metadata.
struct egress_metadata_t {
    bit<1> is_ours;
    bit<1> is_marked;  // by the protocol's own flag
    bit<32> beyond;    // cells in the queue beyond the longest that marks nothing. Only a number that
                       // fills a container saturates.
}

parser EgressParser(packet_in packet, out egress_headers_t headers, out egress_metadata_t metadata,
                    out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.ether_type) {
            ETHER_TYPE_IPV4: look_for_options;
            default: accept;
        }
    }
    state look_for_options {
        transition select(packet.lookahead<bit<8>>()) {
            IPV4_WITHOUT_OPTIONS: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(headers.ipv4);
        transition select(headers.ipv4.protocol) {
            IP_PROTOCOL_UDP: parse_udp;
            IP_PROTOCOL_ATP: parse_aggregation;
            IP_PROTOCOL_DSA: parse_aggregation;
            default: accept;
        }
    }
    state parse_udp {
        packet.extract(headers.udp);
        transition select(headers.udp.destination_port) {
            SWITCHML_UPDATE_PORT: parse_ours;
            SWITCHML_RESULT_PORT: parse_ours;
            default: accept;
        }
    }
    state parse_aggregation {
        packet.extract(headers.aggregation);
        transition select(headers.aggregation.flags) {
            FLAG_ECN &&& FLAG_ECN: parse_marked;
            default: parse_ours;
        }
    }
    state parse_marked {
        metadata.is_marked = 1;
        transition parse_ours;
    }
    state parse_ours {
        metadata.is_ours = 1;
        transition accept;
    }
}

control Marking(inout egress_headers_t headers, inout egress_metadata_t metadata,
                in egress_intrinsic_metadata_t intrinsic) {
    action mark() {
        headers.ipv4.traffic_class = headers.ipv4.traffic_class | 3;
        headers.aggregation.flags = headers.aggregation.flags | FLAG_ECN;
    }
    // Marks frames of ports with a long queue: by default 60 KB, in cells of 80 bytes. Sums with the
    // marks of contributions have only the flag before.
    table marked_frames {
        key = {
            metadata.beyond: ternary;
            metadata.is_ours: ternary;
            headers.ipv4.traffic_class: ternary;
            metadata.is_marked: ternary;
        }
        actions = {
            mark;
            NoAction;
        }
        const default_action = NoAction;
        const entries = {
            (_, _, _, 1): mark();
            (0, _, _, _): NoAction();
            (_, 1, _, _): mark();
            (_, _, 1 &&& 3, _): mark();
            (_, _, 2 &&& 3, _): mark();
        }
        size = 5;
    }
    apply {
        metadata.beyond = (bit<32>) intrinsic.deq_qdepth;
        metadata.beyond = metadata.beyond |-| LONGEST_WITHOUT_MARK;
        if (headers.ipv4.isValid()) {
            marked_frames.apply();
        }
    }
}

control Egress(inout egress_headers_t headers, inout egress_metadata_t metadata,
               in egress_intrinsic_metadata_t intrinsic,
               in egress_intrinsic_metadata_from_parser_t from_parser,
               inout egress_intrinsic_metadata_for_deparser_t for_deparser,
               inout egress_intrinsic_metadata_for_output_port_t for_output_port) {
    Marking() marking;
    apply {
        marking.apply(headers, metadata, intrinsic);
    }
}

// Also updates the checksum for addresses that the ingress changed.
control EgressDeparser(packet_out packet, inout egress_headers_t headers,
                       in egress_metadata_t metadata,
                       in egress_intrinsic_metadata_for_deparser_t for_deparser) {
    Checksum() ipv4_checksum;
    apply {
        if (headers.ipv4.isValid()) {
            headers.ipv4.checksum = ipv4_checksum.update({
                headers.ipv4.version_and_length,
                headers.ipv4.traffic_class,
                headers.ipv4.total_length,
                headers.ipv4.identification,
                headers.ipv4.fragment,
                headers.ipv4.time_to_live,
                headers.ipv4.protocol,
                headers.ipv4.source,
                headers.ipv4.destination
            });
        }
        packet.emit(headers);
    }
}

#endif
