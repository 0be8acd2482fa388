// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ina::scenarios {

/// The hand-written part of the schema of scenario files: keys whose value describes several fields
/// of the scenario. "$fields" marks where the keys of scenario_fields.hpp are inserted.
inline constexpr std::string_view kSchemaFrame = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$comment": "SPDX-License-Identifier: BSD-3-Clause. Printed by ina-sim schema.",
  "title": "INA Lab scenario",
  "description": "One file is one experiment. docs/reference/scenario explains every key. Nothing is required here, as a file may extend another one; the whole must have jobs, and each job a profile.",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "$schema": {
      "type": "string",
      "description": "Path of this schema, for editors; ignored."
    },
    "extends": {
      "type": "string",
      "minLength": 1,
      "description": "Path of a scenario file, relative to this one, that this one is merged over: objects are merged, everything else is replaced."
    },
    "name": {
      "type": "string",
      "pattern": "^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$",
      "description": "Name of the experiment and of its result folder, up to 100 of A-Z a-z 0-9 . _ -, a letter or digit first, no dot last; by default the file's name without .json, with - in place of other characters. It is not inherited through extends."
    },
    "$fields": "scenario",
    "jobs": {
      "description": "The training jobs, required: an object for equal ones, or an array of them; at most 256 jobs in all, and no more workers than hosts.",
      "oneOf": [
        {"$ref": "#/$defs/job"},
        {"type": "array", "minItems": 1, "maxItems": 256, "items": {"$ref": "#/$defs/job"}}
      ]
    },
    "seeds": {
      "description": "Seeds of the random numbers, none twice; every point of the sweep runs once with each.",
      "default": [1],
      "oneOf": [
        {"type": "integer", "minimum": 1, "maximum": 4294967295},
        {
          "type": "array",
          "minItems": 1,
          "maxItems": 10000,
          "uniqueItems": true,
          "items": {"type": "integer", "minimum": 1, "maximum": 4294967295}
        },
        {
          "type": "string",
          "pattern": "^[1-9][0-9]{0,9}(-[1-9][0-9]{0,9})?(,[1-9][0-9]{0,9}(-[1-9][0-9]{0,9})?)*$",
          "description": "Such as \"1-5\" or \"1,3,7-9\"."
        }
      ]
    },
    "variants": {
      "type": "object",
      "description": "Named partial scenarios: each is merged over this one in turn, and all of the sweep runs with each; a line of the figures.",
      "minProperties": 1,
      "maxProperties": 256,
      "propertyNames": {"pattern": "^(?! )[ -.0-<>-}]{1,40}(?<! )$"},
      "additionalProperties": {
        "type": "object",
        "properties": {
          "$fields": "variant",
          "jobs": {"description": "As in the scenario, or some of its keys."}
        },
        "additionalProperties": false
      }
    },
    "baseline": {
      "type": "string",
      "description": "Name of the variant, or of the system, whose mean JCT the others are divided by in the printed table and the figures; by default the system dsa, or else the variant DSA, if there is one."
    },
    "sweep": {
      "type": "object",
      "description": "JSON pointers and the values that each takes: all combinations run, at most 10000 runs with all seeds.",
      "maxProperties": 256,
      "propertyNames": {
        "pattern": "^/(?!(\\$schema|extends|name|description|seeds|sweep|variants|baseline)(/|$))([^~]|~[01])*$"
      },
      "additionalProperties": {"type": "array", "minItems": 1, "uniqueItems": true}
    }
  },
  "$defs": {
    "job": {
      "type": "object",
      "description": "Equal jobs.",
      "additionalProperties": false,
      "properties": {
        "$fields": "job",
        "profile": {
          "description": "The model, required: a name of traces/profiles, a path or an object, or a part of another profile; or an array of these, which the jobs take in turn.",
          "oneOf": [
            {"$ref": "#/$defs/profile_name"},
            {"$ref": "#/$defs/profile"},
            {"$ref": "#/$defs/scaled_profile"},
            {
              "type": "array",
              "minItems": 1,
              "items": {
                "oneOf": [
                  {"$ref": "#/$defs/profile_name"},
                  {"$ref": "#/$defs/profile"},
                  {"$ref": "#/$defs/scaled_profile"}
                ]
              }
            }
          ]
        },
        "compute_time_factors": {
          "description": "Factors of a worker's compute times, where a larger one is slower: a CSV file, or a row for each worker; worker w takes row w modulo the rows, iteration i its element i modulo its length. By default all are 1.",
          "oneOf": [
            {
              "type": "string",
              "minLength": 1,
              "description": "Path of a CSV file (worker,iteration,relative_time), relative to this file or else to traces/."
            },
            {
              "type": "array",
              "minItems": 1,
              "items": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000}
              }
            }
          ]
        }
      }
    },
    "profile_name": {
      "type": "string",
      "minLength": 1,
      "description": "A name of traces/profiles, without .json, or the path of a .json file, relative to this one."
    },
    "profile": {
      "type": "object",
      "description": "A model profile.",
      "additionalProperties": false,
      "properties": {
        "$fields": "profile",
        "send_order": {
          "type": "array",
          "description": "[layer, partition], from 1, of every partition once; by default back to front, partitions ascending.",
          "items": {
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "items": {"type": "integer", "minimum": 1}
          }
        }
      }
    },
    "scaled_profile": {
      "type": "object",
      "description": "A part of another profile: parameters and compute times of its layers are multiplied by a scale.",
      "required": ["from", "scale"],
      "additionalProperties": false,
      "properties": {
        "from": {
          "type": "string",
          "minLength": 1,
          "description": "The other profile, as a name or a path, without send_order."
        },
        "scale": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 1,
          "description": "Factor of parameters (at least 1 where there were any) and compute times; partition_bytes stays."
        },
        "name": {
          "type": "string",
          "description": "Name of the model; by default that of the other one, x, and the scale."
        },
        "exposed": {
          "type": "number",
          "minimum": 0,
          "maximum": 1,
          "description": "As in a profile; by default that of the other one."
        }
      }
    }
  }
})json";

}  // namespace ina::scenarios
