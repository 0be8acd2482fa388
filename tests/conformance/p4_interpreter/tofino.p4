// SPDX-License-Identifier: BSD-3-Clause
// The declarations of the Tofino Native Architecture that the programs may use.
typedef bit<9> PortId_t;
typedef bit<16> MulticastGroupId_t;

const bit<32> PORT_METADATA_SIZE = 64;

header ingress_intrinsic_metadata_t {
    bit<1> resubmit_flag;
    bit<6> padding;
    PortId_t ingress_port;
    bit<48> ingress_mac_tstamp;
}

struct ingress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp;
}

struct ingress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;
    bit<3> resubmit_type;
}

struct ingress_intrinsic_metadata_for_tm_t {
    PortId_t ucast_egress_port;
    bit<1> bypass_egress;
    MulticastGroupId_t mcast_grp_a;
}

header egress_intrinsic_metadata_t {
    bit<7> padding;
    PortId_t egress_port;
    bit<5> more_padding;
    bit<19> deq_qdepth;
}

struct egress_intrinsic_metadata_from_parser_t {
}

struct egress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;
}

struct egress_intrinsic_metadata_for_output_port_t {
}
