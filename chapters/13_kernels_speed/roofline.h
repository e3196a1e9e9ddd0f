// The roofline: the most operations per second that a device can do at an arithmetic intensity, for
// a GPU from its data sheet and for this machine from measurements.
// The programs roofline and roofline_picture include it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "demos.h"

namespace roofline {

/// Two limits of a device: operations per second, and bytes per second of its memory.
struct Roof {
  std::string name;
  double flops, bytes_per_second;

  double ridge() const { return flops / bytes_per_second; }
  /// The most operations per second at `intensity` FLOP per byte.
  double at(double intensity) const { return std::min(flops, intensity * bytes_per_second); }
};

/// Kernels of one intensity, in FLOP per byte.
struct Point {
  std::string name;  ///< Of the first one.
  double intensity;
  int others = 0;

  std::string label() const {
    return others ? name + " and " + std::to_string(others) + " more" : name;
  }
};
/// Adds a kernel to the points of a roof.
inline void add_point(std::vector<Point>& points, const std::string& name, double intensity) {
  for (Point& point : points)
    if (std::abs(point.intensity - intensity) < 0.01 * intensity) {
      ++point.others;
      return;
    }
  points.push_back({name, intensity});
}

/// Measures a device: a copy that is larger than its caches reads and writes each byte once, and a
/// product of large square matrices is limited by arithmetic.
inline Roof measure(td::Device device) {
  const std::int64_t elements = device.is_cuda() ? 1 << 26 : 1 << 24;
  const std::int64_t side = device.is_cuda() ? 8192 : 1024;
  const td::Tensor from = td::ones({elements}, device), to = td::empty_like(from);
  const td::Tensor a = td::randn({side, side}, device);
  const double copy = median_seconds(device, [&] { to.copy_(from); });
  const double product = median_seconds(device, [&] { a.mm(a); });
  const double flops = 2.0 * std::pow(static_cast<double>(side), 3);
  return {device.str(), flops / product, 2.0 * 4 * static_cast<double>(elements) / copy};
}

/// The roofs of a GPU, of its Tensor Cores and of a device; and the chapter's kernels below those
/// of the GPU.
struct Roofline {
  std::vector<Roof> roofs;
  std::vector<std::vector<Point>> points;  ///< [roof]
};

inline Roofline of_kernels(const std::vector<td::simt::KernelReport>& reports,
                           const td::simt::GpuLimits& gpu, td::Device device) {
  const std::string name(gpu.name);
  const std::vector<Roof> roofs = {
      {name, gpu.flops, gpu.bytes_per_second},
      {name + ", Tensor Cores", gpu.tensor_flops, gpu.bytes_per_second},
      measure(device)};
  std::vector<std::vector<Point>> points(roofs.size());
  for (const td::simt::KernelReport& report : reports)
    if (const double intensity = report.profile.intensity(); intensity > 0)
      add_point(points[report.profile.tensor_flops > 0], report.kernel, intensity);
  return {roofs, points};
}

}  // namespace roofline
