// The one header a chapter includes: everything public of the core. A file that needs less may
// include a narrower header of the same tree.
#pragma once

#include "data/data.h"
#include "distributed/ddp/ddp.h"
#include "distributed/distributed.h"
#include "distributed/sampler.h"
#include "io/checkpoint.h"
#include "td/amp/autocast.h"
#include "td/amp/grad_scaler.h"
#include "td/autograd/engine.h"
#include "td/autograd/function.h"
#include "td/autograd/modes.h"
#include "td/device/allocator.h"
#include "td/device/device.h"
#include "td/device/graph.h"
#include "td/device/products.h"
#include "td/device/stream.h"
#include "td/nn/nn.h"
#include "td/ops/ops.h"
#include "td/optim/optim.h"
#include "td/parallel/data_parallel.h"
#include "trace/trace.h"
