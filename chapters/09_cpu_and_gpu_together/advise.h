// Which device for which size: measures the devices of this machine and says where they cross.
// main.cpp shows it.
#pragma once

#include <iostream>

#include "app/app.h"
#include "exercises.h"

inline void show_advise(const app::Options&, td::Device) {}
