#include "exercises.h"

#include <exception>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

// answer: forgets_the_mode
// expect: the mode is each thread's own
// Right in training. In evaluation every replica records a graph that is not needed.
namespace forgets_the_mode {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        std::ostringstream text;
        text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
        errors[i] = text.str();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace forgets_the_mode

// answer: forgets_the_stream
// expect: replica 1 computed on the default stream
// A new thread starts with the default stream of every device.
namespace forgets_the_stream {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: numbers differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  const auto work = [&](std::size_t i, const td::Stream& stream) {
    try {
      const td::AutoGradMode mode(recorded);

      outputs[i] = modules[i]->forward(inputs[i]);
    } catch (const std::exception& error) {
      std::ostringstream text;
      text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
      errors[i] = text.str();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    threads.emplace_back(work, i, td::getCurrentStream(inputs[i].device()));
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace forgets_the_stream

// answer: knows_its_own_errors_only
// expect: an error of another type was thrown
// Joins all threads, but passes an error on unchanged, so that it does not name the replica.
namespace knows_its_own_errors_only {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::exception_ptr> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        const td::AutoGradMode mode(recorded);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return outputs;
}
}  // namespace knows_its_own_errors_only

// answer: needs_a_text
// expect: an error without a text: an error was expected, none was thrown
// An empty message counts as no error.
namespace needs_a_text {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size())
    throw td::Error("parallel_apply: as many inputs as modules are needed");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i, stream = td::getCurrentStream(inputs[i].device())] {
      try {
        const td::AutoGradMode mode(recorded);
        const td::StreamGuard guard(stream);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        errors[i] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i].empty()) continue;
    std::ostringstream text;
    text << "replica " << i << " on " << inputs[i].device() << ": " << errors[i];
    throw td::Error(text.str());
  }
  return outputs;
}
}  // namespace needs_a_text

// answer: one_after_another
// expect: they run one after another
// A loop without threads: every answer is right, and nothing is faster. (On accelerators the work
// itself would still run concurrently, because the host only launches it.)
namespace one_after_another {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  std::vector<td::Tensor> outputs;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    try {
      outputs.push_back(modules[i]->forward(inputs[i]));
    } catch (const std::exception& error) {
      std::ostringstream text;
      text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
      throw td::Error(text.str());
    }
  }
  return outputs;
}
}  // namespace one_after_another

// answer: one_device_for_all
// expect: the error should say "sim:1"
// The message names the device of the first input.
namespace one_device_for_all {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: numbers differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  const auto work = [&](std::size_t i, const td::Stream& stream) {
    try {
      const td::AutoGradMode mode(recorded);
      const td::StreamGuard guard(stream);
      outputs[i] = modules[i]->forward(inputs[i]);
    } catch (const std::exception& error) {
      std::ostringstream text;
      text << "replica " << i << " on " << inputs[0].device() << ": " << error.what();
      errors[i] = text.str();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    threads.emplace_back(work, i, td::getCurrentStream(inputs[i].device()));
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace one_device_for_all

// answer: only_the_stream
// expect: the current device of a replica should be that of its input
// Sets the current stream of the device, but not the current device. Right for models that create
// no tensors of their own.
namespace only_the_stream {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size())
    throw td::Error("parallel_apply: as many inputs as modules are needed");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i, stream = td::getCurrentStream(inputs[i].device())] {
      try {
        const td::AutoGradMode mode(recorded);
        td::setCurrentStream(stream);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        std::ostringstream text;
        text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
        errors[i] = text.str();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace only_the_stream

// answer: swallows_errors
// expect: an error was expected, none was thrown
// The thread no longer ends the program, and the caller gets an undefined tensor.
namespace swallows_errors {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        const td::AutoGradMode mode(recorded);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception&) {
      }
    });
  for (std::thread& thread : threads) thread.join();
  return outputs;
}
}  // namespace swallows_errors

