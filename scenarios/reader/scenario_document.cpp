// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/scenario_document.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hw/fields/counted.hpp"
#include "hw/fields/input_error.hpp"
#include "hw/fields/read_number.hpp"
#include "scenarios/reader/former_names.hpp"

namespace ina::scenarios {

namespace {

constexpr std::size_t kMaxExtends = 16;

Json read_json_file(const std::filesystem::path& path) {
  std::string text;
  try {
    text = read_text_file(path);
  } catch (const std::runtime_error& error) {
    throw InputError(path.string(), "", fmt::format("cannot be read: {}", error.what()));
  }
  return parse_strict_json(text, path.string());
}

/// One file in a chain of "extends".
struct Link {
  std::filesystem::path path;
  Json content;
};

std::string chain_text(const std::vector<Link>& chain, const std::filesystem::path& next) {
  std::string text;
  for (const auto& link : chain) {
    text += link.path.string() + " -> ";
  }
  return text + next.string();
}

/// The file that the last link of the chain extends. Throws InputError if that is not possible.
Link extended(const std::vector<Link>& chain, const Json& extends) {
  const auto& from = chain.back().path;
  const auto fail = [&from](const std::string& message) {
    throw InputError(from.string(), "/extends", message);
  };
  if (!extends.is_string() || extends.get_ref<const std::string&>().empty()) {
    fail(fmt::format("found {}; allowed: the path of a scenario file, relative to this one",
                     describe(extends)));
  }
  const auto path = (from.parent_path() / extends.get_ref<const std::string&>()).lexically_normal();
  const auto text = chain_text(chain, path);
  for (const auto& link : chain) {
    std::error_code missing;
    if (std::filesystem::equivalent(link.path, path, missing)) {
      fail(fmt::format("found the cycle {}; allowed: a chain that ends", text));
    }
  }
  if (chain.size() == kMaxExtends) {
    fail(fmt::format("found the chain {}; allowed: at most {} files", text, kMaxExtends));
  }
  std::string content;
  try {
    content = read_text_file(path);
  } catch (const std::runtime_error& error) {
    fail(fmt::format("{}: the last file cannot be read: {}", text, error.what()));
  }
  return {path, parse_strict_json(content, path.string())};
}

/// Array index that a key of a pointer denotes; `size` if it denotes none.
std::size_t array_index(const std::string& key, std::size_t size) {
  std::size_t index = 0;
  const bool canonical = fields::read_number(key, index) && (key == "0" || key.front() != '0');
  return canonical ? std::min(index, size) : size;
}

}  // namespace

ScenarioDocument::ScenarioDocument(const std::filesystem::path& path)
    : path_(path), main_{path.string(), path.parent_path()} {}

ScenarioDocument ScenarioDocument::parse(const std::filesystem::path& path, std::string_view text) {
  ScenarioDocument document(path);
  document.root_ = parse_strict_json(text, path.string());
  return document;
}

ScenarioDocument ScenarioDocument::read_extended(const std::filesystem::path& path) {
  std::vector<Link> chain{{path, read_json_file(path)}};
  while (chain.back().content.is_object() && chain.back().content.contains("extends")) {
    chain.push_back(extended(chain, chain.back().content["extends"]));
  }
  ScenarioDocument document(path);
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    if (!link->content.is_object()) {
      throw InputError(link->path.string(), "",
                       fmt::format("found {}; allowed: an object with the keys of a scenario",
                                   describe(link->content)));
    }
    document.root_.erase("name");
    Origin origin{link->path.string(), link->path.parent_path()};
    document.merge(document.root_, "", link->content,
                   [&origin](const std::string& /*pointer*/) { return origin; });
  }
  return document;
}

const Origin& ScenarioDocument::origin_of(const std::string& pointer) const {
  for (auto place = pointer; !place.empty(); place.resize(place.find_last_of('/'))) {
    if (const auto found = origins_.find(place); found != origins_.end()) {
      return found->second;
    }
  }
  return main_;
}

void ScenarioDocument::set(const std::string& pointer, const Json& value, const Origin& origin,
                           const std::string& blamed) {
  Json* place = &root_;
  std::string way;
  for (const auto& key : split_pointer(pointer)) {
    if (place->is_array()) {
      const auto index = array_index(key, place->size());
      if (index == place->size()) {
        throw InputError(origin.file, blamed,
                         fmt::format("found element \"{2}\" of the array {0}, which has {1}; "
                                     "allowed: the number of an element, from 0",
                                     way, counted(place->size(), "element"), key));
      }
      place = &(*place)[index];
    } else if (place->is_object()) {
      const bool made = !place->contains(key);
      place = &(*place)[key];
      if (made) {
        *place = Json::object();
      }
    } else {
      throw InputError(origin.file, blamed,
                       fmt::format("found a pointer below {}, which is {}; allowed: the pointer of "
                                   "a key or an element of the scenario",
                                   way, describe(*place)));
    }
    way = pointer_to(way, key);
  }
  *place = value;
  own(way, origin);
}

void ScenarioDocument::merge_part(const std::string& part) {
  const Json overlay = root_.at(Json::json_pointer(part));
  merge(root_, "", overlay, [this, &part](const std::string& pointer) {
    Origin origin = origin_of(part + pointer);
    origin.place = part;
    return origin;
  });
}

void ScenarioDocument::erase(const std::string& pointer, const std::string& key) {
  const Json::json_pointer place(pointer);
  if (root_.contains(place) && root_[place].is_object()) {
    root_[place].erase(key);
  }
}

InputError ScenarioDocument::error_at(const std::string& pointer,
                                      const std::string& message) const {
  const Origin& origin = origin_of(pointer);
  return {origin.file, origin.place + pointer, message};
}

void ScenarioDocument::merge(Json& target, const std::string& pointer, const Json& overlay,
                             const OriginOf& origin_at) {
  if (!overlay.is_object()) {
    target = overlay;
    own(pointer, origin_at(pointer));
    return;
  }
  if (!target.is_object()) {
    target = Json::object();
    own(pointer, origin_at(pointer));
  }
  for (const auto& [key, value] : overlay.items()) {
    merge(target[key], pointer_to(pointer, key), value, origin_at);
  }
}

void ScenarioDocument::own(const std::string& pointer, const Origin& origin) {
  std::erase_if(origins_, [below = pointer + '/'](const auto& entry) {
    return entry.first.starts_with(below);
  });
  origins_[pointer] = origin;
}

std::span<const FormerKey> ScenarioDocument::former_keys() const { return kFormerKeys; }

std::span<const FormerValue> ScenarioDocument::former_values() const { return kFormerValues; }

}  // namespace ina::scenarios
