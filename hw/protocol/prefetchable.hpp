// SPDX-License-Identifier: BSD-3-Clause
// Interfaces of objects that fetch what they will need into the cache before they need it. They are
// optional: an owner that handles many objects in turn finds them once, by dynamic_cast, when it
// installs an object, and a null pointer means that the object fetches nothing. Fetching never
// changes a result.
#pragma once

namespace ina {

struct Frame;

/// An object whose next use is known some time before it comes.
class Prefetchable {
 public:
  virtual ~Prefetchable() = default;
  /// The object is used soon: fetches what that will need, beyond the first cache line of the
  /// object. `step` counts from 0; each step may read what the one before has fetched. A step may
  /// be left out or come twice.
  virtual void fetch_ahead(unsigned step) const = 0;
};

/// An object to which each frame needs something else: the data plane of a switch.
class FramePrefetchable {
 public:
  virtual ~FramePrefetchable() = default;
  /// The frame is handled soon: fetches what it is likely to need, in one step.
  virtual void fetch_ahead(const Frame& frame) const = 0;
};

}  // namespace ina
