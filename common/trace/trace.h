// All of tracing: spans, start() and stop(), and what can be made of a trace.
#pragma once

#include "trace/chrome.h"
#include "trace/overlap.h"
#include "trace/picture.h"
#include "td/base/span_recorder.h"
#include "td/base/span.h"
