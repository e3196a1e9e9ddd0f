// What a device says about itself. Used by devices.cpp.
#pragma once

#include "cuda/state.h"

namespace td::cudart {

cudaDeviceProp properties_of(const State& all, int device);
/// @return false where the attribute has no answer
bool attribute_of(const cudaDeviceProp& properties, cudaDeviceAttr attribute, int& value);

}  // namespace td::cudart
