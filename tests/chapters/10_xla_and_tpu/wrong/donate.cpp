#include "exercises.h"

#include <optional>

// answer: keeps_the_loss_as_a_weight
// expect: expected 1 weight per replica
// All results are taken for weights.
namespace keeps_the_loss_as_a_weight {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (auto& replica : arguments) replica.resize(1);
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end());
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace keeps_the_loss_as_a_weight

// answer: keeps_the_old_weights
// expect: deleted or donated
// The old weights again in the second step. Right for one step.
namespace keeps_the_old_weights {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      if (n + 1 == steps) weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace keeps_the_old_weights

// answer: loss_before_the_wait
// expect: expected the calls
// Reports the loss of the step before, one step too late.
namespace loss_before_the_wait {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  Buffer last;
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    if (n > 0) on_loss(n - 1, last);
    last = run.outputs(0).back();
    if (n + 1 == steps) on_loss(n, last);
  }
  return weights;
}
}  // namespace loss_before_the_wait

// answer: loss_of_every_replica
// expect: on_loss is called once per step
// Shows the loss of each replica.
namespace loss_of_every_replica {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    for (std::size_t r = 0; r < replicas; ++r) on_loss(n, run.outputs(r).back());
  }
  return weights;
}
}  // namespace loss_of_every_replica

// answer: loss_of_the_last_replica
// expect: the losses of replica 0
// Shows the loss of the last replica. Right for one replica.
namespace loss_of_the_last_replica {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(replicas - 1).back());
  }
  return weights;
}
}  // namespace loss_of_the_last_replica

// answer: one_batch_too_many
// expect: upload(1) was called, but there are only 1 steps
// Uploads a batch after the last step.
namespace one_batch_too_many {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace one_batch_too_many

// answer: uploads_all_first
// expect: was called before step 0 was started
// All batches are copied before the first step.
namespace uploads_all_first {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<std::vector<Buffer>>> all;
  for (std::size_t n = 0; n < steps; ++n) all.push_back(upload_all(n));
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), all[n][r].begin(), all[n][r].end());
    td::xla::Run run = step.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace uploads_all_first

// answer: uploads_before_the_start
// expect: was called before step 0 was started
// Uploads the next batch and then starts the step: nothing overlaps. The order of the calls is
// right.
namespace uploads_before_the_start {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    if (n + 1 < steps) batches = upload_all(n + 1);
    td::xla::Run run = step.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace uploads_before_the_start

// answer: waits_before_it_uploads
// expect: got upload 0, loss 0, upload 1
// Each batch when it is needed: the device waits for the host. All numbers are right.
namespace waits_before_it_uploads {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  for (std::size_t n = 0; n < steps; ++n) {
    batches = upload_all(n);
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace waits_before_it_uploads

// answer: weights_in_reverse
// expect: the first weight
// The weights come back in reverse order. Right for one weight.
namespace weights_in_reverse {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).rbegin() + 1, run.outputs(r).rend());
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace weights_in_reverse

// answer: weights_of_replica_0
// expect: replica 1
// Every replica continues with the results of replica 0.
namespace weights_of_replica_0 {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r) weights[r] = {run.outputs(0).front().to_device(r)};
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace weights_of_replica_0

// answer: starts_before_the_loss
// expect: step 1 was started before on_loss(0, ...) was called
// Keeps the device busy while it reports the loss. The order of uploads and losses is right.
namespace starts_before_the_loss {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(n, r));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  std::optional<Buffer> loss;
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (loss) on_loss(n - 1, *loss);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    loss = run.outputs(0).back();
  }
  if (loss) on_loss(steps - 1, *loss);
  return weights;
}
}  // namespace starts_before_the_loss

// answer: exchanges_the_arguments
// expect: upload(1, 0) was called before upload(0, 1). The arguments are (step, replica)
// Exchanges the step and the replica. Right for the first step of one replica.
namespace exchanges_the_arguments {
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss) {
  const std::size_t replicas = weights.size();
  const auto upload_all = [&](std::size_t n) {
    std::vector<std::vector<Buffer>> batches;
    for (std::size_t r = 0; r < replicas; ++r) batches.push_back(upload(r, n));
    return batches;
  };
  std::vector<std::vector<Buffer>> batches;
  if (steps > 0) batches = upload_all(0);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<std::vector<Buffer>> arguments = weights;
    for (std::size_t r = 0; r < replicas; ++r)
      arguments[r].insert(arguments[r].end(), batches[r].begin(), batches[r].end());
    td::xla::Run run = step.start(arguments);
    if (n + 1 < steps) batches = upload_all(n + 1);
    run.wait();
    for (std::size_t r = 0; r < replicas; ++r)
      weights[r].assign(run.outputs(r).begin(), run.outputs(r).end() - 1);
    on_loss(n, run.outputs(0).back());
  }
  return weights;
}
}  // namespace exchanges_the_arguments
