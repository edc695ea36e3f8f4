// SPDX-License-Identifier: Apache-2.0
// Carries the precompiled header of the test libraries; see tests/CMakeLists.txt. No tests here.
