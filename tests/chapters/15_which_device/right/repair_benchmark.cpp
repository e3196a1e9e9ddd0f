#include <algorithm>

#include "exercises.h"

// answer: one_function_for_both
// One function times either device; reading the scores waits for them.
namespace one_function_for_both {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  const td::NoGradGuard no_grad;
  const auto seconds_on = [&](td::Device where) {
    model->to(where);
    const auto predict = [&] { return model->forward(batch.to(where)).cpu(); };
    predict();
    std::vector<double> seconds;
    for (int run = 0; run < runs; ++run) {
      const double begin = clock();
      predict();
      seconds.push_back(clock() - begin);
    }
    std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
    return seconds[static_cast<std::size_t>(runs) / 2];
  };
  const double cpu = seconds_on(td::kCPU);
  return {cpu, seconds_on(device)};
}
}  // namespace one_function_for_both

// answer: interleaved_runs
// Moves the model in each round, while nothing is timed, and waits for an event.
namespace interleaved_runs {
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock) {
  std::vector<std::vector<double>> seconds(2);
  for (int run = 0; run <= runs; ++run)
    for (std::size_t side = 0; side < 2; ++side) {
      const td::Device where = side == 0 ? td::Device(td::kCPU) : device;
      model->to(where);
      td::synchronize(where);
      const double begin = clock();
      {
        const td::InferenceMode inference;
        model->forward(batch.to(where, /*non_blocking=*/true));
      }
      td::Event done(where.type());
      done.record(td::getCurrentStream(where));
      done.synchronize();
      const double end = clock();
      if (run > 0) seconds[side].push_back(end - begin);
    }
  for (std::vector<double>& all : seconds) std::sort(all.begin(), all.end());
  const std::size_t low = (seconds[0].size() - 1) / 2, high = seconds[0].size() / 2;
  return {(seconds[0][low] + seconds[0][high]) / 2, (seconds[1][low] + seconds[1][high]) / 2};
}
}  // namespace interleaved_runs
