// All of data: datasets, transforms, samplers, the loader, and the pictures that are drawn.
#pragma once

#include "td/data/distributed_samplers.h"
#include "td/data/images.h"
#include "td/data/loader.h"
#include "td/data/prefetcher.h"
#include "td/data/samplers.h"
#include "td/data/shapes10.h"
#include "td/data/transforms.h"
