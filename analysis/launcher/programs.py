# SPDX-License-Identifier: BSD-3-Clause
"""Programs of the build: commands get them here, up to date."""

from analysis.launcher.environment import never_installs
from analysis.launcher.messages import Failure
from analysis.launcher.sources import Stamp, built_with_packages

TESTBED = ("ina-worker", "ina-ps", "ina-switch", "ina-control-plane", "libina")


def provide(folder, *targets):
    """Installs and builds what the targets need, if anything changed since they were built."""
    if folder.no_build:
        check_built(folder, targets)
        return
    stamp = Stamp(folder)
    if stamp.covers(targets, checks_packages=not never_installs()):
        return
    from analysis.launcher.builds import build
    from analysis.launcher.packages import install_missing

    install_missing()
    build(folder, stamp, targets)


def provide_packages(folder):
    """Installs missing packages, if any package changed since the last build."""
    if folder.no_build or built_with_packages(folder):
        return
    from analysis.launcher.packages import install_missing

    install_missing()


def check_built(folder, targets):
    missing = [target for target in targets if not folder.has(target)]
    if missing:
        raise Failure(
            f"{folder.path}: not built: {', '.join(missing)}; allowed: the same without --no-build and "
            "INA_NO_BUILD=1"
        )


def provide_testbed(folder):
    provide(folder, "ina-sim")
    require_dpdk(folder, "the testbed")
    provide(folder, *TESTBED)


def require_dpdk(folder, command):
    """Fails unless DPDK is available; for a configured build folder."""
    if folder.no_build:
        return  # reported later
    with open(folder.build_file, encoding="utf-8", errors="surrogateescape") as file:
        if not any(line.startswith("build bin/ina-switch:") for line in file):
            raise Failure(f"{command} needs DPDK: ./ina install, remove {folder.path}, and try again")
