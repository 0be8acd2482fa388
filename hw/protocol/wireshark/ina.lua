-- SPDX-License-Identifier: BSD-3-Clause
-- Wireshark dissector of the systems' frames (hw/protocol/wire):
-- tshark -X lua_script:hw/protocol/wireshark/ina.lua -r host0.pcap
-- Fields are ina_switchml.<field>, ina_atp.<field>, ina_dsa.<field>, ina_ps.<field> and
-- ina_flow.<field>, named as in headers.hpp. Values are .value, ATP's floats .float_value. Fields
-- of registration messages are ina_registration.<field>, named as in registration.hpp.

local KINDS = {
  [1] = "gradient",
  [2] = "result",
  [3] = "reminder",
  [4] = "fragment request",
  [5] = "notification",
  [6] = "release",
  [7] = "acknowledgement",
}
local FLAGS = {
  {"ecn", 1},
  {"resend", 2},
  {"collision", 4},
  {"second_level", 8},
  {"floats", 16},
  {"new_index", 32},
  {"partial", 64},
  {"answer", 128},
}
local FLOATS_BIT = 3 -- from the left
local UPDATE_PORT, RESULT_PORT, PS_PORT, FLOW_PORT = 48864, 48865, 48866, 48867
local REGISTRATION_PORT = 48868
local IP_PROTOCOL_ATP, IP_PROTOCOL_DSA = 253, 254

local SWITCHML = {
  {"job", 1},
  {"worker", 1},
  {"version_and_slot", 2, base.HEX},
  {"offset", 4},
  {"exponents", 2, base.HEX},
}
local ATP = {
  {"kind", 1, base.DEC, KINDS},
  {"flags", 1, base.HEX},
  {"job", 2},
  {"psn", 4},
  {"aggregator_index", 4},
  {"bitmap0", 4, base.HEX},
  {"bitmap1", 4, base.HEX},
  {"fan_in_degree0", 1},
  {"fan_in_degree1", 1},
  {"worker", 2},
}
local DSA = {
  {"kind", 1, base.DEC, KINDS},
  {"flags", 1, base.HEX},
  {"job", 2},
  {"psn", 4},
  {"aggregator_index", 4},
  {"bitmap0", 4, base.HEX},
  {"priority", 2},
  {"branch", 2},
  {"fan_in_degree0", 1},
  {"fan_in_degree1", 1},
  {"worker", 2},
}
local PS = {
  {"kind", 1, base.DEC, KINDS},
  {"flags", 1, base.HEX},
  {"job", 2},
  {"psn", 4},
  {"bitmap0", 4, base.HEX},
  {"branch", 2},
  {"worker", 2},
}

local FLOW = {
  {"kind", 1, base.DEC, KINDS},
  {"flags", 1, base.HEX},
  {"job", 2},
  {"psn", 4},
  {"sequence", 4},
  {"acknowledged_before", 4},
  {"credit", 2},
  {"worker", 2},
}
local FLOW_FLAGS = {{"ecn", 1}, {"resend", 2}, {"ecn_echo", 4}, {"acknowledge_now", 128}}

local REGISTRATION_KINDS = {
  [1] = "join",
  [2] = "waiting",
  [3] = "announce",
  [4] = "welcome",
  [5] = "ready",
  [6] = "ended",
  [7] = "refused",
  [8] = "probe",
}
local REGISTRATION = {
  {"kind", 1, base.DEC, REGISTRATION_KINDS},
  {"reason", 1},
  {"flags", 1, base.HEX},
  {"system", 1},
  {"job", 2},
  {"member", 2},
  {"id", 2},
  {"latest_id", 2},
  {"workers", 2},
  {"values_per_packet", 2},
  {"incarnation", 8, base.HEX},
  {"epoch", 4, base.HEX},
  {"cluster", 4, base.HEX},
  {"detail", 2},
}
local LISTED_MEMBERS = 8

local UNSIGNED =
  {[1] = ProtoField.uint8, [2] = ProtoField.uint16, [4] = ProtoField.uint32, [8] = ProtoField.uint64}

-- Creates a field for each row of a header's layout, and one for its values.
local function fields_of(name, layout)
  local fields = {}
  for _, row in ipairs(layout) do
    local field, bytes, form, names = table.unpack(row)
    fields[field] = UNSIGNED[bytes](name .. "." .. field, field, form or base.DEC, names)
  end
  fields.value = ProtoField.int32(name .. ".value", "value")
  return fields
end

-- Bytes of a field in the header at the beginning of `buffer`.
local function bytes_of(buffer, layout, name)
  local at = 0
  for _, row in ipairs(layout) do
    if row[1] == name then
      return buffer(at, row[2])
    end
    at = at + row[2]
  end
end

local function header_bytes(layout)
  local bytes = 0
  for _, row in ipairs(layout) do
    bytes = bytes + row[2]
  end
  return bytes
end

-- Adds the header's fields; returns their items.
local function add_header(tree, buffer, layout, fields)
  local items = {}
  for _, row in ipairs(layout) do
    items[row[1]] = tree:add(fields[row[1]], bytes_of(buffer, layout, row[1]))
  end
  return items
end

local function add_values(tree, buffer, at, field)
  if at == buffer:len() then
    return
  end
  local values = tree:add(buffer(at), "Values")
  for offset = at, buffer:len() - 4, 4 do
    values:add(field, buffer(offset, 4))
  end
end

