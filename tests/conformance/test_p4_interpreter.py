# SPDX-License-Identifier: BSD-3-Clause
"""Tests p4_interpreter with programs of a few lines. They receive two 16-bit numbers and send two.
"""

from dataclasses import dataclass, field

import pytest
from p4_interpreter.device import Device, Left
from p4_interpreter.kinds import Bits
from p4_interpreter.syntax import Refused

from hw.p4.control.entries import Exact, Ternary

PROGRAM = """
header numbers_h {{ bit<16> a; bit<16> b; }}
header again_h {{ bit<8> step; bit<56> unused; }}
header long_h {{ bit<32> all; }}
struct headers_t {{ long_h longer; numbers_h numbers; numbers_h absent; }}
struct pair_t {{ bit<16> low; bit<16> high; }}
@pa_auto_init_metadata
struct metadata_t {{ again_h again; bit<8> step; bool flag; bit<16> number; }}
parser IngressParser(packet_in packet, out headers_t headers, out metadata_t metadata,
                     out ingress_intrinsic_metadata_t intrinsic) {{
    state start {{ packet.extract(intrinsic); {parser} }}
}}
{blocks}
control Ingress(inout headers_t headers, inout metadata_t metadata, in ingress_intrinsic_metadata_t intrinsic,
                in ingress_intrinsic_metadata_from_parser_t from_parser,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm) {{
    {local}
    apply {{
        for_tm.ucast_egress_port = 5;
        for_tm.bypass_egress = 1;
        {body}
    }}
}}
control IngressDeparser(packet_out packet, inout headers_t headers, in metadata_t metadata,
                        in ingress_intrinsic_metadata_for_deparser_t for_deparser) {{
    Resubmit() resubmit;
    apply {{
        if (for_deparser.resubmit_type == 1) {{ resubmit.emit(metadata.again); }}
        packet.emit(headers);
    }}
}}
parser EgressParser(packet_in packet, out headers_t headers, out metadata_t metadata,
                    out egress_intrinsic_metadata_t intrinsic) {{
    state start {{ packet.extract(intrinsic); transition accept; }}
}}
control Egress(inout headers_t headers, inout metadata_t metadata, in egress_intrinsic_metadata_t intrinsic,
               in egress_intrinsic_metadata_from_parser_t from_parser,
               inout egress_intrinsic_metadata_for_deparser_t for_deparser,
               inout egress_intrinsic_metadata_for_output_port_t for_output_port) {{ apply {{ }} }}
control EgressDeparser(packet_out packet, inout headers_t headers, in metadata_t metadata,
                       in egress_intrinsic_metadata_for_deparser_t for_deparser) {{ apply {{ }} }}
Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
"""
PARSER = "packet.advance(PORT_METADATA_SIZE); packet.extract(headers.numbers); transition accept;"
A, B = "headers.numbers.a", "headers.numbers.b"


def device(body="", local="", blocks="", parser=PARSER, seed=0):
    return Device(PROGRAM.format(body=body, local=local, blocks=blocks, parser=parser), seed=seed)


def sent(one, a=0, b=0):
    """Both numbers as they leave. None: dropped."""
    left = one.send(0, a.to_bytes(2, "big") + b.to_bytes(2, "big"), 0)
    return (int.from_bytes(left[0].frame[:2], "big"), int.from_bytes(left[0].frame[2:], "big")) if left else None


def result(expression, a, b):
    """The value that a program assigns to the first number."""
    return sent(device(f"{A} = {expression.replace('$a', A).replace('$b', B)};"), a, b)[0]


