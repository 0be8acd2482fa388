# SPDX-License-Identifier: GPL-2.0-only
# Links to the documentation of the modules in contrib/ina/doc, where ns-3 looks for it. Included by module.cmake.
file(MAKE_DIRECTORY ${INA_SOURCE_DIR}/doc)
foreach(page ns3-tree/ina ina-network/doc/ina-network ina-hosts/doc/ina-hosts ina-traffic/doc/ina-traffic
        ina-cluster/doc/ina-cluster)
  cmake_path(GET page FILENAME name)
  file(CREATE_LINK ${INA_SOURCE_DIR}/ns3-modules/${page}.rst ${INA_SOURCE_DIR}/doc/${name}.rst SYMBOLIC)
endforeach()
