/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SCENARIO_DOCUMENT_H
#define INA_SCENARIO_DOCUMENT_H

#include "strict-json.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace ns3
{

/// Where a part of a document was written.
struct Origin
{
    std::string file;                ///< for error messages
    std::filesystem::path directory; ///< base of the relative paths in it
};

/// A JSON document put together from one file or several, which knows where each of its parts comes
/// from.
class ScenarioDocument
{
  public:
    /// The document in the text of one file, as it stands. Throws ScenarioError.
    static ScenarioDocument Parse(const std::filesystem::path& path, std::string_view text);

    /**
     * The document in a scenario file over the files that it extends: objects are merged,
     * everything else is replaced. The name of an experiment is its own: it is not handed down.
     * Throws ScenarioError.
     */
    static ScenarioDocument ReadExtended(const std::filesystem::path& path);

    const Json&
    Root() const
    {
        return m_root;
    }

    /// The path of the file itself, as given.
    const std::filesystem::path&
    Path() const
    {
        return m_path;
    }

    /// The origin of what stands at the pointer.
    const Origin& OriginOf(const std::string& pointer) const;

    /// Replaces what stands at the pointer; objects on the way to it are made, elements of an array
    /// must exist. Throws ScenarioError that blames `blamed`, the place in `origin` where the
    /// pointer is written.
    void Set(const std::string& pointer,
             const Json& value,
             const Origin& origin,
             const std::string& blamed);

    /// Takes a key out of the object at the pointer, if both exist.
    void Erase(const std::string& pointer, const std::string& key);

    /// Throws the ScenarioError for what stands at the pointer.
    [[noreturn]] void Fail(const std::string& pointer, const std::string& message) const;

  private:
    explicit ScenarioDocument(const std::filesystem::path& path);

    void Merge(Json& target, const std::string& pointer, const Json& overlay, const Origin& origin);
    /// Notes that one origin wrote all that stands at the pointer.
    void Own(const std::string& pointer, const Origin& origin);

    Json m_root = Json::object();
    std::filesystem::path m_path;
    Origin m_main;
    std::map<std::string, Origin> m_origins; ///< by pointer; holds for everything below, too
};

} // namespace ns3

#endif // INA_SCENARIO_DOCUMENT_H
