# SPDX-License-Identifier: BSD-3-Clause
"""The commands that a switch receives, recorded by a stand-in for the client."""

import json
import os
import signal
from functools import cache
from pathlib import Path

import pytest

from hw.commands.errors import CommandError, Interrupted
from hw.commands.inputs import Inputs, Programs
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.p4.control import bfrt
from hw.p4.control.cabling import read_cabling
from hw.p4.control.cluster import read_cluster
from hw.p4.control.job import Cluster
from hw.p4.control.loading import entries_of, tables_of
from hw.p4.control.program_text import NOBODY
from hw.p4.control.registering import register_job
from hw.p4.control.replacing import replace
from hw.p4.control.systems import BY_PROGRAM

HERE = Path(__file__).resolve().parent
SYSTEMS = ("switchml", "atp", "dsa")


@cache
def cluster_of(system, *settings):
    programs = Programs(Path(os.environ["INA_PROGRAMS"]))
    inputs = Inputs(programs, [HERE / "two-jobs.json"], [f"/system={system}", *settings], None)
    run = inputs.plans()[0]["runs"][0]
    return read_cluster(run, read_cabling(HERE.parent / "example-cabling.json"))


def entries(system, *settings):
    return entries_of(cluster_of(system, *settings))


@pytest.mark.parametrize("system", SYSTEMS)
def test_loading_again_leaves_the_same(fake, system):
    switch = bfrt.Switch("switch:1", system)
    replace(switch, entries(system))
    once = fake.content()
    assert fake.said[0] == ("bind", system)
    assert sum(map(len, once.values())) > 16384
    replace(switch, entries(system))
    assert fake.content() == once


@pytest.mark.parametrize("system", SYSTEMS)
def test_nobody_is_admitted_while_tables_change(fake, system):
    replace(bfrt.Switch("switch:1", system), entries(system))
    calls = [(verb, name.rpartition(".")[2]) for verb, name in fake.said[1:]]
    sent = [call for call in calls if call[0] != "read"]
    assert sent[0] == ("delete", "members")
    assert sent[-1] == ("add", "members")
    assert sent.count(("add", "members")) == 1
    assert max(at for at, (verb, _) in enumerate(sent) if verb == "delete") < min(
        at for at, (verb, _) in enumerate(sent) if verb == "add"
    )


def test_ports_and_groups_that_are_not_ours_stay_as_they_are(fake):
    switch = bfrt.Switch("switch:1", "dsa")
    theirs = {
        "$PORT": (("$DEV_PORT", 60, None),),
        "$pre.node": (("$MULTICAST_NODE_ID", 257, None),),
        "$pre.mgid": (("$MGID", 1000, None),),
    }
    ours = {
        "$PORT": (("$DEV_PORT", 128, None),),
        "$pre.node": (("$MULTICAST_NODE_ID", 256, None),),  # from another load
        "$pre.mgid": (("$MGID", 256, None),),
    }
    old = (None, (("$SPEED", "str_val", '"BF_SPEED_10G"'),))
    for name in theirs:
        fake.table(name).entries |= {theirs[name]: old, ours[name]: old}
    replace(switch, entries("dsa"))
    for name in theirs:
        found = fake.tables[name].entries
        assert found[theirs[name]] is old
        assert found.get(ours[name]) != old


def test_a_port_that_stays_and_has_a_lane_of_a_new_one_ends_the_load_before_anything_changes(fake):
    port = (("$DEV_PORT", 130, None),)
    fake.table("$PORT").entries[port] = (None, (("$SPEED", "str_val", '"BF_SPEED_50G"'),))
    before = fake.content()
    with pytest.raises(CommandError) as caught:
        replace(bfrt.Switch("switch:1", "dsa"), entries("dsa"))
    assert str(caught.value) == (
        "switch:1: port 130 (BF_SPEED_50G), which is not in the cabling, has a lane of port 128 to "
        "131 (BF_SPEED_100G); allowed: a cabling that leaves it alone, or to delete it first"
    )
    assert fake.content() == before
    assert {verb for verb, _ in fake.said} == {"bind", "read"}


