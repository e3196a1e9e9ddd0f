// make_float4 and its kin are with the vector types.
#pragma once

#include "simt/vector_types.h"
