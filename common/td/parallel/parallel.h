// Everything public of parallel/: training on several devices of one process.
#pragma once

#include "td/parallel/comm.h"
#include "td/parallel/data_parallel.h"
#include "td/parallel/scatter_gather.h"
