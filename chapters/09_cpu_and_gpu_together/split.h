// One model in two places: the host and a device, then two devices, in micro-batches.
// main.cpp shows it.
#pragma once

#include <iostream>

#include "app/app.h"
#include "exercises.h"

inline void show_split(const app::Options&, td::Device) {}
