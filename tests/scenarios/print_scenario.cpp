/* SPDX-License-Identifier: BSD-3-Clause */
/// For test_schema.py: prints the points of a scenario file as JSON with every default filled in,
/// or the one line of its error on stderr, with exit status 2. Usage: print-scenario FILE
/// [/json/pointer=value]...
#include "ns3-modules/ina-cluster/model/experiment.h"
#include "ns3-modules/ina-cluster/model/scenario-error.h"
#include "ns3-modules/ina-cluster/model/scenario-reader.h"

#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: print-scenario FILE [/json/pointer=value]...\n";
    return 2;
  }
  try {
    auto points = ns3::Json::array();
    for (const auto& point :
         ns3::ReadExperiment(argv[1], std::vector<std::string>(argv + 2, argv + argc)).points) {
      points.push_back({{"labels", point.labels}, {"scenario", ns3::ToJson(point.WithSeed())}});
    }
    std::cout << points.dump(2) << '\n';
    return 0;
  } catch (const ns3::ScenarioError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