@pytest.mark.parametrize(
    "expression, a, b, expected",
    [
        ("$a + $b", 0xFFFF, 2, 1),
        ("$a - $b", 1, 2, 0xFFFF),
        ("$a |+| $b", 0xFFFF, 2, 0xFFFF),
        ("$a |-| $b", 1, 2, 0),
        ("(bit<16>) ((int<16>) $a |+| (int<16>) $b)", 0x7FFF, 1, 0x7FFF),
        ("(bit<16>) ((int<16>) $a |+| (int<16>) $b)", 0x8000, 0xFFFF, 0x8000),
        ("(bit<16>) ((int<16>) $a |+| (int<16>) $b)", 0x8000, 0x7FFF, 0xFFFF),
        ("(bit<16>) ((int<16>) $a + (int<16>) $b)", 0x7FFF, 1, 0x8000),
        ("~$a", 0x00FF, 0, 0xFF00),
        ("$a & $b | $a ^ $b", 0x0F0F, 0x00FF, 0x0FFF),
        ("$a[7:0] ++ $b[15:8]", 0x1234, 0x5678, 0x3456),
        ("(bit<16>) $a[3:0]", 0xABCD, 0, 0xD),
        ("(bit<16>) ($a ++ $b)", 1, 2, 2),
        ("max($a, $b)", 3, 0x8000, 0x8000),
        ("(bit<16>) (int<16>) $a", 0x8001, 0, 0x8001),
    ],
)
def test_numbers_have_their_width_and_sign(expression, a, b, expected):
    assert result(expression, a, b) == expected


@pytest.mark.parametrize(
    "condition, a, b, holds",
    [
        ("$a < $b", 1, 0x8000, True),
        ("(int<16>) $a < (int<16>) $b", 1, 0x8000, False),
        ("(int<16>) $a >= -0x8000", 0x8000, 0, True),
        ("$a & 1 == 1", 3, 0, True),  # unlike in C, & binds tighter than ==
        ("$a == 1 || $a == 2 && $b == 0", 1, 7, True),
        ("!($a == $b)", 1, 1, False),
        ("headers.numbers.isValid() && !headers.absent.isValid()", 0, 0, True),
    ],
)
def test_conditions(condition, a, b, holds):
    condition = condition.replace("$a", A).replace("$b", B)
    assert sent(device(f"if ({condition}) {{ {A} = 1; }} else {{ {A} = 0; }}"), a, b)[0] == holds


@pytest.mark.parametrize(
    "body",
    [
        f"{A} = 0x10000;",
        f"{A} = {A} ++ {B};",
        f"{A} = {A}[7:0];",
        f"{A} = {A} + (int<16>) {B};",
        f"{A} = (int<32>) {A};",
        f"{A} = {A} << 1;",
        f"{A} = {A} > 0 ? 1 : 0;",
        f"{A} = nothing;",
        f"{A} = headers.numbers.c;",
        f"{A}[3:0] = 1;",
        f"if ({A}) {{ }}",
        "intrinsic.ingress_port = 1;",
        "headers.numbers = headers.absent;",
        "exit;",
        f"switch ({A}) {{ }}",
        f"{A}.setValid();",
        "headers.numbers.minSizeInBytes();",
        "hash.get();",
    ],
)
def test_what_is_unknown_or_of_another_width_is_refused(body):
    with pytest.raises(Refused):
        device(body)


WITH_FLAG = """
    control Put(in bool flag, inout bit<16> number) { apply { if (flag) { number = 1; } } }"""
WITH_ACTION = f"action put(bool flag) {{ metadata.flag = flag; {A} = 1; }}"


@pytest.mark.parametrize("condition", [f"{A} == {B}", f"!({A} < {B})", f"{A} == 0 || {B} == 0", "!metadata.flag"])
@pytest.mark.parametrize("body, local", [
    ("put.apply($c, headers.numbers.b);", "Put() put;"),
    ("put($c);", WITH_ACTION),
    ("metadata.flag = ($c);", ""),
    ("bool flag = $c;", ""),
    ("t.apply();", "action put() { } table t { key = { $c: exact @name(\"c\"); } actions = { put; } size = 1; }"),
])  # fmt: skip
def test_the_result_of_a_condition_is_moved_into_no_field(condition, body, local):
    with pytest.raises(Refused, match="result of a condition, which no action can move into a field; allowed: in `if`"):
        device(body.replace("$c", condition), local.replace("$c", condition), WITH_FLAG)


