// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/fields.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ina::endpoints {

namespace {

constexpr std::size_t kMostShown = 60;

/// Nothing in a cluster file has a path.
class ClusterDocument final : public fields::Document {
 public:
  const std::filesystem::path& directory_of(const std::string&) const override { return nowhere_; }

 private:
  fields::InputError error_at(const std::string& pointer,
                              const std::string& message) const override {
    return {"", pointer, message};
  }

  std::filesystem::path nowhere_;
};

std::string shown(const nlohmann::json& value) {
  std::string text = value.dump();
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + " ...";
  return text;
}

}  // namespace

Fields::Fields(const nlohmann::json& object, std::string place)
    : object_(object), place_(std::move(place)) {
  if (!object.is_object()) {
    throw InputError(place_ + ": " + shown(object) + "; allowed: an object");
  }
}

const nlohmann::json& Fields::at(std::string_view key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) throw InputError(place_of(key) + ": missing");
  return *found;
}

void Fields::visit(std::string_view key,
                   const std::function<void(fields::ObjectReader&)>& read) const {
  const ClusterDocument document;
  const fields::Json value(at(key));
  try {
    fields::ObjectReader reader(document, value, place_of(key));
    read(reader);
  } catch (const fields::InputError& error) {
    throw InputError(fields::on_one_line(error.place() + ": " + error.message()));
  }
}

const nlohmann::json& Fields::array_at(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_array()) refuse(key, "an array");
  return value;
}

std::vector<std::uint64_t> Fields::numbers(std::string_view key) const {
  const nlohmann::json& array = array_at(key);
  const auto is_number = [](const nlohmann::json& value) { return value.is_number_unsigned(); };
  if (!std::ranges::all_of(array, is_number)) refuse(key, "an array of integers of 0 or more");
  return array.get<std::vector<std::uint64_t>>();
}

double Fields::probability(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1)) {
    refuse(key, "a number from 0 to 1");
  }
  return value.get<double>();
}

bool Fields::boolean(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_boolean()) refuse(key, "true, false");
  return value.get<bool>();
}

std::string Fields::text(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_string()) refuse(key, "a string");
  return value.get<std::string>();
}

void Fields::refuse(std::string_view key, const std::string& allowed) const {
  throw InputError(place_of(key) + ": " + shown(at(key)) + "; allowed: " + allowed);
}

nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path + ": " + std::strerror(errno));
  try {
    return nlohmann::json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path + ": " + error.what());
  }
}

}  // namespace ina::endpoints
