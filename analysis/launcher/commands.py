# SPDX-License-Identifier: BSD-3-Clause
"""What each command builds and starts. A function gets the build folder, the command and its arguments."""

import sys

from analysis.launcher.messages import Ended, wrong_input
from analysis.launcher.processes import analyse, become, python, use_large_pages
from analysis.launcher.programs import provide, provide_packages, provide_testbed, require_dpdk

TESTBED_VERBS = ("run", "up", "down", "exec", "check")


def simulate(folder, command, arguments):
    from analysis.launcher.figures import simulate_and_draw

    provide(folder, "ina-sim")
    simulate_and_draw(folder, command, arguments)


def ask_simulator(folder, command, arguments):
    provide(folder, "ina-sim")
    become([folder.program("ina-sim"), command, *arguments])


def run_testbed(folder, _command, arguments):
    provide_testbed(folder)
    if arguments and arguments[0] in TESTBED_VERBS:  # before arguments that exec passes on
        arguments = [arguments[0], "--programs", folder.programs(), *arguments[1:]]
    become(python("hw.testbed", *arguments))


def analyse_results(folder, command, arguments):
    provide_packages(folder)
    raise Ended(analyse(command, *arguments))


def analyse_runs(folder, command, arguments):
    """For analysis commands that let the simulator run scenarios."""
    provide(folder, "ina-sim")
    use_large_pages()
    raise Ended(analyse(command, "--program", folder.program("ina-sim"), *arguments))


def reproduce(folder, command, arguments):
    (analyse_runs if arguments else analyse_results)(folder, command, arguments)


def switch(folder, _command, arguments):
    if arguments[:1] in (["load"], ["serve"]):
        control_switch(folder, *arguments)
    else:
        from analysis.launcher.figures import report_switch

        provide(folder, "ina-switch-report")
        report_switch(folder, arguments)


def control_switch(folder, verb, *arguments):
    provide(folder, "ina-sim")
    if verb == "serve":
        require_dpdk(folder, "switch serve")
        provide(folder, "ina-registrar")
    become(python("hw.p4.control", verb, "--programs", folder.programs(), *arguments))


def bench(folder, _command, arguments):
    if arguments[:1] == ["hw"]:
        bench_testbed(folder, arguments[1:])
    else:
        provide(folder, "ina-bench")
        use_large_pages()
        become([folder.program("ina-bench"), *arguments])


def bench_testbed(folder, arguments):
    from analysis.launcher.packages import install_missing

    install_missing("tests")
    provide_testbed(folder)
    provide(folder, "ina-hw-bench", "ina-flood")
    become(python("tests.hw_bench", "--programs", folder.programs(), *arguments))


def explore(folder, command, arguments):
    provide(folder, f"ina-{command}")
    become([folder.program(f"ina-{command}"), *arguments])


def start_python(folder, _command, arguments):
    """Python, which finds inalab."""
    from analysis.launcher.notebooks import prepare

    provide(folder, "ina-sim")
    prepare(folder)
    become([sys.executable, *arguments])


def start_notebook(folder, _command, arguments):
    from analysis.launcher.notebooks import prepare, server
    from analysis.launcher.packages import install_missing

    if not folder.no_build:
        install_missing("notebook")
    provide(folder, "ina-sim")
    prepare(folder)
    become(server(arguments))


def test(folder, _command, arguments):
    from analysis.launcher.testing import run_tests

    run_tests(folder, arguments)


def fuzz(folder, _command, arguments):
    from analysis.launcher.testing import run_fuzz

    run_fuzz(folder, arguments)


def docs(folder, _command, arguments):
    from analysis.launcher.manual import build_manual
    from analysis.launcher.packages import install_missing

    if not folder.no_build:
        install_missing("docs")
    build_manual(arguments)


def build(folder, _command, arguments):
    from analysis.launcher import builds
    from analysis.launcher.packages import install_missing
    from analysis.launcher.sources import Stamp

    if folder.no_build:
        raise wrong_input("build: --no-build or INA_NO_BUILD=1; allowed: neither")
    install_missing()
    builds.build(folder, Stamp(folder), arguments or ["all"])


def install(_folder, _command, _arguments):
    from analysis.launcher.packages import install_missing

    install_missing("tests", "docs")
