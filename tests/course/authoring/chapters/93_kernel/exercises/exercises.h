// What the tests of chapter 93 include.
#pragma once

#include "kernels.h"
#include "simt/launch.h"
#include "td/td.h"
