/* SPDX-License-Identifier: BSD-3-Clause */
/// Helper of test_schema.py: prints the points of a scenario file as JSON with all defaults filled
/// in, or a one-line error on stderr with exit status 2. Usage: print-scenario FILE
/// [/json/pointer=value]...
#include "hw/fields/input_error.hpp"
#include "hw/files/exit_status.hpp"
#include "scenarios/reader/experiment.hpp"
#include "scenarios/reader/scenario_reader.hpp"

#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: print-scenario FILE [/json/pointer=value]...\n";
    return ina::exit_status::kWrongInput;
  }
  try {
    auto points = ina::scenarios::Json::array();
    for (const auto& point :
         ina::scenarios::read_experiment(argv[1], std::vector<std::string>(argv + 2, argv + argc))
             .points) {
      points.push_back(
          {{"labels", point.labels}, {"scenario", ina::scenarios::to_json(point.with_seed())}});
    }
    std::cout << points.dump(2) << '\n';
    return 0;
  } catch (const ina::scenarios::InputError& error) {
    std::cerr << error.what() << '\n';
    return ina::exit_status::kWrongInput;
  }
}