-- Declares a protocol with the layout of its header. `describe(packet, part, items)` returns the
-- summary of a frame and the field of its values. `part(name)` is the bytes of a field, `items` are
-- the fields in the tree.
local function declare(name, title, layout, fields, describe)
  local protocol = Proto(name, title)
  protocol.fields = fields

  function protocol.dissector(buffer, packet, tree)
    local bytes = header_bytes(layout)
    if buffer:len() < bytes then
      return 0
    end
    local function part(field)
      return bytes_of(buffer, layout, field)
    end
    local item = tree:add(protocol, buffer())
    local items = add_header(item, buffer, layout, fields)
    local info, value_field = describe(packet, part, items)
    packet.cols.protocol = title
    packet.cols.info = info
    add_values(item, buffer, bytes, value_field)
    return buffer:len()
  end
  return protocol
end

local function declare_switchml()
  local fields = fields_of("ina_switchml", SWITCHML)
  fields.version = ProtoField.uint16("ina_switchml.version", "version", base.DEC, nil, 0x8000)
  fields.slot = ProtoField.uint16("ina_switchml.slot", "slot", base.DEC, nil, 0x7fff)

  return declare("ina_switchml", "SwitchML", SWITCHML, fields, function(packet, part, items)
    local place = part("version_and_slot")
    items.version_and_slot:add(fields.version, place)
    items.version_and_slot:add(fields.slot, place)
    local info = string.format("%s, job %d, fragment %d, slot %d of version %d, worker %d",
      packet.dst_port == RESULT_PORT and "result" or "update", part("job"):uint(),
      part("offset"):uint(), place:bitfield(1, 15), place:bitfield(0, 1), part("worker"):uint())
    return info, fields.value
  end)
end

-- ATP, DSA and the plain parameter server differ only in their layouts. The last one has no
-- aggregators.
local function declare_aggregation(name, title, layout)
  local fields = fields_of(name, layout)
  fields.float_value = ProtoField.float(name .. ".float_value", "value")
  for _, flag in ipairs(FLAGS) do
    fields["flag_" .. flag[1]] =
      ProtoField.bool(name .. ".flags." .. flag[1], flag[1], 8, nil, flag[2])
  end

  return declare(name, title, layout, fields, function(_, part, items)
    local flags = part("flags")
    for _, flag in ipairs(FLAGS) do
      items.flags:add(fields["flag_" .. flag[1]], flags)
    end
    local aggregator = part("aggregator_index")
    local info = string.format("%s, job %d, PSN %d,%s worker %d",
      KINDS[part("kind"):uint()] or "unknown kind", part("job"):uint(), part("psn"):uint(),
      aggregator and string.format(" aggregator %d,", aggregator:uint()) or "",
      part("worker"):uint())
    local floats = flags:bitfield(FLOATS_BIT, 1) == 1
    return info, floats and fields.float_value or fields.value
  end)
end

local function declare_flow()
  local fields = fields_of("ina_flow", FLOW)
  for _, flag in ipairs(FLOW_FLAGS) do
    fields["flag_" .. flag[1]] =
      ProtoField.bool("ina_flow.flags." .. flag[1], flag[1], 8, nil, flag[2])
  end

  return declare("ina_flow", "Flow", FLOW, fields, function(_, part, items)
    for _, flag in ipairs(FLOW_FLAGS) do
      items.flags:add(fields["flag_" .. flag[1]], part("flags"))
    end
    local info = string.format("%s, job %d, PSN %d, sequence %d, worker %d",
      KINDS[part("kind"):uint()] or "unknown kind", part("job"):uint(), part("psn"):uint(),
      part("sequence"):uint(), part("worker"):uint())
    return info, fields.value
  end)
end

local function declare_registration()
  local fields = fields_of("ina_registration", REGISTRATION)
  fields.listed = ProtoField.uint16("ina_registration.listed", "listed")
  local protocol = Proto("ina_registration", "Registration")
  protocol.fields = fields

  function protocol.dissector(buffer, packet, tree)
    local bytes = header_bytes(REGISTRATION)
    if buffer:len() < bytes + 2 * LISTED_MEMBERS then
      return 0
    end
    local item = tree:add(protocol, buffer())
    add_header(item, buffer, REGISTRATION, fields)
    for member = 0, LISTED_MEMBERS - 1 do
      item:add(fields.listed, buffer(bytes + 2 * member, 2))
    end
    local function number(field)
      return bytes_of(buffer, REGISTRATION, field):uint()
    end
    packet.cols.protocol = "Registration"
    packet.cols.info = string.format("%s, job %d, member %d, id %d",
      REGISTRATION_KINDS[number("kind")] or "unknown kind", number("job"), number("member"),
      number("id"))
    return buffer:len()
  end
  return protocol
end

local switchml = declare_switchml()
local atp = declare_aggregation("ina_atp", "ATP", ATP)
local dsa = declare_aggregation("ina_dsa", "DSA", DSA)
local ps = declare_aggregation("ina_ps", "PS", PS)
local flow = declare_flow()
local registration = declare_registration()

DissectorTable.get("udp.port"):add(UPDATE_PORT, switchml)
DissectorTable.get("udp.port"):add(RESULT_PORT, switchml)
DissectorTable.get("udp.port"):add(PS_PORT, ps)
DissectorTable.get("udp.port"):add(FLOW_PORT, flow)
DissectorTable.get("udp.port"):add(REGISTRATION_PORT, registration)
DissectorTable.get("ip.proto"):add(IP_PROTOCOL_ATP, atp)
DissectorTable.get("ip.proto"):add(IP_PROTOCOL_DSA, dsa)
