// The exercises of chapter 11 are kernels, declared in kernels.h; this header adds what launches
// them. Included by the programs and by the tests.
#pragma once

#include "kernels.h"
#include "launch/launch.h"
#include "td/td.h"
