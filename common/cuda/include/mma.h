// What a kernel on sim gets for <mma.h>.
#pragma once

#include "simt/wmma.h"
