#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# NS3_TREE=TREE INA_SIM=PROGRAM check.sh: tests whether this repository works as a module of the ns-3 source tree
# TREE. It becomes contrib/ina there. The steps are:
#  1. the tree is configured without a dependency of the module, and ns-3's summary says what is missing,
#  2. the tree is configured with the module and its dependencies, ns-3 builds it, and test.py runs its tests and examples,
#  3. its ina-sim writes the same tables as PROGRAM, byte for byte, even if PROGRAM was built with another ns-3,
#  4. a separate project, which contains the recipes of the documentation, uses the module that ns-3 installed,
#  5. our own CMake files build ina-sim against that ns-3, and it writes the same tables.
set -eu

root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
    printf 'ns3-tree: %s\n' "$*"
}

die() {
    printf 'ns3-tree: %s\n' "$*" >&2
    exit 2
}

# The output of a step is shown only if it fails.
step() {
    say "$1"
    shift
    "$@" >"$scratch/log" 2>&1 || {
        tail -n 60 "$scratch/log" >&2
        exit 1
    }
}

place_module() {
    module=$tree/contrib/ina
    [ -e "$module" ] || ln -s "$root" "$module"
    [ "$(readlink -f "$module")" = "$root" ] ||
        die "NS3_TREE: $module is another copy; allowed: none there, or a link to $root"
}

in_tree() {
    (cd "$tree" && "$@")
}

# configure_without PACKAGE TEXT: ns-3's summary must contain the text. Uses a separate build folder; build_module
# configures the tree's own one afterwards.
configure_without() {
    step "configuring $tree without $1" cmake -S "$tree" -B "$scratch/without-$1" \
        -D NS3_OUTPUT_DIRECTORY="$scratch/without-$1/build" -D NS3_ENABLED_MODULES=ina -D NS3_TESTS=ON \
        -D "CMAKE_DISABLE_FIND_PACKAGE_$1=ON"
    step "ns-3's summary: $2" grep -F "$2" "$scratch/without-$1/ns3config.txt"
}

# The benchmark of our own build compares with point-to-point. The default profile has asserts and logging.
build_module() {
    step "configuring $tree" in_tree ./ns3 configure --build-profile=default \
        --enable-modules=ina,point-to-point --filter-module-examples-and-tests=ina \
        --enable-tests --enable-examples
    for page in ina ina-network ina-hosts ina-traffic ina-cluster; do
        step "documentation: contrib/ina/doc/$page.rst" test -s "$tree/contrib/ina/doc/$page.rst"
    done
    step "building contrib/ina" in_tree ./ns3 build test-runner ina-sim ina-consumer
}

# run_test OPTION NAME: test.py's exit status is also 0 if it ran no test.
run_test() {
    in_tree ./test.py --no-build --fullness=TAKES_FOREVER --text="$scratch/cases" "$1=$2" >"$scratch/suite"
    cat "$scratch/suite"
    grep -q "^1 of 1 tests passed" "$scratch/suite"
}

# A GoogleTest test is a case of its suite.
run_suite() {
    run_test --suite "$1"
    grep -q "^ *PASS: Test Case \"$2" "$scratch/cases.txt"
}

run_suites() {
    step "test.py --suite=ina-network" run_suite ina-network "Simulators:LinkTest\."
    step "test.py --suite=ina-hosts" run_suite ina-hosts "Every:DsaPolicy\."
    step "test.py --suite=ina-traffic" run_suite ina-traffic "Simulators:"
    step "test.py --suite=ina-cluster" run_suite ina-cluster "Sizes:RingClosedForm\."
    for part in ina-network ina-hosts ina-traffic ina-cluster; do
        step "test.py --suite=$part-example" run_suite "$part-example" "$part-example"
        step "test.py --example=$part-example" run_test --example "$part-example"
    done
    step "test.py --example=ina-consumer" run_test --example ina-consumer
    if command -v valgrind >"$scratch/log"; then
        step "test.py --grind --suite=ina-hosts" in_tree ./test.py --no-build --grind --suite=ina-hosts
    fi
}

# write_tables PROGRAM NAME: writes the tables to the folder NAME.
write_tables() {
    "$1" run "$root/scenarios/quickstart.json" --out "$scratch/$2"
}

compare_tables() {
    step "quickstart by $1" write_tables "$1" "$2"
    for table in jobs iterations switch links; do
        cmp "$scratch/reference/quickstart/$table.csv" "$scratch/$2/quickstart/$table.csv" || exit 1
    done
}

use_installed_module() {
    step "installing" cmake --install "$tree/cmake-cache" --prefix "$scratch/ns3"
    step "configuring a user of the installed module" cmake -S "$root/ns3-modules/ns3-tree/consumer" \
        -B "$scratch/consumer" -D CMAKE_PREFIX_PATH="$scratch/ns3"
    step "building it" cmake --build "$scratch/consumer"
    for program in ina-consumer own-policy own-program own-transport; do
        step "running its $program" "$scratch/consumer/$program"
    done
}

build_against_installed_ns3() {
    step "configuring our own build" cmake -S "$root" --preset release -B "$scratch/own" \
        -D CMAKE_PREFIX_PATH="$scratch/ns3"
    step "building it" cmake --build "$scratch/own" --target ina-sim
}

# The format of pytest, from which tests/support/outcomes.py extracts the skipped parts and the reasons.
[ -n "${NS3_TREE:-}" ] || {
    echo "SKIPPED [1] tests/ns3-tree/check.sh: no ns-3 tree: NS3_TREE names none"
    exit
}
tree=$(readlink -f "$NS3_TREE")
{ [ -x "$tree/ns3" ] && [ -d "$tree/contrib" ]; } || die "NS3_TREE: found \"$NS3_TREE\"; allowed: an ns-3 source tree"

place_module
configure_without Eigen3 "ina: not found: Eigen 3.4 (Debian: libeigen3-dev)"
configure_without GTest "ina-test: not found: GoogleTest (Debian: libgtest-dev, libgmock-dev)"
build_module
run_suites
step "quickstart by $INA_SIM" write_tables "$INA_SIM" reference
compare_tables "$(find "$tree/build/contrib/ina" -maxdepth 1 -type f -executable -name 'ns3*-ina-sim*')" tree
use_installed_module
build_against_installed_ns3
compare_tables "$scratch/own/bin/ina-sim" own
say "passed with ns-$(cat "$tree/VERSION")"