// answer: too_few_inputs_only
// expect: three inputs for two modules
// Notices missing inputs, but not superfluous ones.
namespace too_few_inputs_only {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (inputs.size() < modules.size()) throw td::Error("parallel_apply: numbers differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  const auto work = [&](std::size_t i, const td::Stream& stream) {
    try {
      const td::AutoGradMode mode(recorded);
      const td::StreamGuard guard(stream);
      outputs[i] = modules[i]->forward(inputs[i]);
    } catch (const std::exception& error) {
      std::ostringstream text;
      text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
      errors[i] = text.str();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back(work, i, td::getCurrentStream(inputs[i].device()));
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace too_few_inputs_only

// answer: whoever_fails_first
// expect: the error should say "replica 0"
// One variable for the errors of all replicas: which error is thrown depends on timing.
namespace whoever_fails_first {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::string first;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        const td::AutoGradMode mode(recorded);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        std::ostringstream text;
        text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
        if (first.empty()) first = text.str();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (!first.empty()) throw td::Error(first);
  return outputs;
}
}  // namespace whoever_fails_first

// answer: as_threads_end
// expect: where the thread of replica 1 ends before that of replica 0: index 0: expected 1, got 2
// Appends the outputs under a lock, in the order in which the threads end.
namespace as_threads_end {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("as many inputs as modules are needed");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs;
  std::vector<std::string> errors(modules.size());
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i, stream = td::getCurrentStream(inputs[i].device())] {
      try {
        const td::AutoGradMode mode(recorded);
        const td::StreamGuard guard(stream);
        const td::Tensor output = modules[i]->forward(inputs[i]);
        const std::lock_guard lock(mutex);
        outputs.push_back(output);
      } catch (const std::exception& error) {
        errors[i] = "replica " + std::to_string(i) + " on " + inputs[i].device().str() + ": " +
                    error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace as_threads_end

// answer: errors_by_name
// expect: errors in replicas 2 and 10 of 12: the error should say "replica 2 on cpu"
// Keeps the errors in a sorted set of texts, in which "replica 10" comes before "replica 2".
namespace errors_by_name {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("as many inputs as modules are needed");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::set<std::string> errors;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i, stream = td::getCurrentStream(inputs[i].device())] {
      try {
        const td::AutoGradMode mode(recorded);
        const td::StreamGuard guard(stream);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        errors.insert("replica " + std::to_string(i) + " on " + inputs[i].device().str() + ": " +
                      error.what());
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (!errors.empty()) throw td::Error(*errors.begin());
  return outputs;
}
}  // namespace errors_by_name

// answer: leaves_its_settings
// expect: sim:1 was the current device of the calling thread, and is not afterwards
// The calling thread runs the last replica, and keeps its device and stream.
namespace leaves_its_settings {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("as many inputs as modules are needed");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  const auto run = [&](std::size_t i, const td::Stream& stream) {
    try {
      td::GradMode::set_enabled(recorded);
      td::setCurrentStream(stream);
      td::set_device(inputs[i].device());
      outputs[i] = modules[i]->forward(inputs[i]);
    } catch (const std::exception& error) {
      errors[i] =
          "replica " + std::to_string(i) + " on " + inputs[i].device().str() + ": " + error.what();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i + 1 < modules.size(); ++i)
    threads.emplace_back(run, i, td::getCurrentStream(inputs[i].device()));
  if (!modules.empty())
    run(modules.size() - 1, td::getCurrentStream(inputs[modules.size() - 1].device()));
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace leaves_its_settings

// answer: no_room
// expect: no replica has failed: a vector was asked for an element that it does not have
// Reserves memory for the outputs, which does not make elements.
namespace no_room {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("as many inputs as modules are needed");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs;
  outputs.reserve(modules.size());
  std::vector<std::string> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i, stream = td::getCurrentStream(inputs[i].device())] {
      try {
        const td::AutoGradMode mode(recorded);
        const td::StreamGuard guard(stream);
        outputs.at(i) = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        errors[i] = "replica " + std::to_string(i) + " on " + inputs[i].device().str() + ": " +
                    error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace no_room

// answer: evaluates_without_graph
// expect: a replica in training mode is in evaluation mode afterwards
// Takes the gradient mode for the mode of the modules.
namespace evaluates_without_graph {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: the numbers differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i, stream = td::getCurrentStream(inputs[i].device())] {
      try {
        const td::AutoGradMode mode(recorded);
        const td::StreamGuard current(stream);
        if (!recorded) modules[i]->eval();
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        errors[i] = "replica " + std::to_string(i) + " on " + inputs[i].device().str() + ": " +
                    error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace evaluates_without_graph
