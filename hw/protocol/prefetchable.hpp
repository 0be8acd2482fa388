// SPDX-License-Identifier: BSD-3-Clause
// Interfaces of objects that fetch the memory of their next use into the cache. They are optional:
// an owner of many objects finds them by dynamic_cast when it installs an object, and a null
// pointer means that the object fetches nothing. Fetching never changes a result.
#pragma once

namespace ina {

struct Frame;

/// An object whose next use is known some time in advance.
class Prefetchable {
 public:
  virtual ~Prefetchable() = default;
  /// The object is used soon: fetches the memory for that, beyond the first cache line of the
  /// object. `step` counts from 0; each step may read memory that the previous step fetched. Steps
  /// may be omitted or repeated.
  virtual void fetch_ahead(unsigned step) const = 0;
};

/// An object that needs different memory for each frame: the data plane of a switch.
class FramePrefetchable {
 public:
  virtual ~FramePrefetchable() = default;
  /// The frame is handled soon: fetches the memory that it probably needs, in one step.
  virtual void fetch_ahead(const Frame& frame) const = 0;
};

}  // namespace ina
