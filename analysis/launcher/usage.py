# SPDX-License-Identifier: BSD-3-Clause
"""The help text of `./ina`."""

TEXT = """\
Usage: ina COMMAND [ARGUMENT...]

  run FILE...        run scenarios and draw the figures of their results
  run FILE... --estimate
                     only print the packet-hops, memory and time that the runs will need
  run FILE --slice N/M
                     run every M-th point, beginning with the N-th: the part of one machine of
                     several
  merge DIR...       combine the result folders of all slices into one
  validate FILE...   check scenarios without running them
  trace FILE         write a time line of a run, for ui.perfetto.dev and chrome://tracing
  testbed run FILE...
                     run scenarios with real processes and packets on this machine
  testbed run FILE... --machines LAB
                     the same on the machines that the file LAB lists, over SSH
  testbed check --machines LAB
                     check these machines and the cables between them
  testbed up|down FILE...
                     make or remove the network namespaces for testbed run --links veth
  testbed exec FILE -- COMMAND...
                     run a command as every worker of a scenario's jobs; the command uses libina
                     for its all-reduces
  plot DIR           draw the average JCT of a result folder
  plot A B           draw the lines of two result folders in one figure
  plot DIR --kind KIND
                     draw something else: distributions, aggregators over time, links, flows
  plot FILE --kind gantt
                     draw the activity of each worker, from a file of ina trace
  breakdown DIR      draw the parts of the iterations in a result folder
  report DIR         write a page about a result folder: means, figures, warnings
  compare A B        compare the JCT curves of two result folders with the same seeds or, with
                     --statistical, with any seeds; status 1 if the curves differ
  diff A B           find the first difference between two result folders or two time lines;
                     status 1 if there is one
  regress [FILE|DIR...]
                     run scenarios and compare the results with stored references, byte for byte
                     or over seeds (--statistical); status 1 if they differ; --accept renews the
                     references
  sensitivity FILE [--keys KEY,...]
                     change the keys of a scenario one at a time, screen all of them together, and
                     write a page about the keys that change the JCTs or reverse the order of two
                     variants; --estimate: only print the number of runs
  reproduce [NAME...]
                     run the scenarios of published results and write a page that compares the
                     results with the published ones; NAME is an id such as D1, or switchml, atp,
                     dsa or all; without a name: list the ids
  reproduce NAME... --workflow [PROFILE]
                     let Snakemake run the scenarios in slices, on this machine or on Slurm
  switch report --system NAME [--figure PNG]
                     place a data-plane program in the stages of a switch chip and print the
                     resources that the program needs
  switch load FILE --cabling CABLING [--dry-run] [--address HOST:PORT]
                     load a scenario's jobs into a Tofino that runs a program of hw/p4
  switch serve FILE --cabling CABLING [--address HOST:PORT] [--switch NAME ...]
                     load the jobs, then register each program that their workers start, until
                     interrupted
  bench              measure the simulator's speed compared with stock ns-3
  bench scale        measure how the simulator's time and memory grow, up to 1 024 workers
  bench peers --htsim FILE
                     compare the speed of a ring all-reduce with that of htsim, a program to be
                     built separately
  bench hw           measure the speed on real packets, compared with Gloo and Open MPI
  explore [NAME...]  run the protocols over every schedule of small clusters
  campaign           run the protocols over random clusters under random faults
  python [ARGUMENT...]
                     start Python with the package inalab, which has scenarios, runs and results
                     as pandas frames; the arguments are those of Python, such as a file
  notebook [ARGUMENT...]
                     start Jupyter Notebook with the package inalab, and install Jupyter Notebook
                     if it is missing; examples are in analysis/examples
  test [--sanitize]  build everything and run the tests, or run them under AddressSanitizer and
                     UndefinedBehaviorSanitizer; other arguments go to ctest
  fuzz [TARGET [FILE | --seconds N]]
                     feed mutated input to a parser for a minute or for N seconds, or feed it one
                     file; without a target: list the targets
  docs               build the manual as a web site in build/docs/html
  build [TARGET...]  build targets, or everything
  install            only install missing Debian packages
  --help, --version

"ina COMMAND --help" prints the options of a command without building or installing anything.

Environment:
  INA_PRESET         CMake preset to build and use: release (default), native, debug, sanitize,
                     fuzz
  INA_NO_INSTALL=1   never install packages, and never download Boost's headers into build/boost
  INA_NO_BUILD=1     use the built programs without checking their sources and packages;
                     --no-build after a command does the same
  INA_SIM=FILE       simulator that the package inalab runs, instead of the one in build/
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