def test_bits_that_are_there_are_moved_into_fields():
    """Expressions of a flag and of the validity of a header."""
    body = f"metadata.flag = headers.numbers.isValid(); put.apply(metadata.flag, {A}); put.apply(headers.absent.isValid(), {B});"
    assert sent(device(body, "Put() put;", WITH_FLAG), 7, 7) == (1, 7)


def test_a_refusal_names_the_line_and_the_construct():
    first = PROGRAM.format(body="LINE", local="", blocks="", parser=PARSER).splitlines().index("        LINE") + 1
    with pytest.raises(Refused, match=f"^line {first} of the preprocessed program, add: "):
        device(f"{A} = {A} + (int<16>) {B};")


def test_a_program_has_a_switch():
    with pytest.raises(Refused, match="no switch"):
        Device(PROGRAM.format(body="", local="", blocks="", parser=PARSER).replace("Switch(pipe) main;", ""))


@pytest.mark.parametrize(
    "local",
    [
        "Counter<bit<32>, bit<8>>(1) seen;",
        "Register<bit<16>, bit<8>>(1) cells; Register<bit<16>, bit<8>>(1) cells;",
        "action one(in bit<16> number) { }",
        f"action one() {{ }} table t {{ key = {{ {A}: lpm; }} actions = {{ one; }} size = 1; }}",
        f"action one() {{ }} table t {{ key = {{ {A}: exact; }} actions = {{ one; }} size = 1; idle_timeout = true; }}",
        f"action one() {{ }} table t {{ key = {{ {A}: exact @hidden; }} actions = {{ one; }} size = 1; }}",
        f"action one() {{ }} table t {{ key = {{ {A}: exact; }} actions = {{ one; }} "
        "const entries = { 1: two(); } size = 1; }",
        f"action one() {{ }} table t {{ key = {{ {A}: exact; }} actions = {{ one; }} "
        "const entries = { 1: one(); 2: one(); } size = 1; }",
    ],
)
def test_unknown_declarations_are_refused(local):
    with pytest.raises(Refused):
        device(local=local)


def test_what_was_never_assigned_cannot_be_computed_with():
    local = """
        Register<bit<16>, bit<8>>(1) cells;
        RegisterAction<bit<16>, bit<8>, bit<16>>(cells) forgets = {
            void apply(inout bit<16> cell, out bit<16> before) { }
        };"""
    with pytest.raises(TypeError):
        sent(device(f"{A} = forgets.execute(0) + 1;", local))


@pytest.mark.parametrize("seed", [1, 2])
def test_fields_of_absent_headers_are_random(seed):
    first, same, other = (sent(device(f"{A} = headers.absent.a;", seed=one)) for one in (seed, seed, seed + 2))
    assert first == same != other


def test_what_is_written_before_a_header_is_valid_stays():
    one = device("headers.longer.all = 0x01020304; headers.longer.setValid(); headers.numbers.setInvalid();")
    assert sent(one) == (0x0102, 0x0304)


# ---- Tables

TABLE = """
    action put(bit<16> number) {{ headers.numbers.b = number; }}
    action miss() {{ headers.numbers.b = 99; }}
    table t {{
        key = {{ headers.numbers.a: {match}; }}
        actions = {{ put; @defaultonly miss; }}
        const default_action = miss;
        {entries}
        size = 3;
    }}
    """


def table(match, entries="", body="t.apply();"):
    entries = f"const entries = {{ {entries} }}" if entries else ""
    return device(body, TABLE.format(match=match, entries=entries))


@pytest.mark.parametrize("a, b", [(1, 10), (3, 10), (2, 20), (0x8002, 20), (4, 99)])
def test_the_first_ternary_entry_that_matches_counts(a, b):
    one = table("ternary", "1 &&& 1: put(10); 2 &&& 2: put(20); 3: put(30);")
    assert sent(one, a)[1] == b