GONE = RuntimeError("Connection lost\nand more")
TABLES_OF_DSA = ("$PORT", "node", "mgid", "routes", "workers_of_job", "destinations", "members")
TABLES = {
    "dsa": TABLES_OF_DSA,
    "atp": TABLES_OF_DSA[:5] + ("members",),
    "switchml": TABLES_OF_DSA[:4] + ("members",),
}


MORE_TABLES = {program: tables_of(Cluster(program, ())) for program in BY_PROGRAM}


@pytest.fixture
def loaded(fake):
    """A switch with another load: one job, and a port setting that loads do not make."""

    def load(system):
        switch = bfrt.Switch("switch:1", system)
        one_job = json.loads((HERE / "two-jobs.json").read_text())["jobs"][:1]
        replace(switch, entries(system, f"/jobs={json.dumps(one_job)}"), MORE_TABLES[system])
        ports = fake.tables["$PORT"].entries
        for key, (action, fields) in ports.items():
            ports[key] = action, (*fields, ("$LOOPBACK_MODE", "str_val", '"BF_LPBK_NONE"'))
        fake.said.clear()
        return switch

    return load


@pytest.mark.parametrize("verb", ["delete", "add"])
@pytest.mark.parametrize(
    "system, table", [(system, table) for system in SYSTEMS for table in TABLES[system]]
)
def test_a_load_that_fails_leaves_what_was_there(fake, loaded, system, table, verb):
    switch = loaded(system)
    before = fake.tables_content()
    fake.fails[verb, table] = [GONE]
    with pytest.raises(CommandError) as caught:
        replace(switch, entries(system), MORE_TABLES[system])
    message = str(caught.value)
    assert caught.value.status == ENVIRONMENT_ERROR
    assert fake.tables_content() == before
    cleared = (verb, table) == ("add", "members")  # registers come right before members
    if cleared:
        assert "; the switch does not have its previous entries; missing: the content of pipe." in message
        assert message.endswith(": start the programs of all jobs again")
    else:
        assert message == "switch:1: Connection lost; the switch has its previous entries again"


def test_a_load_that_fails_while_registers_are_written_names_them(fake, loaded):
    switch = loaded("switchml")
    before = fake.tables_content()
    fake.fails["add", "seen"] = [None, GONE]
    with pytest.raises(CommandError) as caught:
        replace(switch, entries("switchml"))
    assert str(caught.value) == (
        "switch:1: Connection lost; the switch does not have its previous entries; missing: the content of "
        "pipe.Ingress.ownership.latest, pipe.Ingress.bitmap.seen: start the programs of all jobs again"
    )
    assert fake.tables_content() == before


def test_what_cannot_be_put_back_is_named(fake, loaded):
    switch = loaded("dsa")
    fake.fails["add", "$PORT"] = [GONE, GONE]
    fake.fails["delete", "routes"] = [None, GONE]
    fake.fails["add", "destinations"] = [GONE]
    with pytest.raises(CommandError) as caught:
        replace(switch, entries("dsa"))
    assert str(caught.value) == (
        "switch:1: Connection lost; the switch does not have its previous entries; missing: $PORT 128, 136, 176; "
        "3 entries of pipe.Ingress.exits.destinations.destinations"
    )


def test_a_switch_that_is_gone_is_said_to_lack_what_it_had(fake, loaded):
    switch = loaded("atp")
    fake.fails["add", "mgid"] = [GONE] * 9
    for table in TABLES["atp"]:
        fake.fails["read", table] = [None] + [GONE] * 9
    with pytest.raises(CommandError, match="perhaps [$]PORT 128, 136, 176; perhaps [$]pre.node 1;"):
        replace(switch, entries("atp"))


def test_entries_that_cannot_be_removed_again_are_named(fake, loaded):
    switch = loaded("dsa")
    fake.fails["add", "mgid"] = [GONE]
    fake.fails["delete", "node"] = [None, GONE]
    with pytest.raises(CommandError) as caught:
        replace(switch, entries("dsa"))
    assert str(caught.value).endswith("missing: the removal of $pre.node 2")


