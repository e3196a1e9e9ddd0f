// What a kernel on sim gets for <sm_20_intrinsics.h>: simt/kernel.h has its functions.
#pragma once

#include "simt/kernel.h"
