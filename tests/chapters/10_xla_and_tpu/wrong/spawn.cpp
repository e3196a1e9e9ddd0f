#include "exercises.h"

#include <mutex>
#include <thread>

// answer: counts_from_one
// expect: call 0 of on_loss has the step 1
// Steps are counted from 1.
namespace counts_from_one {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
      if (replica == 0) on_loss(n + 1, loss);
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
}  // namespace counts_from_one

// answer: every_replica_reports
// expect: expected 3 calls of on_loss, got 6
// Every replica calls on_loss.
namespace every_replica_reports {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
      on_loss(n, loss);
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
}  // namespace every_replica_reports

// answer: in_the_order_of_the_ends
// expect: the result of replica 0
// The results are in the order in which the threads have ended.
namespace in_the_order_of_the_ends {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
      if (replica == 0) on_loss(n, loss);
    }
    TensorList result;
    for (const Buffer& weight : mine) result.push_back(weight.to_host());
    return result;
  };
  std::vector<TensorList> results;
  std::mutex mutex;
  std::exception_ptr first_error;
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < group.replicas(); ++r)
    threads.emplace_back([&, r] {
      try {
        TensorList mine = train(r);
        const std::lock_guard lock(mutex);
        results.push_back(std::move(mine));
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
}  // namespace in_the_order_of_the_ends

// answer: keeps_the_old_weights
// expect: deleted or donated
// Continues with the weights that were donated. Right for one step.
namespace keeps_the_old_weights {
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
}  // namespace keeps_the_old_weights

// answer: last_error
// expect: the disk is full
// Throws the last error, which is StepAborted.
namespace last_error {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
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
        group.abort();
        const std::lock_guard lock(mutex);
        if (!first_error || r != group.replicas() - 1) first_error = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
  return results;
}
}  // namespace last_error

// answer: loss_as_a_weight
// expect: expected 1 weight (the loss is not one), got 2
// The loss of the last step stays in the list of the weights.
namespace loss_as_a_weight {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.resize(weights.size());
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
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
}  // namespace loss_as_a_weight

// answer: no_abort
// expect: the disk is full
// Does not end the other threads, which wait for the replica that failed.
namespace no_abort {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
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
        first_error = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
  return results;
}
}  // namespace no_abort

// answer: on_the_main_thread
// expect: each replica needs a thread
// Replica 0 trains on the thread of the caller.
namespace on_the_main_thread {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
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
  for (std::size_t r = group.replicas(); r-- > 0;) {
    const auto body = [&, r] {
      try {
        results[r] = train(r);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first_error) first_error = std::current_exception();
        group.abort();
      }
    };
    if (r == 0)
      body();
    else
      threads.emplace_back(body);
  }
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
  return results;
}
}  // namespace on_the_main_thread

// answer: one_after_another
// expect: each one needs a thread that runs concurrently
// Starts a thread and waits for it before the next one. Right for one replica.
namespace one_after_another {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
      if (replica == 0) on_loss(n, loss);
    }
    TensorList result;
    for (const Buffer& weight : mine) result.push_back(weight.to_host());
    return result;
  };
  std::vector<TensorList> results(group.replicas());
  std::mutex mutex;
  std::exception_ptr first_error;
  for (std::size_t r = 0; r < group.replicas(); ++r)
    std::thread([&, r] {
      try {
        results[r] = train(r);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first_error) first_error = std::current_exception();
        group.abort();
      }
    }).join();
  if (first_error) std::rethrow_exception(first_error);
  return results;
}
}  // namespace one_after_another

// answer: results_of_replica_0
// expect: the result of replica 1
// All replicas return the weights of replica 0.
namespace results_of_replica_0 {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
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
  for (TensorList& result : results) result = results[0];
  return results;
}
}  // namespace results_of_replica_0

// answer: swallows_the_error
// expect: an error was expected, none was thrown
// The error ends the training without a word.
namespace swallows_the_error {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, replica));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
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
  return results;
}
}  // namespace swallows_the_error

// answer: weights_on_device_0
// expect: Execute
// All replicas copy their weights to device 0.
namespace weights_on_device_0 {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const auto train = [&](std::size_t replica) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, 0));
    for (std::size_t n = 0;; ++n) {
      const std::vector<Buffer> batch = next(replica);
      if (batch.empty()) break;
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(replica, std::move(mine));
      const Buffer loss = mine.back();
      mine.pop_back();
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
}  // namespace weights_on_device_0

// answer: error_of_another_type
// expect: an error of another type was thrown: expected
// Keeps the words of an error, and not the error itself.
namespace error_of_another_type {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const std::size_t replicas = group.replicas();
  std::vector<TensorList> results(replicas);
  std::mutex mutex;
  std::exception_ptr first;
  const auto train = [&](std::size_t r) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, r));
    std::size_t n = 0;
    for (std::vector<Buffer> batch = next(r); !batch.empty(); batch = next(r)) {
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(r, mine);
      if (r == 0) on_loss(n++, mine.back());
      mine.pop_back();
    }
    for (const Buffer& weight : mine) results[r].push_back(weight.to_host());
  };
  const auto fail = [&](std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex);
      if (!first) first = error;
    }
    group.abort();
  };
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < replicas; ++r)
    threads.emplace_back([&, r] {
      try {
        train(r);
      } catch (const StepAborted&) {  // another replica has failed
      } catch (const td::xla::XlaError&) {
        fail(std::current_exception());
      } catch (const std::exception& error) {
        fail(std::make_exception_ptr(td::Error(error.what())));
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
  return results;
}
}  // namespace error_of_another_type

// answer: thread_per_device
// expect: next(2) was called
// Starts a thread for each device of the client. Right if all devices are used.
namespace thread_per_device {
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss) {
  const std::size_t replicas = client.devices().size();
  std::vector<TensorList> results(replicas);
  std::mutex mutex;
  std::exception_ptr first;
  const auto train = [&](std::size_t r) {
    std::vector<Buffer> mine;
    for (const td::Tensor& weight : weights) mine.push_back(client.to_device(weight, r));
    std::size_t n = 0;
    for (std::vector<Buffer> batch = next(r); !batch.empty(); batch = next(r)) {
      mine.insert(mine.end(), batch.begin(), batch.end());
      mine = group.mark_step(r, mine);
      if (r == 0) on_loss(n++, mine.back());
      mine.pop_back();
    }
    for (const Buffer& weight : mine) results[r].push_back(weight.to_host());
  };
  const auto fail = [&](std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex);
      if (!first) first = error;
    }
    group.abort();
  };
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < replicas; ++r)
    threads.emplace_back([&, r] {
      try {
        train(r);
      } catch (...) {
        fail(std::current_exception());
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
  return results;
}
}  // namespace thread_per_device