def test_a_table_tells_hits_from_misses():
    one = table("exact", "7: put(10);", f"if (!t.apply().hit) {{ {A} = 0; }}")
    assert (sent(one, 7), sent(one, 8)) == ((7, 10), (0, 99))


@dataclass
class Installed:
    """An entry of the control plane."""

    key: dict
    action: str = "Ingress.put"
    data: dict = field(default_factory=lambda: {"number": 1})


def install(one, *entries):
    for entry in entries:
        one.program.tables["pipe.Ingress.t"].install(entry.key, entry.action, entry.data)


def ternary(value, mask, number, priority=0):
    key = {"headers.numbers.a": Ternary(value, mask), "$MATCH_PRIORITY": Exact(priority)}
    return Installed(key, data={"number": number})


def test_entries_of_the_control_plane_have_priorities():
    one = table("ternary")
    install(one, ternary(1, 1, 10, priority=5), ternary(0, 0, 20, priority=4), ternary(2, 2, 30, priority=6))
    assert sent(one, 3)[1] == 20


def test_two_entries_of_one_priority_must_not_match_one_packet():
    one = table("ternary")
    install(one, ternary(1, 1, 10), ternary(2, 2, 20))
    assert sent(one, 1)[1] == 10
    with pytest.raises(Refused, match="2 entries"):
        sent(one, 3)


@pytest.mark.parametrize(
    "entries",
    [
        [Installed({"headers.numbers.b": Exact(1)})],
        [Installed({"headers.numbers.a": Exact(1)}, data={"wrong": 1})],
        [Installed({"headers.numbers.a": Ternary(1, 1)})],
        [Installed({"headers.numbers.a": Exact(number)}) for number in range(4)],
    ],
)
def test_entries_that_do_not_fit_their_table_are_refused(entries):
    with pytest.raises(Refused):
        install(table("exact"), *entries)


# ---- Registers

REGISTER = """
    Register<pair_t, bit<8>>(4, {7, 8}) pairs;
    RegisterAction<pair_t, bit<8>, bit<16>>(pairs) swap = {
        void apply(inout pair_t pair, out bit<16> before) {
            before = pair.low;
            pair.low = pair.high;
            pair.high = headers.numbers.a;
        }
    };
    Register<bit<16>, bit<8>>(4) cells;
    RegisterAction<bit<16>, bit<8>, bit<16>>(cells) count = {
        void apply(inout bit<16> cell, out bit<16> after) {
            cell = cell + 1;
            after = cell;
        }
    };
    """


def test_registers_keep_what_an_action_leaves():
    one = device(f"{B} = swap.execute({A}[7:0]);", REGISTER)
    assert [sent(one, 3)[1] for _ in range(3)] == [7, 8, 3]
    assert one.cell("pipe.Ingress.pairs", 3) == {"Ingress.pairs.low": 3, "Ingress.pairs.high": 3}
    assert one.cell("pipe.Ingress.pairs", 2) == {"Ingress.pairs.low": 7, "Ingress.pairs.high": 8}
    with pytest.raises(Refused, match="index 4"):
        sent(one, 4)


def test_a_packet_touches_a_register_once_in_a_pass():
    once = device(f"{A} = count.execute(1); {B} = swap.execute(0);", REGISTER)
    assert [sent(once)[0] for _ in range(2)] == [1, 2]
    with pytest.raises(Refused, match="pipe.Ingress.cells: touched twice"):
        sent(device(f"{A} = count.execute(1); {B} = count.execute(2);", REGISTER))


ALU = """
    Register<bit<32>, bit<1>>(2) cells;
    RegisterAction<bit<32>, bit<1>, bit<32>>(cells) act = {{ void apply(inout bit<32> cell, out bit<32> found) {{ {} }} }};
"""


