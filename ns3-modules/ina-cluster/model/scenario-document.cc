/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-document.h"

#include "counted.h"
#include "scenario-error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_EXTENDS = 16;

Json
ReadJsonFile(const std::filesystem::path& path)
{
    std::string text;
    try
    {
        text = ReadTextFile(path);
    }
    catch (const std::runtime_error& error)
    {
        throw ScenarioError(path.string(), "", fmt::format("cannot be read: {}", error.what()));
    }
    return ParseStrictJson(text, path.string());
}

/// One file of a chain of "extends".
struct Link
{
    std::filesystem::path path;
    Json content;
};

std::string
ChainText(const std::vector<Link>& chain, const std::filesystem::path& next)
{
    std::string text;
    for (const auto& link : chain)
    {
        text += link.path.string() + " -> ";
    }
    return text + next.string();
}

/// The file that the last one of the chain extends. Throws ScenarioError if it cannot be.
Link
Extended(const std::vector<Link>& chain, const Json& extends)
{
    const auto& from = chain.back().path;
    const auto fail = [&from](const std::string& message)
    { throw ScenarioError(from.string(), "/extends", message); };
    if (!extends.is_string() || extends.get_ref<const std::string&>().empty())
    {
        fail(fmt::format("found {}; allowed: the path of a scenario file, relative to this one",
                         Describe(extends)));
    }
    const auto path =
        (from.parent_path() / extends.get_ref<const std::string&>()).lexically_normal();
    const auto text = ChainText(chain, path);
    for (const auto& link : chain)
    {
        std::error_code missing; // is told below, by the reading
        if (std::filesystem::equivalent(link.path, path, missing))
        {
            fail(fmt::format("{}: a cycle; allowed: a chain that ends", text));
        }
    }
    if (chain.size() == MAX_EXTENDS)
    {
        fail(fmt::format("{}: too long; allowed: a chain of at most {} files", text, MAX_EXTENDS));
    }
    std::string content;
    try
    {
        content = ReadTextFile(path);
    }
    catch (const std::runtime_error& error)
    {
        fail(fmt::format("{}: the last file cannot be read: {}", text, error.what()));
    }
    return {path, ParseStrictJson(content, path.string())};
}

/// The index that a key of a pointer means in an array of that size; the size itself if it means
/// none.
std::size_t
ArrayIndex(const std::string& key, std::size_t size)
{
    std::size_t index = 0;
    const auto* end = key.data() + key.size();
    const auto [stop, error] = std::from_chars(key.data(), end, index);
    const bool canonical =
        error == std::errc() && stop == end && (key == "0" || key.front() != '0');
    return canonical ? std::min(index, size) : size;
}

} // namespace

ScenarioDocument::ScenarioDocument(const std::filesystem::path& path) :
    m_path(path), m_main{path.string(), path.parent_path()}
{
}

ScenarioDocument
ScenarioDocument::Parse(const std::filesystem::path& path, std::string_view text)
{
    ScenarioDocument document(path);
    document.m_root = ParseStrictJson(text, path.string());
    return document;
}

ScenarioDocument
ScenarioDocument::ReadExtended(const std::filesystem::path& path)
{
    std::vector<Link> chain{{path, ReadJsonFile(path)}};
    while (chain.back().content.is_object() && chain.back().content.contains("extends"))
    {
        chain.push_back(Extended(chain, chain.back().content["extends"]));
    }
    ScenarioDocument document(path);
    for (auto link = chain.rbegin(); link != chain.rend(); ++link)
    {
        if (!link->content.is_object())
        {
            throw ScenarioError(
                link->path.string(),
                "",
                fmt::format("found {}; allowed: an object, the scenario", Describe(link->content)));
        }
        document.m_root.erase("name");
        document.Merge(document.m_root,
                       "",
                       link->content,
                       {link->path.string(), link->path.parent_path()});
    }
    return document;
}

const Origin&
ScenarioDocument::OriginOf(const std::string& pointer) const
{
    for (auto place = pointer; !place.empty(); place.resize(place.find_last_of('/')))
    {
        if (const auto found = m_origins.find(place); found != m_origins.end())
        {
            return found->second;
        }
    }
    return m_main;
}

void
ScenarioDocument::Set(const std::string& pointer,
                      const Json& value,
                      const Origin& origin,
                      const std::string& blamed)
{
    Json* place = &m_root;
    std::string way;
    for (const auto& key : SplitPointer(pointer))
    {
        if (place->is_array())
        {
            const auto index = ArrayIndex(key, place->size());
            if (index == place->size())
            {
                throw ScenarioError(
                    origin.file,
                    blamed,
                    fmt::format("the array {} has {} and no element \"{}\"; allowed: the "
                                "pointer of an element, counted from 0",
                                way,
                                Counted(place->size(), "element"),
                                key));
            }
            place = &(*place)[index];
        }
        else if (place->is_object())
        {
            const bool made = !place->contains(key);
            place = &(*place)[key];
            if (made)
            {
                *place = Json::object();
            }
        }
        else
        {
            throw ScenarioError(
                origin.file,
                blamed,
                fmt::format(
                    "{} is {}, nothing stands below it; allowed: the pointer of a key or an "
                    "element of the scenario",
                    way,
                    Describe(*place)));
        }
        way = PointerTo(way, key);
    }
    *place = value;
    Own(way, origin);
}

void
ScenarioDocument::Erase(const std::string& pointer, const std::string& key)
{
    const Json::json_pointer place(pointer);
    if (m_root.contains(place) && m_root[place].is_object())
    {
        m_root[place].erase(key);
    }
}

void
ScenarioDocument::Fail(const std::string& pointer, const std::string& message) const
{
    throw ScenarioError(OriginOf(pointer).file, pointer, message);
}

void
ScenarioDocument::Merge(Json& target,
                        const std::string& pointer,
                        const Json& overlay,
                        const Origin& origin)
{
    if (!overlay.is_object())
    {
        target = overlay;
        Own(pointer, origin);
        return;
    }
    if (!target.is_object())
    {
        target = Json::object();
        Own(pointer, origin);
    }
    for (const auto& [key, value] : overlay.items())
    {
        Merge(target[key], PointerTo(pointer, key), value, origin);
    }
}

void
ScenarioDocument::Own(const std::string& pointer, const Origin& origin)
{
    std::erase_if(m_origins,
                  [below = pointer + '/'](const auto& entry)
                  { return entry.first.starts_with(below); });
    m_origins[pointer] = origin;
}

} // namespace ns3
