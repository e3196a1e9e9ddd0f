#include "exercises.h"

#include <algorithm>
#include <cmath>

#include "td/exercise.h"

// answer: begins_at_the_size
// expect: the example
// Begins at the measured size, without a crossing.
namespace begins_at_the_size {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = s == 0 ? sizes[0] : sizes[s];
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace begins_at_the_size

// answer: compares_with_the_first
// expect: device 2 is hardly faster than device 1
// Compares each device with the first one, not with the one that is advised.
namespace compares_with_the_first {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (best == last.device || seconds[best][s] > 0.9 * seconds[0][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace compares_with_the_first

// answer: counts_the_warm_up
// expect: in which device 0 is slow
// Counts the first round.
namespace counts_the_warm_up {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace counts_the_warm_up

// answer: does_not_look_back
// expect: device 1 is 5 % faster at 64
// Looks for the crossing between this size and the one before only.
namespace does_not_look_back {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  if (s == 0) return sizes[0];
  if (next[s - 1] < last[s - 1]) return sizes[s - 1];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace does_not_look_back

// answer: keeps_the_replaced_one
// expect: device 1 takes 0.89
// Never removes an entry.
namespace keeps_the_replaced_one {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace keeps_the_replaced_one

// answer: looks_back_one_size
// expect: device 1 is a little faster at 4 and 16
// Right where the new device becomes faster between two neighboring sizes. It looks back only once.
namespace looks_back_one_size {
static std::vector<std::vector<double>> measure(const std::vector<Measure>& devices,
                                                const std::vector<std::int64_t>& sizes, int runs) {
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  std::vector<std::vector<double>> result(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& one : all[d]) {
      std::sort(one.begin(), one.end());
      result[d].push_back(one[one.size() / 2]);
    }
  return result;
}

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const auto t = measure(devices, sizes, runs);
  std::vector<Advice> all = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const std::size_t now = all.back().device;
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (t[d][s] < t[best][s]) best = d;
    if (best == now || t[best][s] > 0.9 * t[now][s]) continue;
    std::size_t k = s;
    if (k > 0 && t[best][k - 1] < t[now][k - 1]) --k;
    std::int64_t begin = sizes[0];
    if (k > 0) {
      const double before = t[best][k - 1] - t[now][k - 1], after = t[now][k] - t[best][k];
      const auto gap = static_cast<double>(sizes[k] - sizes[k - 1]);
      begin = sizes[k - 1] + static_cast<std::int64_t>(std::ceil(gap * before / (before + after)));
    }
    if (begin <= all.back().from)
      all.back().device = best;
    else
      all.push_back({best, begin});
  }
  return all;
}
}  // namespace looks_back_one_size

// answer: looks_back_too_far
// expect: go back no further
// Goes back to the first size at which the new device is faster.
namespace looks_back_too_far {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  for (std::size_t i = 0; i < s; ++i)
    if (next[i] < last[i]) s = i;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace looks_back_too_far

// answer: no_margin
// expect: device 1 takes 0.905
// Changes for any difference.
namespace no_margin {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] >= seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace no_margin

// answer: not_interleaved
// expect: expected the measurements
// Measures one device after another.
namespace not_interleaved {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (int round = 0; round <= runs; ++round) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace not_interleaved

// answer: rounds_down
// expect: the example
// Rounds the crossing down.
namespace rounds_down {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::floor(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace rounds_down

// answer: the_fastest_of_all_runs
// expect: medians, not means
// Takes the smallest time instead of the median.
namespace the_fastest_of_all_runs {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[0]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace the_fastest_of_all_runs

// answer: the_first_that_is_faster
// expect: at 10 two devices are faster
// Right for two devices. It takes the first one that is faster, not the fastest.
namespace the_first_that_is_faster {
static std::vector<std::vector<double>> measure(const std::vector<Measure>& devices,
                                                const std::vector<std::int64_t>& sizes, int runs) {
  std::vector<std::vector<std::vector<double>>> all(devices.size(),
                                                    std::vector<std::vector<double>>(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  std::vector<std::vector<double>> result(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& one : all[d]) {
      std::sort(one.begin(), one.end());
      result[d].push_back(one[one.size() / 2]);
    }
  return result;
}

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const auto t = measure(devices, sizes, runs);
  std::vector<Advice> all = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const std::size_t now = all.back().device;
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (t[d][s] <= 0.9 * t[now][s]) {
        best = d;
        break;
      }
    if (best == now || t[best][s] > 0.9 * t[now][s]) continue;
    std::size_t k = s;
    while (k > 0 && t[best][k - 1] < t[now][k - 1]) --k;
    std::int64_t begin = sizes[0];
    if (k > 0) {
      const double before = t[best][k - 1] - t[now][k - 1], after = t[now][k] - t[best][k];
      const auto gap = static_cast<double>(sizes[k] - sizes[k - 1]);
      begin = sizes[k - 1] + static_cast<std::int64_t>(std::ceil(gap * before / (before + after)));
    }
    if (begin <= all.back().from)
      all.back().device = best;
    else
      all.push_back({best, begin});
  }
  return all;
}
}  // namespace the_first_that_is_faster

// answer: the_last_of_equals
// expect: of two equal devices
// Of equal devices it takes the last one.
namespace the_last_of_equals {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] <= seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace the_last_of_equals

// answer: one_after_the_crossing
// expect: the lines cross at exactly 33: expected "device 0 from 1, device 1 from 33", got
// Rounds down and adds 1, which is one too many if the crossing is an integer.
namespace one_after_the_crossing {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(from + (to - from) * before / (before + after)) + 1;
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace one_after_the_crossing

// answer: replaces_the_first_only
// expect: device 1 begins at 5, and then so does device 2
// Replaces an entry only where the new device begins at the first size.
namespace replaces_the_first_only {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from == sizes[0]) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace replaces_the_first_only

// answer: trims_the_extremes
// expect: the median is the third of the five sorted times
// Takes the mean without the fastest and the slowest run. Right if only one run was disturbed.
namespace trims_the_extremes {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      if (seconds.size() > 2) seconds = {seconds.begin() + 1, seconds.end() - 1};
      double sum = 0;
      for (const double one : seconds) sum += one;
      medians[d].push_back(sum / static_cast<double>(seconds.size()));
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] < last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace trims_the_extremes

// answer: looks_back_over_equals
// expect: so go back to 9 only: expected "device 0 from 1, device 1 from 9", got
// Goes back over sizes at which both devices take the same time.
namespace looks_back_over_equals {
namespace {

using Times = std::vector<std::vector<double>>;

Times medians_of(const std::vector<Measure>& devices, const std::vector<std::int64_t>& sizes,
                 int runs) {
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int round = 0; round <= runs; ++round)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (round > 0) all[d][s].push_back(seconds);
      }
  Times medians(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& seconds : all[d]) {
      std::sort(seconds.begin(), seconds.end());
      medians[d].push_back(seconds[seconds.size() / 2]);
    }
  return medians;
}

/// Returns where `next` becomes faster than `last`. It is faster at sizes[s].
std::int64_t begin_of(const std::vector<double>& last, const std::vector<double>& next,
                      const std::vector<std::int64_t>& sizes, std::size_t s) {
  while (s > 0 && next[s - 1] <= last[s - 1]) --s;
  if (s == 0) return sizes[0];
  const double before = next[s - 1] - last[s - 1], after = last[s] - next[s];
  const auto from = static_cast<double>(sizes[s - 1]), to = static_cast<double>(sizes[s]);
  return static_cast<std::int64_t>(std::ceil(from + (to - from) * before / (before + after)));
}

}  // namespace

std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  const Times seconds = medians_of(devices, sizes, runs);
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (seconds[d][s] < seconds[best][s]) best = d;
    const Advice last = advice.back();
    if (seconds[best][s] > 0.9 * seconds[last.device][s]) continue;
    const std::int64_t from = begin_of(seconds[last.device], seconds[best], sizes, s);
    if (from <= last.from) advice.pop_back();
    advice.push_back({best, std::max(from, last.from)});
  }
  return advice;
}
}  // namespace looks_back_over_equals

// answer: less_than_nine_tenths
// expect: device 1 takes exactly 0.9 of the time at 10, which is enough
// Changes only if the gain is more than ten percent.
namespace less_than_nine_tenths {
std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs) {
  using Times = std::vector<std::vector<double>>;
  std::vector<Times> all(devices.size(), Times(sizes.size()));
  for (int run = 0; run <= runs; ++run)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const double seconds = devices[d](sizes[s]);
        if (run > 0) all[d][s].push_back(seconds);
      }
  Times t(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (std::vector<double>& one : all[d]) {
      std::sort(one.begin(), one.end());
      t[d].push_back(one[one.size() / 2]);
    }
  std::vector<Advice> advice = {{0, sizes[0]}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t d = 1; d < devices.size(); ++d)
      if (t[d][s] < t[best][s]) best = d;
    const std::size_t old = advice.back().device;
    if (best == old || !(t[best][s] < 0.9 * t[old][s])) continue;
    std::size_t at = s;
    while (at > 0 && t[best][at - 1] < t[old][at - 1]) --at;
    std::int64_t from = sizes[0];
    if (at > 0) {
      const double before = t[best][at - 1] - t[old][at - 1], after = t[old][at] - t[best][at];
      const auto x0 = static_cast<double>(sizes[at - 1]), x1 = static_cast<double>(sizes[at]);
      from = static_cast<std::int64_t>(std::ceil(x0 + (x1 - x0) * before / (before + after)));
    }
    if (from <= advice.back().from)
      advice.back().device = best;
    else
      advice.push_back({best, from});
  }
  return advice;
}
}  // namespace less_than_nine_tenths
