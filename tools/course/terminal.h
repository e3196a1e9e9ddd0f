// The terminal, under the tool's own names: common/app/terminal.h, which the programs share.
#pragma once

#include "app/terminal.h"

namespace course {

using app::Color;
using app::colored;
using app::columns;
using app::padded;
using app::Terminal;
using app::terminal_of;
using app::wrap;

}  // namespace course
