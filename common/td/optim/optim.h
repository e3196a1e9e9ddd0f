// All optimizers and learning-rate schedules.
#pragma once

#include "td/optim/adam.h"
#include "td/optim/schedulers.h"
#include "td/optim/sgd.h"
