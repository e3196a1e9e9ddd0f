#include <algorithm>

#include "exercises.h"

// answer: times_the_launches
// expect: while sim:0 was still computing
// The copy of the next run waits for the kernels of this one, so only the last run is too short.
namespace times_the_launches {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device));
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  return {median(on_cpu), median(on_device)};
}
}  // namespace times_the_launches

// answer: waits_once_at_the_end
// expect: while sim:0 was still computing
// Waits after all runs, when the times have been taken.
namespace waits_once_at_the_end {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device, /*non_blocking=*/true));
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  td::synchronize(device);
  return {median(on_cpu), median(on_device)};
}
}  // namespace waits_once_at_the_end

// answer: counts_the_first_run
// expect: 1 run and a first prediction that does not count are 2
// The median hides it, unless there are one or two runs.
namespace counts_the_first_run {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run < runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    on_cpu.push_back(clock() - begin);
  }
  model->to(device);
  for (int run = 0; run < runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device));
    td::synchronize(device);
    on_device.push_back(clock() - begin);
  }
  return {median(on_cpu), median(on_device)};
}
}  // namespace counts_the_first_run

// answer: copies_before_the_clock
// expect: microseconds on sim:0, with a batch whose copy takes 4 us
// The batch is on the device before the first run.
namespace copies_before_the_clock {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  const td::Tensor inputs = batch.to(device);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(inputs);
    td::synchronize(device);
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  return {median(on_cpu), median(on_device)};
}
}  // namespace copies_before_the_clock

// answer: a_graph_on_the_cpu_alone
// expect: predictions were recorded for backward()
// The guard comes after the first loop.
namespace a_graph_on_the_cpu_alone {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  const td::NoGradGuard no_grad;
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device));
    td::synchronize(device);
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  return {median(on_cpu), median(on_device)};
}
}  // namespace a_graph_on_the_cpu_alone

// answer: graphs_on_both
// expect: predictions were recorded for backward()
// Both sides do the same work, but not that of a prediction.
namespace graphs_on_both {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device));
    td::synchronize(device);
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  return {median(on_cpu), median(on_device)};
}
}  // namespace graphs_on_both

// answer: warms_up_without_a_wait
// expect: while sim:0 was still computing
// The first counted run waits for the kernels of the warm-up, too.
namespace warms_up_without_a_wait {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  model->forward(batch.to(device));
  for (int run = 0; run < runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device));
    td::synchronize(device);
    on_device.push_back(clock() - begin);
  }
  return {median(on_cpu), median(on_device)};
}
}  // namespace warms_up_without_a_wait

// answer: moves_the_model_in_each_run
// expect: microseconds on sim:0, with a batch whose copy takes
// The copy of the weights counts, too.
namespace moves_the_model_in_each_run {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  for (int run = 0; run <= runs; ++run) {
    model->to(td::kCPU);
    const double begin = clock();
    model->to(device);
    model->forward(batch.to(device));
    td::synchronize(device);
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  return {median(on_cpu), median(on_device)};
}
}  // namespace moves_the_model_in_each_run

// answer: mean_of_the_runs
// expect: the median of five runs of which one or two were disturbed
// One run that was disturbed changes the mean.
namespace mean_of_the_runs {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto mean = [](const std::vector<double>& seconds) {
    double sum = 0;
    for (const double s : seconds) sum += s;
    return sum / static_cast<double>(seconds.size());
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device));
    td::synchronize(device);
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  return {mean(on_cpu), mean(on_device)};
}
}  // namespace mean_of_the_runs

// answer: smallest_of_the_runs
// expect: the median of five runs of which one or two were disturbed
// The smallest time is not the median: some runs are too short.
namespace smallest_of_the_runs {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto least = [](const std::vector<double>& seconds) {
    return *std::min_element(seconds.begin(), seconds.end());
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device));
    td::synchronize(device);
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  return {least(on_cpu), least(on_device)};
}
}  // namespace smallest_of_the_runs

// answer: waits_for_the_first_device
// expect: while sim:1 was still computing
// Right on sim:0 alone.
namespace waits_for_the_first_device {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  std::vector<double> on_cpu, on_device;
  const td::NoGradGuard no_grad;
  model->to(td::kCPU);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch);
    const double seconds = clock() - begin;
    if (run > 0) on_cpu.push_back(seconds);
  }
  model->to(device);
  const td::Device waited = device.is_cpu() ? device : td::Device(device.type(), 0);
  for (int run = 0; run <= runs; ++run) {
    const double begin = clock();
    model->forward(batch.to(device));
    td::synchronize(waited);
    const double seconds = clock() - begin;
    if (run > 0) on_device.push_back(seconds);
  }
  return {median(on_cpu), median(on_device)};
}
}  // namespace waits_for_the_first_device

// answer: detaches_the_scores
// expect: all predictions were recorded for backward()
// Removes the graph after the work that makes it.
namespace detaches_the_scores {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const auto median = [](std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  const auto time = [&](td::Device where) {
    model->to(where);
    std::vector<double> all;
    for (int run = 0; run <= runs; ++run) {
      const double begin = clock();
      model->forward(batch.to(where)).detach().to(td::kCPU);
      const double t = clock() - begin;
      if (run > 0) all.push_back(t);
    }
    return median(all);
  };
  const double a = time(td::kCPU);
  return {a, time(device)};
}
}  // namespace detaches_the_scores