@pytest.mark.parametrize(
    "body, refusal",
    [
        ("if (cell == 1 && cell < 5) { found = cell; }", None),
        ("if (cell == 1 && cell < 5 || cell > 7) { found = cell; }", "3 comparisons"),
        ("cell = cell + (bit<32>) headers.numbers.a + (bit<32>) headers.numbers.b;", None),
        (
            "cell = cell + (bit<32>) headers.numbers.a + (bit<32>) headers.numbers.b + (bit<32>) metadata.number;",
            "reads headers.numbers.a, headers.numbers.b, metadata.number",
        ),
        ("if (cell > 0x7fffffff) { found = cell; }", None),
        ("if (cell > 0x80000000) { found = cell; }", "2147483648; constants of a stateful ALU"),
    ],
)
def test_what_a_stateful_alu_cannot_do_is_refused(body, refusal):
    program = {"local": ALU.replace("{{", "{").replace("}}", "}").replace("{}", body, 1)}
    if refusal is None:
        device(**program)
    else:
        with pytest.raises(Refused, match=refusal):
            device(**program)


@pytest.mark.parametrize(
    "expression, refusal",
    [
        ("headers.numbers.a | headers.numbers.b", None),
        ("headers.numbers.a | (1 << 3)", None),
        ("headers.numbers.a | headers.numbers.b | metadata.number", "2 operations for one field"),
        ("headers.numbers.a - headers.numbers.b & metadata.number", "2 operations for one field"),
    ],
)
def test_an_action_makes_one_operation_for_a_field(expression, refusal):
    local = f"action act() {{ headers.numbers.a = {expression}; }}"
    if refusal is None:
        device(local=local)
    else:
        with pytest.raises(Refused, match=refusal):
            device(local=local)


def test_a_state_sets_fields_from_its_own_headers_only():
    taken = "packet.advance(PORT_METADATA_SIZE); packet.extract(headers.numbers);"
    sets = "metadata.number = headers.numbers.a; transition accept;"
    device(parser=taken + sets)
    with pytest.raises(Refused, match="headers.numbers.a is not of a header that the state extracts"):
        device(parser=f"{taken} transition second; }} state second {{ {sets}")


def test_the_math_unit_halves_the_four_highest_bits():
    local = """
        MathUnit<bit<16>>(MathOp_t.MUL, 1, 2) half;
        Register<bit<16>, bit<8>>(1) cells;
        RegisterAction<bit<16>, bit<8>, bit<16>>(cells) halve = {
            void apply(inout bit<16> cell, out bit<16> after) { after = half.execute(headers.numbers.a); }
        };"""
    one = device(f"{A} = halve.execute(0);", local)
    for number in (0, 1, 2, 15, 16, 17, 35, 0x8FFF, 0xFFFF):
        digits = f"{number:b}"
        assert sent(one, number)[0] == int(digits[:4] + "0" * len(digits[4:]), 2) // 2


# ---- Controls, parsers, passes


def test_scalars_are_copied_in_and_out_of_controls():
    blocks = "control Add(inout bit<16> sum, in bit<16> more) { apply { sum = sum + more; } }"
    assert sent(device(f"one.apply({A}, {A}); other.apply({A}, {B});", "Add() one; Add() other;", blocks), 3, 5) == (11, 5)


@pytest.mark.parametrize(
    "blocks",
    [
        "control Add(in bit<16> sum) { apply { sum = sum + 1; } }",
        "control Add(in headers_t all) { apply { all.numbers.a = 1; } }",
    ],
)
def test_what_comes_in_only_is_not_written(blocks):
    with pytest.raises(Refused):
        device("add.apply(headers);" if "headers_t" in blocks else f"add.apply({A});", "Add() add;", blocks)


def test_structs_that_share_fields_are_refused():
    blocks = "control Add(inout headers_t all, in numbers_h part) { apply { all.numbers.a = part.b; } }"
    with pytest.raises(Refused, match="share"):
        device("add.apply(headers, headers.numbers);", "Add() add;", blocks)


