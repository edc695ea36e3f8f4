# SPDX-License-Identifier: Apache-2.0
# What cmake --install puts where: the libraries for find_package(relent) and for pkg-config, and
# the tool. Everything can be moved afterwards: no file holds the prefix.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/relent)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(libraries relent relent_compiled relent_explain)
set(pkgconfig_names relent relent-compiled relent-explain)
if(RELENT_POLICY_FILE)
  list(APPEND libraries relent_policy_file)
  list(APPEND pkgconfig_names relent-policy-file)
endif()

if(RELENT_HTTP)
  list(APPEND libraries relent_http relent_curl relent_fault_server)
  list(APPEND pkgconfig_names relent-http relent-curl relent-fault-server)
endif()

install(TARGETS ${libraries}
  EXPORT relentTargets
  ARCHIVE COMPONENT development
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/relent
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT relentTargets
  NAMESPACE relent:: DESTINATION ${config_dir} COMPONENT development)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/relentConfig.cmake.in ${PROJECT_BINARY_DIR}/relentConfig.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/relentConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/relentConfig.cmake ${PROJECT_BINARY_DIR}/relentConfigVersion.cmake
  DESTINATION ${config_dir} COMPONENT development)

# pkg-config finds the prefix from where the file lies.
file(RELATIVE_PATH prefix_from_pc /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
foreach(pc IN LISTS pkgconfig_names)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${pc}.pc.in ${PROJECT_BINARY_DIR}/${pc}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc}.pc
    DESTINATION ${pkgconfig_dir} COMPONENT development)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime RENAME copyright)
