// The kernels of chapter 93: none yet.
#pragma once

#include "simt/kernel.h"
