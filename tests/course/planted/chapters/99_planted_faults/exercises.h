// The planted exercises.
#pragma once

/// n + 1.
int broken_solution(int n);
/// Throws for a negative n, else n.
int weak_tests(int n);
/// Not listed in course.toml.
int unlisted();
