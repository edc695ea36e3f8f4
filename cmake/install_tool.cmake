# SPDX-License-Identifier: Apache-2.0
# The tool with its manual pages, its completion for bash and the schema of the policy file. The tool makes
# them itself, at build time, of the descriptions that its --help is made of.
if(RELENT_INSTALL)
  install(TARGETS relent_cli RUNTIME COMPONENT runtime)
  install(TARGETS relent_http_cli RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/relent COMPONENT runtime)
endif()
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "No manual pages, completion and schema: the tool, built for another machine, cannot make "
    "them here. With CMAKE_CROSSCOMPILING_EMULATOR it can.")
  return()
endif()

set(made ${CMAKE_CURRENT_BINARY_DIR}/made)
file(MAKE_DIRECTORY ${made})
set(manual_pages relent.1 relent-run.1 relent-fetch.1 relent-explain.1 relent-budget.1 relent-faults.1 relent-demo.1 relent-policy.5)
set(outputs)

# relent_make(<file> <words>...): what `relent generate <words>` prints, in a file of the build.
function(relent_make file)
  add_custom_command(OUTPUT ${made}/${file}
    COMMAND relent_cli generate ${ARGN} > ${made}/${file}
    DEPENDS relent_cli VERBATIM)
  set(outputs ${outputs} ${made}/${file} PARENT_SCOPE)
endfunction()

foreach(name IN LISTS manual_pages)
  cmake_path(GET name STEM LAST_ONLY page)
  relent_make(${name} man ${page})
  # As Debian wants them: no name and time in it, so that the same page is the same file.
  add_custom_command(OUTPUT ${made}/${name}.gz
    COMMAND gzip -9nc ${made}/${name} > ${made}/${name}.gz DEPENDS ${made}/${name} VERBATIM)
  list(APPEND outputs ${made}/${name}.gz)
endforeach()
relent_make(relent.bash completion bash)
relent_make(policy.schema.json schema)
add_custom_target(relent_pages ALL DEPENDS ${outputs})

if(RELENT_INSTALL)
  foreach(name IN LISTS manual_pages)
    cmake_path(GET name EXTENSION LAST_ONLY section)
    string(SUBSTRING ${section} 1 1 section)
    install(FILES ${made}/${name}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT runtime)
  endforeach()
  install(FILES ${made}/relent.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime RENAME relent)
  install(FILES ${made}/policy.schema.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/relent COMPONENT runtime)
endif()
