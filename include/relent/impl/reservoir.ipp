// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <relent/impl/budget_level.ipp>
