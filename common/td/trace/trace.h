// All of tracing: spans, start() and stop(), and what can be made of a trace.
#pragma once

#include "td/trace/chrome.h"
#include "td/trace/overlap.h"
#include "td/trace/picture.h"
#include "td/trace/recorder.h"
#include "td/trace/span.h"