SELECT = """packet.advance(PORT_METADATA_SIZE); transition select(packet.lookahead<bit<16>>()) {
        1: first; 4 &&& 0xc: second; 7: reject; }
    }
    state first { packet.extract(headers.numbers); transition accept; }
    state second { packet.extract(headers.longer); transition accept; """


@pytest.mark.parametrize("a, accepted", [(1, True), (4, True), (5, True), (7, True), (8, False), (0, False)])
def test_a_parser_rejects_what_no_case_matches(a, accepted):
    assert (sent(device(parser=SELECT), a) is not None) == accepted


def test_a_packet_that_is_too_short_is_dropped():
    assert device().send(0, b"abc", 0) == []
    assert device().send(0, b"abcd", 0) == [Left(5, b"abcd")]


RESUBMITS = """transition select(intrinsic.resubmit_flag) { 0: first; 1: again; }
    }
    state first { packet.advance(PORT_METADATA_SIZE); packet.extract(headers.numbers); transition accept; }
    state again { packet.extract(metadata.again); metadata.step = metadata.again.step;
                  packet.extract(headers.numbers); transition accept; """
RESUBMIT = "metadata.again.setValid(); metadata.again.step = 9; for_deparser.resubmit_type = 1;"


def test_a_packet_is_resubmitted_as_it_came_with_what_a_pass_gave_it():
    body = f"if (metadata.step == 0) {{ {A} = 77; {RESUBMIT} }} else {{ {B} = (bit<16>) metadata.step; }}"
    assert sent(device(body, parser=RESUBMITS), 5) == (5, 9)


def test_a_packet_is_resubmitted_once():
    with pytest.raises(Refused, match="twice"):
        sent(device(RESUBMIT, parser=RESUBMITS))


def test_what_is_dropped_is_not_resubmitted():
    assert sent(device(RESUBMIT + "for_deparser.drop_ctl = 1;", parser=RESUBMITS)) is None


def test_port_68_leads_back_into_the_pipe():
    body = f"if (intrinsic.ingress_port[6:0] != 68) {{ {A} = {A} + 1; for_tm.ucast_egress_port = 68; }}"
    assert sent(device(body), 5) == (6, 0)
    with pytest.raises(Refused, match="another pipe"):
        sent(device("for_tm.ucast_egress_port = 196;"))


def test_a_packet_that_goes_round_is_refused():
    with pytest.raises(Refused, match="passes"):
        sent(device("for_tm.ucast_egress_port = 68;"))


def test_unicast_and_multicast_make_copies():
    one = device("for_tm.mcast_grp_a = 3;")
    with pytest.raises(Refused, match="group 3"):
        sent(one)
    one.groups, one.nodes = {3: [1, 2]}, {1: [7, 8], 2: [9]}
    assert [left.port for left in one.send(0, bytes(4), 0)] == [5, 7, 8, 9]


@pytest.mark.parametrize("width, refused", [(8, False), (16, False), (19, True), (32, False)])
def test_only_numbers_that_fill_a_container_saturate(width, refused):
    body = f"bit<{width}> number = 5; number = number |-| 7; headers.numbers.a = 0;"
    if refused:
        with pytest.raises(Refused, match="fills no container"):
            device(body)
    else:
        assert sent(device(body)) is not None


def test_bits_wrap_and_saturate_at_their_ends():
    signed, plain = Bits(8, signed=True), Bits(8)
    assert [signed.wrap(number) for number in (127, 128, -128, -129, 256)] == [127, -128, -128, 127, 0]
    assert [signed.saturate(number) for number in (127, 128, -129)] == [127, 127, -128]
    assert [plain.wrap(number) for number in (255, 256, -1)] == [255, 0, 255]
    assert [plain.saturate(number) for number in (256, -1)] == [255, 0]
