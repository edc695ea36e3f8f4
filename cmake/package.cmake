# SPDX-License-Identifier: Apache-2.0
# The Debian package, by `cpack -G DEB` in a build folder: tool, library and headers in one.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME relent)
set(CPACK_PACKAGE_VENDOR "Relent developers")
set(CPACK_PACKAGE_CONTACT "Relent developers <relent@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "retries commands and calls without making an outage longer")
set(CPACK_PACKAGE_DESCRIPTION "\
A C++20 library and a command-line tool that decide whether, when and how often
to try again: backoff with jitter, budgets that keep retries a fraction of
requests, circuit breakers, deadlines. This package holds the tool, the headers
and the compiled library.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
