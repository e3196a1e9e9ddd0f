// What a kernel on sim gets for <cooperative_groups.h>.
#pragma once

#include "simt/cooperative_groups.h"
