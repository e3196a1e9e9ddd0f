// What a kernel on sim gets for <device_double_functions.h>: simt/kernel.h has its functions.
#pragma once

#include "simt/kernel.h"
