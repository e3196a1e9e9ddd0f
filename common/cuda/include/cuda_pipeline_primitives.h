// What a kernel on sim gets for <cuda_pipeline_primitives.h>.
#pragma once

#include "simt/async_copy.h"
