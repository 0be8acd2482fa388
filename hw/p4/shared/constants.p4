// SPDX-License-Identifier: BSD-3-Clause
// The constants of hw/protocol/wire: headers.hpp, limits.hpp, frame.hpp and registration.hpp. A
// test compares the two.
#ifndef INA_CONSTANTS_P4
#define INA_CONSTANTS_P4

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> IPV4_WITHOUT_OPTIONS = 0x45;
const bit<8> IP_PROTOCOL_UDP = 17;
const bit<8> IP_PROTOCOL_ATP = 253;
const bit<8> IP_PROTOCOL_DSA = 254;
const bit<16> SWITCHML_UPDATE_PORT = 48864;
const bit<16> SWITCHML_RESULT_PORT = 48865;
const bit<16> REGISTRATION_PORT = 48868;

const bit<8> KIND_GRADIENT = 1;
const bit<8> KIND_RESULT = 2;
const bit<8> KIND_REMINDER = 3;
const bit<8> KIND_FRAGMENT_REQUEST = 4;
const bit<8> KIND_NOTIFICATION = 5;
const bit<8> KIND_RELEASE = 6;

const bit<8> FLAG_ECN = 1;
const bit<8> FLAG_RESEND = 2;
const bit<8> FLAG_COLLISION = 4;
const bit<8> FLAG_SECOND_LEVEL = 8;
const bit<8> FLAG_FLOATS = 16;
const bit<8> FLAG_NEW_INDEX = 32;
const bit<8> FLAG_PARTIAL = 64;
const bit<8> FLAG_ANSWER = 128;

// Host 0xffff addresses all workers of the frame's job.
const bit<48> ALL_WORKERS_MAC = 0x02000000ffff;
const bit<32> ALL_WORKERS_IP = 0x0a00ffff;

const int MAX_JOBS = 256;
const int MAX_WORKERS_PER_SWITCH = 32;
const int FRAGMENT_VALUES = 62;

#endif
