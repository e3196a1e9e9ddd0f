// The one header a chapter includes: everything public of the core. A file that needs less may
// include a narrower header of the same tree.
#pragma once

#include "amp/grad_scaler.h"
#include "data/data.h"
#include "distributed/ddp/ddp.h"
#include "distributed/distributed.h"
#include "distributed/sampler.h"
#include "io/checkpoint.h"
#include "libs/products.h"
#include "parallel/data_parallel.h"
#include "td/autograd/engine.h"
#include "td/autograd/function.h"
#include "td/autograd/modes.h"
#include "td/device/allocator.h"
#include "td/device/device.h"
#include "td/device/graph.h"
#include "td/device/stream.h"
#include "td/nn/nn.h"
#include "td/ops/autocast_guard.h"
#include "td/ops/ops.h"
#include "td/optim/optim.h"
#include "trace/trace.h"
