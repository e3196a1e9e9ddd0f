// All of io: files of tensors, save and load, checkpoints.
#pragma once

#include "td/io/checkpoint.h"
#include "td/io/safetensors.h"
#include "td/io/serialize.h"
