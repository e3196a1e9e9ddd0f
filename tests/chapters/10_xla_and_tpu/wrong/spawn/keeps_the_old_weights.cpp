// expect: deleted or donated
// Continues with the weights that were donated. Right for one step.
#include <mutex>
#include <thread>

#include "exercises.h"

std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      std::vector<Buffer> arguments = mine;
      arguments.insert(arguments.end(), batch.begin(), batch.end());
      const auto results = group.mark_step(replica, arguments);
      const Buffer loss = results.back();
      if (replica == 0) on_loss(n, loss);
    }
    TensorList result;
    for (const Buffer& weight : mine) result.push_back(weight.to_host());
    return result;
  };
  std::vector<TensorList> results(group.replicas());
  std::mutex mutex;
  std::exception_ptr first_error;
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < group.replicas(); ++r)
    threads.emplace_back([&, r] {
      try {
        results[r] = train(r);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first_error) first_error = std::current_exception();
        group.abort();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
  return results;
}
