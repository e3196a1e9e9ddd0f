// What a kernel on sim gets for <math_functions.h>: simt/kernel.h has its functions.
#pragma once

#include "simt/kernel.h"
