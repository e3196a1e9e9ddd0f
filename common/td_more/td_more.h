// All of td_more: operations and modules that libtorch has and no chapter needs. It is built on the
// core and linked as the library td_more; td/torch.h includes it for programs in libtorch's names.
#pragma once

#include "td_more/functional.h"
#include "td_more/functions.h"
#include "td_more/layers.h"
#include "td_more/losses.h"
