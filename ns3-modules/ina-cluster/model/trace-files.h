/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_TRACE_FILES_H
#define INA_TRACE_FILES_H

#include "object-reader.h"
#include "scenario.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// Compute-time factors: [worker][iteration].
using SpeedTable = std::vector<std::vector<double>>;

inline constexpr double MAX_SPEED_FACTOR = 1000;

/// The folder of profiles and traces: environment variable INA_TRACES, else traces/ of the source
/// tree.
std::filesystem::path TracesDirectory();

/**
 * Model profiles and speed tables, which scenarios name, from their files; each file is read once.
 * All functions throw ScenarioError: at the pointer if what stands there names no file, else with
 * the place in the file.
 */
class TraceFiles
{
  public:
    /// The profile in "path.json", relative to the scenario file, or in profiles/<name>.json of
    /// TracesDirectory().
    const ModelProfile& Profile(const ScenarioDocument& document,
                                const std::string& pointer,
                                const std::string& name);

    /// The table in a CSV file whose path is relative to the scenario file or, if there is none, to
    /// TracesDirectory(). Columns worker (from 0), iteration (from 0 for each worker),
    /// relative_time.
    const SpeedTable& Speeds(const ScenarioDocument& document,
                             const std::string& pointer,
                             const std::string& name);

  private:
    std::map<std::filesystem::path, ModelProfile> m_profiles;
    std::map<std::filesystem::path, SpeedTable> m_speeds;
};

/// A profile from an object: keys of VisitProfile() and "send_order". Throws ScenarioError.
ModelProfile ReadProfile(ObjectReader& reader, const std::string& default_name);

/// A speed table from the rows of a CSV file; `file` is for messages. Throws ScenarioError.
SpeedTable ParseSpeeds(std::string_view text, const std::string& file);

} // namespace ns3

#endif // INA_TRACE_FILES_H
