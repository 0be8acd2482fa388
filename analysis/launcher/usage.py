# SPDX-License-Identifier: BSD-3-Clause
"""The help text of `./ina`."""

TEXT = """\
Usage: ina COMMAND [ARGUMENT...]

  run FILE...        run scenarios and draw the figures of their results
  run FILE... --estimate
                     only say what packet-hops, memory and time the runs will take
  run FILE --slice N/M
                     run every M-th point, from the N-th on: a part for one of several machines
  merge DIR...       make one result folder of all slices
  validate FILE...   check scenarios without running them
  trace FILE         write a time line of a run, for ui.perfetto.dev and chrome://tracing
  testbed run FILE...
                     run scenarios with real processes and packets on this machine
  testbed up|down FILE...
                     make or remove the network namespaces for testbed run --links veth
  testbed exec FILE -- COMMAND...
                     run a command as every worker of a scenario's jobs, which all-reduces by libina
  plot DIR           draw the average JCT of a result folder
  plot A B           draw the lines of two result folders in one figure
  plot DIR --kind KIND
                     draw something else of it: distributions, aggregators in time, links, flows
  plot FILE --kind gantt
                     draw what each worker does, of what trace wrote
  breakdown DIR      draw what the iterations of a result folder consist of
  report DIR         write a page about a result folder: means, figures, warnings
  compare A B        compare the JCT curves of two result folders, of the same seeds, or with
                     --statistical of any; status 1 if they differ
  diff A B           say when two result folders, or two time lines, first differ; status 1 if they do
  regress [FILE|DIR...]
                     run scenarios and compare with what they gave once, byte for byte or over seeds
                     (--statistical); status 1 if they differ; --accept renews what they gave
  sensitivity FILE [--keys KEY,...]
                     change one key of a scenario at a time, screen all of them together, and write a
                     page of what moves the JCTs and what reverses the order of two variants;
                     --estimate: only say how many runs that takes
  reproduce [NAME...]
                     run what published results need (an id such as D1; switchml, atp, dsa, all) and
                     write a page of what was published beside what comes out; without a name:
                     list the ids
  reproduce NAME... --workflow [PROFILE]
                     the same in slices by Snakemake, on this machine or on Slurm
  switch report --system NAME [--figure PNG]
                     place a data-plane program in the stages of a switch chip, show what it takes
  switch load FILE --cabling CABLING [--dry-run] [--address HOST:PORT]
                     load a scenario's jobs into a Tofino that runs a program of hw/p4
  switch serve FILE --cabling CABLING [--address HOST:PORT] [--switch NAME ...]
                     load them, then register each program that their workers start, until
                     interrupted
  bench              measure the simulator's speed beside stock ns-3
  bench scale        measure how its time and memory grow, up to 1 024 workers
  bench hw           measure the speed on real packets, beside Gloo and Open MPI
  explore [NAME...]  run the protocols over every schedule of small clusters
  campaign           run the protocols over random clusters under random faults
  python [ARGUMENT...]
                     start Python with the package inalab: scenarios, runs and results as pandas
                     frames; with the arguments of Python, such as a file
  notebook [ARGUMENT...]
                     start Jupyter Notebook with it, installed if it is missing; examples are in
                     analysis/examples
  test [--sanitize]  build everything and run the tests, or run them under AddressSanitizer and
                     UndefinedBehaviorSanitizer; other arguments go to ctest
  fuzz [TARGET [FILE | --seconds N]]
                     feed mutated input to a parser for a minute or N seconds, or a file; without
                     a target: list the targets
  docs               build the manual as a web site, build/docs/html
  build [TARGET...]  build only
  install            only install the Debian packages that are missing
  --help, --version

"ina COMMAND --help" shows the options of a command, and builds and installs nothing.

Environment:
  INA_PRESET         CMake preset to build and use: release (default), native, debug, sanitize, fuzz
  INA_NO_INSTALL=1   never install packages, nor download Boost's headers into build/boost
  INA_NO_BUILD=1     use the programs as they are, without a look at their sources and at packages;
                     --no-build after a command does the same
  INA_SIM=FILE       the simulator that the package inalab runs, instead of the one in build/
"""


def usage_of(*words):
    """The part of TEXT about the commands that begin with these words."""
    head = "  " + " ".join(words)
    lines, is_ours = [], False
    for line in TEXT.splitlines():
        if f"{line} ".startswith(f"{head} "):
            is_ours = True
        elif not line or (line.startswith("  ") and not line.startswith("   ")):
            is_ours = False
        if is_ours:
            lines.append(line)
    return "\n".join(lines) + "\n"


def ours(command, arguments):
    """The arguments that do not belong to another program: those before --, and only the first of
    Python and Jupyter."""
    if command in ("python", "notebook"):
        return arguments[:1]
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def asks_for_help(command, arguments):
    return bool({"--help", "-h"} & set(ours(command, arguments)))
