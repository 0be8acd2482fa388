# SPDX-License-Identifier: BSD-3-Clause
"""Properties of a scenario file that are needed before it runs: the compared variants, and values
of keys. The simulator has accepted the file, hence nothing is checked again here."""

from dataclasses import dataclass
from pathlib import Path

from analysis import scenario_documents, scenario_keys
from analysis.kinds import style
from analysis.results import AnalysisError
from analysis.sensitivity.ranges import value_of

SYSTEM = "/system"


@dataclass(frozen=True)
class Scenario:
    """A scenario file with the files that it extends and the settings of --set."""

    file: Path
    document: dict

    @property
    def systems(self):
        """{name of a variant, or label of a swept system: system}"""
        own = self.document.get("system", scenario_keys.default_of(SYSTEM))
        variants = self.document.get("variants")
        if variants:
            return {name: partial.get("system", own) for name, partial in variants.items()}
        swept = self.document.get("sweep", {}).get(SYSTEM, [own])
        return {style.SYSTEM_NAMES[system]: system for system in swept}

    def value(self, key):
        """The value of a key, or its default; None if unknown."""
        value = self.document
        for name in scenario_keys.names_of(key):
            if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            elif isinstance(value, dict) and name in value:
                value = value[name]
            else:
                return scenario_keys.default_of(key)
        return value

    def check_point(self):
        """Rejects a scenario with several points, or with nothing to compare."""
        for key, values in self.document.get("sweep", {}).items():
            if key == SYSTEM and not self.document.get("variants"):
                continue
            if len(values) > 1:
                raise AnalysisError(
                    f"{self.file}: /sweep: {len(values)} values of {key}; allowed: one point, chosen by "
                    f"--set {key}=VALUE"
                )
        if len(self.systems) < 2:
            raise AnalysisError(
                f"{self.file}: only {', '.join(self.systems)}; allowed: two variants or more, or swept systems"
            )

    def why_unused(self, key):
        """Reason why no system of the scenario reads a key; "" if one does, as far as known here."""
        names = scenario_keys.names_of(key)
        if names[0] in style.SYSTEM_NAMES and names[0] not in self.systems.values():
            return f"no variant has the system {names[0]}"
        is_star = self.value("/topology/type") == "star" and self.value("/topology/racks") == 1
        return "there is one switch" if names[:2] == ["topology", "uplink"] and is_star else ""


def read(file, settings):
    """`settings`: those of --set, in order."""
    document = scenario_documents.document_of(Path(file))
    for setting in settings:
        key, _, text = setting.partition("=")
        scenario_documents.assign(document, key, value_of(text))
    return Scenario(Path(file), document)
