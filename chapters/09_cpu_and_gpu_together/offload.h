// Training with the optimizer and its state on the host.
// main.cpp shows it.
#pragma once

#include <iostream>

#include "app/app.h"
#include "exercises.h"

inline void show_offload(const app::Options&, td::Device) {}
