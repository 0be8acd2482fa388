// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/mp11.hpp>
#include <cstddef>
#include <memory>
#include <tuple>

#include "hw/cluster/systems/all.hpp"
#include "hw/cluster/systems/system.hpp"
#include "hw/fields/object_reader.hpp"
#include "hw/fields/object_writer.hpp"

namespace ina::cluster {

/// Reads and writes the settings of any system. Host programs use an object that knows the
/// host-side keys. Programs that make switches use an object that knows all keys.
class SettingsFields {
 public:
  virtual ~SettingsFields() = default;

  /// Reads settings without filling them in. Throws fields::InputError.
  virtual std::shared_ptr<System> read(SystemId system, fields::ObjectReader& reader) const = 0;
  /// Writes settings, which must be of the classes that this object reads.
  virtual void write(const System& settings, fields::ObjectWriter& writer) const = 0;
};

/// Treatment, when settings are read, of keys that a system's class does not have.
enum class OtherKeys : std::uint8_t { skipped, refused };

/// `Systems`: a tuple of the systems' classes, in the order of AllSystems.
template <class Systems, OtherKeys kOtherKeys>
class SettingsFieldsOf final : public SettingsFields {
  static_assert(std::tuple_size_v<Systems> == kSystems);

 public:
  std::shared_ptr<System> read(SystemId system, fields::ObjectReader& reader) const override {
    return with(system, [&](auto index) -> std::shared_ptr<System> {
      using OfSystem = std::tuple_element_t<index, Systems>;
      auto settings = std::make_shared<OfSystem>();
      OfSystem::visit(reader, *settings);
      if (kOtherKeys == OtherKeys::refused) reader.finish();
      const auto invalid = settings->find_invalid();
      if (invalid) reader.fail(invalid->key, invalid->message);
      return settings;
    });
  }

  void write(const System& settings, fields::ObjectWriter& writer) const override {
    with(system_called(settings.traits().name), [&](auto index) {
      using OfSystem = std::tuple_element_t<index, Systems>;
      OfSystem::visit(writer, dynamic_cast<const OfSystem&>(settings));
    });
  }

 private:
  template <class Use>
  static decltype(auto) with(SystemId system, Use&& use) {
    return boost::mp11::mp_with_index<kSystems>(static_cast<std::size_t>(system), use);
  }
};

}  // namespace ina::cluster
