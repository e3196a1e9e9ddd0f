// All of nn: modules, layers, losses, containers, first values, clipping.
#pragma once

#include "td/nn/functional.h"
#include "td/nn/init.h"
#include "td/nn/layers.h"
#include "td/nn/linear.h"
#include "td/nn/loss.h"
#include "td/nn/sequential.h"
#include "td/nn/utils.h"
