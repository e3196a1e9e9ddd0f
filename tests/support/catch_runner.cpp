// Catch2's own implementation, compiled once for all checkers.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