def test_a_load_that_is_interrupted_leaves_what_was_there_and_has_the_status_of_the_signal(fake, loaded):
    switch = loaded("dsa")
    before = fake.tables_content()
    fake.fails["add", "routes"] = [Interrupted(signal.SIGTERM)]
    with pytest.raises(CommandError) as caught:
        replace(switch, entries("dsa"))
    assert str(caught.value) == "switch:1: interrupted; the switch has its previous entries again"
    assert caught.value.status == 128 + signal.SIGTERM
    assert fake.tables_content() == before


def test_a_load_that_cannot_read_the_switch_changes_nothing(fake, loaded):
    switch = loaded("dsa")
    before = fake.content()
    fake.fails["read", "members"] = [GONE]
    with pytest.raises(CommandError, match="^switch:1: Connection lost$"):
        replace(switch, entries("dsa"))
    assert fake.content() == before


def test_kinds_of_data_are_told_as_such(fake):
    replace(bfrt.Switch("switch:1", "dsa"), entries("dsa"))
    _, fields = fake.tables["$PORT"].entries[(("$DEV_PORT", 128, None),)]
    assert fields == (
        ("$SPEED", "str_val", '"BF_SPEED_100G"'),
        ("$FEC", "str_val", '"BF_FEC_TYP_RS"'),
        ("$AUTO_NEGOTIATION", "str_val", '"PM_AN_DEFAULT"'),
        ("$PORT_ENABLE", "bool_val", "true"),
    )
    assert fake.tables["$pre.mgid"].entries[(("$MGID", 1, None),)][1] == (
        ("$MULTICAST_NODE_ID", "int_arr_val", "[1]"),
        ("$MULTICAST_NODE_L1_XID_VALID", "bool_arr_val", "[false]"),
        ("$MULTICAST_NODE_L1_XID", "int_arr_val", "[0]"),
    )
    key = next(iter(fake.tables["pipe.Ingress.ownership.members"].entries))
    assert key[0] == ("intrinsic.ingress_port", 128, 0x1FF)
    assert key[-1] == ("$MATCH_PRIORITY", 0, None)


def test_cells_are_read_by_index(fake):
    switch = bfrt.Switch("switch:1", "dsa")
    replace(switch, entries("dsa"))
    name = "Ingress.ownership.tasks"
    free = {f"{name}.psn": [0, 0], f"{name}.job": [NOBODY, NOBODY]}
    assert switch.cell(f"pipe.{name}", 16383) == free


def test_a_client_that_fails_ends_the_command_in_one_line(fake):
    with pytest.raises(CommandError, match="^nobody:1: Failed to connect$"):
        bfrt.Switch("nobody:1", "dsa")
    switch = bfrt.Switch("switch:1", "dsa")
    twice = entries("dsa")[:1] * 2
    with pytest.raises(CommandError, match="^switch:1: Already exists; the switch has ") as caught:
        replace(switch, twice)
    assert caught.value.status == ENVIRONMENT_ERROR


JOB_KEYS = {"switchml": "switchml.job", "atp": "headers.atp.job", "dsa": "headers.dsa.job"}


def ids_of(content, system):
    """The ids of jobs in the keys of the table of members."""
    (name,) = [name for name in content if name.endswith(".members")]
    return {value for key in content[name] for field, value, _ in key if field == JOB_KEYS[system]}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_job_that_is_registered_anew_has_what_a_load_under_its_new_id_has(fake, system):
    cluster = cluster_of(system)
    switch = bfrt.Switch("switch:1", system)
    replace(switch, entries_of(cluster))
    assert ids_of(fake.tables_content(), system) == {0, 1}
    again = register_job(switch, cluster, 1, 700)
    found = fake.tables_content()
    assert ids_of(found, system) == {0, 700}
    assert [job.id for job in again.jobs] == [0, 700]
    fake.tables.clear()
    replace(switch, entries_of(again))
    assert found == fake.tables_content()
    third = register_job(switch, again, 1, 1)
    assert ids_of(fake.tables_content(), system) == {0, 1}
    assert [job.id for job in third.jobs] == [0, 1]


