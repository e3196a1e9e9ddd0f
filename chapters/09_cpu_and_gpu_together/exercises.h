// The exercises of chapter 09: the host and a device at work at the same time, a model in two
// places, inference, and the choice of a device. Included by main.cpp, the exercises and their
// tests.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "td/td.h"

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

// ---- 9.pipeline

// ---- 9.split_model

// ---- 9.inference

// ---- 9.advisor
