// What a kernel on sim gets for <cuda_pipeline.h>.
#pragma once

#include "simt/async_copy.h"
