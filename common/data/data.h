// All of data: datasets, transforms, samplers, the loader, and the images that are drawn.
#pragma once

#include "data/images.h"
#include "data/loader.h"
#include "data/prefetcher.h"
#include "data/samplers.h"
#include "data/shapes10.h"
#include "data/transforms.h"
