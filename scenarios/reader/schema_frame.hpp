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
  "description": "An experiment. docs/reference/scenario explains all keys. This schema requires no key, since a file may extend another one. The complete experiment needs jobs with profiles, or other traffic with traffic/until.",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "$schema": {
      "type": "string",
      "description": "Path of this schema, for editors. The simulator ignores this key."
    },
    "extends": {
      "type": "string",
      "minLength": 1,
      "description": "Path of another scenario file, relative to this file. This file is merged over the other one: objects are merged, and all other values are replaced."
    },
    "name": {
      "type": "string",
      "pattern": "^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$",
      "description": "Name of the experiment and of its result folder: up to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit and not ending with a dot. Default: the file's name without .json, with - in place of other characters. The name is not inherited through extends."
    },
    "$fields": "scenario",
    "jobs": {
      "description": "Training jobs: an object for equal jobs, or an array of such objects. Maximum: 256 jobs in all. Required unless traffic/until is set.",
      "oneOf": [
        {"$ref": "#/$defs/job"},
        {"type": "array", "minItems": 1, "maxItems": 256, "items": {"$ref": "#/$defs/job"}}
      ]
    },
    "seeds": {
      "description": "Seeds of the random numbers, without duplicates. Each point of the sweep runs once with each seed.",
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
          "description": "List of seeds, such as \"1-5\" or \"1,3,7-9\"."
        }
      ]
    },
    "variants": {
      "type": "object",
      "description": "Variants of the scenario, by name. The keys of each variant are merged over this scenario. The whole sweep runs with each variant, which is one line of the figures.",
      "minProperties": 1,
      "maxProperties": 256,
      "propertyNames": {"pattern": "^(?! )[ -.0-<>-}]{1,40}(?<! )$"},
      "additionalProperties": {
        "type": "object",
        "properties": {
          "$fields": "variant",
          "jobs": {"description": "Training jobs as in the scenario, or only some of their keys."}
        },
        "additionalProperties": false
      }
    },
    "baseline": {
      "type": "string",
      "description": "Name of the variant or system with which others are compared: the printed table and the figures divide each mean JCT by that of the baseline. Default: the system dsa if it is a line of the figures, otherwise the variant DSA, otherwise no baseline."
    },
    "sweep": {
      "type": "object",
      "description": "Swept keys: JSON pointers, each with an array of values. All combinations run. Maximum: 10000 runs, including all seeds.",
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
      "description": "A group of equal jobs.",
      "additionalProperties": false,
      "properties": {
        "$fields": "job",
        "profile": {
          "description": "Model profile of the jobs, required: the name of a profile in traces/profiles, the path of a file, an object, or an object with from, a part of another profile. With an array of these, the jobs use the profiles in turn.",
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
          "description": "Factors of the workers' compute times: a CSV file, or an array with a row for each worker. A larger factor is slower. Worker w uses row w modulo the number of rows, and iteration i uses element i modulo the length of that row. Default: all factors are 1.",
          "oneOf": [
            {
              "type": "string",
              "minLength": 1,
              "description": "Path of a CSV file with the columns worker,iteration,relative_time. The path is relative to this file or, if no file exists there, to traces/."
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
      "description": "Name of a profile in traces/profiles, without .json, or the path of a .json file, relative to this file."
    },
    "profile": {
      "type": "object",
      "description": "A model profile.",
      "additionalProperties": false,
      "properties": {
        "$fields": "profile",
        "send_order": {
          "type": "array",
          "description": "Order in which the partitions are sent: [layer, partition] of each partition once, both counted from 1. Default: from the last layer to the first, partitions of a layer in ascending order.",
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
      "description": "A part of another profile: the parameters and compute times of that profile's layers are multiplied by a scale.",
      "required": ["from", "scale"],
      "additionalProperties": false,
      "properties": {
        "from": {
          "type": "string",
          "minLength": 1,
          "description": "Name or path of the other profile, which must not have send_order."
        },
        "scale": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 1,
          "description": "Factor of parameters and compute times. A layer with parameters keeps at least 1, and partition_bytes does not change."
        },
        "name": {
          "type": "string",
          "description": "Name of the model. Default: the name of the other profile, x, and the scale."
        },
        "exposed": {
          "type": "number",
          "minimum": 0,
          "maximum": 1,
          "description": "Share of the gradient that is submitted after the backward pass, as in a profile. Default: that of the other profile."
        }
      }
    }
  }
})json";

}  // namespace ina::scenarios
