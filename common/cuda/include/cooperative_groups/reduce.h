// What a kernel on sim gets for <cooperative_groups/reduce.h>.
#pragma once

#include "simt/group_functions.h"
