// What a kernel on sim gets for <sm_35_atomic_functions.h>: simt/kernel.h has its functions.
#pragma once

#include "simt/kernel.h"
