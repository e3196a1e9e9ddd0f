// What a kernel on sim gets for <cooperative_groups/memcpy_async.h>.
#pragma once

#include "simt/group_functions.h"
