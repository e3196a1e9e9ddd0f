// What a reporter and a listener derive from, in Catch2 2.13 and 3. Used by course_reporter.cpp and
// race_listener.cpp.
#pragma once

#define CATCH_CONFIG_EXTERNAL_INTERFACES  // Catch2 2 leaves these classes out without it
#include "catch.h"
#ifdef TD_CATCH2_3
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <catch2/reporters/catch_reporter_streaming_base.hpp>
#endif

namespace check {

#ifdef TD_CATCH2_3
using ListenerBase = Catch::EventListenerBase;

template <class Reporter>
class ReporterBase : public Catch::StreamingReporterBase {
 public:
  using StreamingReporterBase::StreamingReporterBase;
  void assertionEnded(const Catch::AssertionStats& stats) override { examine(stats); }
  std::ostream& out() { return m_stream; }
#else
using ListenerBase = Catch::TestEventListenerBase;

template <class Reporter>
class ReporterBase : public Catch::StreamingReporterBase<Reporter> {
 public:
  using Catch::StreamingReporterBase<Reporter>::StreamingReporterBase;
  void assertionStarting(const Catch::AssertionInfo&) override {}
  bool assertionEnded(const Catch::AssertionStats& stats) override {
    examine(stats);
    return true;
  }
  std::ostream& out() { return this->stream; }
#endif
  /// Called after each assertion.
  virtual void examine(const Catch::AssertionStats& stats) = 0;
};

}  // namespace check
