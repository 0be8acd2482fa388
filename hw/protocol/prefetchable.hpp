// SPDX-License-Identifier: BSD-3-Clause
// Interfaces of objects that can prefetch the memory that their next use will need. They are
// optional: the owner of an object applies dynamic_cast when it installs the object. A null pointer
// then means that the object prefetches nothing. Prefetching never changes a result.
#pragma once

namespace ina {

struct Frame;

/// An object whose next use is known some time in advance.
class Prefetchable {
 public:
  virtual ~Prefetchable() = default;
  /// Called some time before the object is used. Prefetches the memory that this use needs, except
  /// the object's first cache line. `step` counts from 0; a step may read memory that the previous
  /// step prefetched. Steps may be omitted or repeated.
  virtual void fetch_ahead(unsigned step) const = 0;
};

/// An object that needs different memory for each frame: the data plane of a switch.
class FramePrefetchable {
 public:
  virtual ~FramePrefetchable() = default;
  /// Called some time before the frame is handled. Prefetches the memory that handling it needs.
  virtual void fetch_ahead(const Frame& frame) const = 0;
};

}  // namespace ina
