// Inference beside training: what evaluation mode, no_grad and inference mode each change.
// main.cpp shows it.
#pragma once

#include <iostream>

#include "app/app.h"
#include "exercises.h"

inline void show_inference(const app::Options&, td::Device) {}
