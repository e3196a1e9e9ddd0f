// Finds the Python that can run the PyTorch worker. Called by the driver for --against pytorch.
#pragma once

#include <string>
#include <vector>

namespace report {

/// The words that start the PyTorch worker. @param python a program, or empty: python3, then
/// /usr/bin/python3. @throws std::runtime_error naming those that were tried, and what to install.
std::vector<std::string> pytorch_worker(const std::string& python);

}  // namespace report
