// All of io: files of tensors, save and load, checkpoints.
#pragma once

#include "io/checkpoint.h"
#include "io/safetensors.h"
#include "io/serialize.h"
