# SPDX-License-Identifier: Apache-2.0
# What is asked of the compiler for this project's own targets. Nothing here reaches a user's build.

# Sets the warnings of the house, and C++20 without extensions, on one target.
function(relent_compile_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion
    # g++ 12 sees one in the constructor of its own std::stop_source.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<BOOL:${RELENT_WERROR}>:-Werror>)
endfunction()

# ccache, where there is one, unless the user chose a launcher. The sloppiness is what it needs
# to cache what uses a precompiled header.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(RELENT_CCACHE ccache)
  if(RELENT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_SLOPPINESS=pch_defines,time_macros "${RELENT_CCACHE}")
  endif()
endif()
