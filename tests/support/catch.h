// Catch2, version 2.13 or 3, as one: every test includes this instead of Catch2's own headers.
// Invariant: the names here mean the same in both. Where the versions differ in what they call a
// thing, Catch2 3's matchers get the names of Catch2 2, which say it more briefly.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#define TD_CATCH2_3
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_translate_exception.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_vector.hpp>

namespace Catch {
using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::Matches;
using Matchers::StartsWith;
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
}  // namespace Catch
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
