// Catch2's own implementation, compiled once for all checkers, and the one way in to it.
#define CATCH_CONFIG_RUNNER
#include "catch.h"
#include "verdict.h"
#ifdef TD_CATCH2_3
#include <catch2/catch_session.hpp>
#include <catch2/internal/catch_fatal_condition_handler.hpp>

// Catch2's own signal handlers would hide the report of a host read of device memory. Catch2 2
// leaves them out where a macro says so; of Catch2 3 the linker takes these instead of the
// library's.
namespace Catch {
FatalConditionHandler::FatalConditionHandler() = default;
FatalConditionHandler::~FatalConditionHandler() = default;
void FatalConditionHandler::engage_platform() {}
void FatalConditionHandler::disengage_platform() noexcept {}
}  // namespace Catch
#endif

namespace check {

void run_tests(const std::string& tag) {
  Catch::Session session;
  session.configData().shouldDebugBreak = verdict().stopping;
  session.configData().testsOrTags.push_back(tag);
#ifdef TD_CATCH2_3
  session.configData().reporterSpecifications.push_back({"course", {}, {}, {}});
#else
  session.configData().reporterName = "course";
#endif
  session.run();
}

}  // namespace check