@pytest.mark.parametrize("system", SYSTEMS)
def test_other_jobs_go_on_while_one_is_registered_anew(fake, system):
    cluster = cluster_of(system)
    switch = bfrt.Switch("switch:1", system)
    replace(switch, entries_of(cluster))
    before = {name: set(entries) for name, entries in fake.tables_content().items()}
    fake.deleted.clear()
    fake.said.clear()
    register_job(switch, cluster, 1, 700)
    of_job_0 = {str(key) for name in before for key in before[name] if names_job(key, 0)}
    assert of_job_0 and not of_job_0 & set(map(str, fake.deleted))
    assert all(names_job(key, 1) for key in fake.deleted)
    calls = [(verb, name.rpartition(".")[2]) for verb, name in fake.said if verb != "read"]
    assert not {"$PORT", "node", "mgid", "routes", "tasks"} & {name for _, name in calls}
    assert calls[0] == ("delete", "members") and calls[-1] == ("add", "members")
    last_delete = max(at for at, (verb, _) in enumerate(calls) if verb == "delete")
    assert last_delete < min(at for at, (verb, _) in enumerate(calls) if verb == "add")


def names_job(key, number):
    return any(name.endswith(("job", "owner")) and value == number for name, value, _ in key)


def test_only_the_slots_of_a_job_of_switchml_are_cleared_when_it_is_registered_anew(fake):
    cluster = cluster_of("switchml")
    switch = bfrt.Switch("switch:1", "switchml")
    replace(switch, entries_of(cluster))
    first, slots, all_slots = cluster.jobs[1].first_slot, cluster.jobs[1].slots, 16384
    dirty = (None, (("any", "val", "7"),))
    registers = {name: one.entries for name, one in fake.tables.items() if is_register(one)}
    assert {name.rpartition(".")[2] for name in registers} == {"latest", "seen", "missing"}
    for cells in registers.values():
        cells.update(dict.fromkeys(cells, dirty))
    register_job(switch, cluster, 1, 700)
    for name, cells in registers.items():
        cleared = {key[0][1] for key, fields in cells.items() if fields != dirty}
        own = set(range(first, first + slots))
        rows = own | {all_slots + slot for slot in own} if name.endswith("missing") else own
        assert cleared == rows, name


def is_register(table):
    return next(iter(table.entries))[0][0] == "$REGISTER_INDEX"


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("verb", ["read", "delete", "add"])
def test_a_registration_that_fails_can_be_made_again(fake, system, verb):
    cluster = cluster_of(system)
    switch = bfrt.Switch("switch:1", system)
    replace(switch, entries_of(cluster))
    fake.fails[verb, "members"] = [GONE]
    words = "^switch:1: Connection lost; job 1 has to be registered again: its frames are dropped$"
    with pytest.raises(CommandError, match=words):
        register_job(switch, cluster, 1, 700)
    register_job(switch, cluster, 1, 700)
    assert ids_of(fake.tables_content(), system) == {0, 700}


@pytest.mark.parametrize(
    "number, new_id, words",
    [
        (2, 700, "^/jobs/2: not loaded; allowed: 0, 1$"),
        (1, 0, "^/jobs/1: id 0; allowed: 0 to 65535, except "),
        (1, 1, "^/jobs/1: id 1; allowed: 0 to 65535, except "),
        (1, 65536, "^/jobs/1: id 65536; allowed: 0 to 65535, except "),
    ],
)
def test_refuses_an_id_that_a_job_has_or_that_no_frame_can_have(fake, number, new_id, words):
    cluster = cluster_of("dsa")
    switch = bfrt.Switch("switch:1", "dsa")
    replace(switch, entries_of(cluster))
    before = fake.content()
    with pytest.raises(CommandError, match=words):
        register_job(switch, cluster, number, new_id)
    assert fake.content() == before
