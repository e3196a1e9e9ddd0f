// What the tests of chapter 93 include.
#pragma once

#include "kernels.h"
#include "launch/launch.h"
#include "td/td.h"
