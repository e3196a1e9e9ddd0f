// Tests of async_copy. Gates hold streams, so a copy that is not waited for never arrives in time,
// and memory that is freed too early always belongs to another tensor.
#include "accelerators.h"
#include "exercises.h"
#include "lanes.h"
#include "races.h"

namespace {

constexpr std::int64_t kMany = 1000000;  // more than is copied aside before a call returns

td::Tensor counted(std::int64_t n) { return td::arange(n).to(td::kFloat32); }
double sum_of(std::int64_t n) { return static_cast<double>(n * (n - 1)) / 2; }

// Lets the allocator hand out memory full of poison next, for this stream.
void poison_memory(std::int64_t n, const td::Stream& stream) {
  const td::StreamGuard guard(stream);
  check::poison(td::empty({n}, kSim));
}

}  // namespace

TEST_CASE("values arrive, whatever the layout and the type", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  for (const std::int64_t n : check::odd_sizes()) {
    const td::Tensor host = counted(2 * n).reshape({n, 2});
    for (const td::Tensor& source :
         {host, host.pin_memory(), host.t(), host.pin_memory().narrow(1, 1, 1), host.to(td::kInt64),
          host.narrow(0, 0, 0)}) {
      const std::string what = "a tensor for " + std::to_string(n) + " rows";
      const PendingCopy there = copy_async(source, kSim, copies);
      const td::Tensor on_device = wait_for(there);
      check::expect_on(on_device, kSim, what);
      check::expect_dtype(on_device, source.dtype(), what);
      check::expect_close(on_device, source, 0, what + ", to the device");
      const PendingCopy back = copy_async(on_device, td::kCPU, copies);
      check::expect_on(back.tensor, td::kCPU, what);
      check::expect_close(wait_for(back), source, 0, what + ", there and back");
    }
  }
}

TEST_CASE("the copy to the host is in pinned memory", "[async_copy]") {
  const PendingCopy back = copy_async(td::ones({5}, kSim), td::kCPU, td::getStreamFromPool(kSim));
  check::expect(
      back.tensor.is_pinned(),
      "the copy on the host is not in pinned memory: a copy to pageable memory blocks the host");
  check::expect_close(wait_for(back), td::ones({5}), 0, "the copy on the host");
}

TEST_CASE("a copy within a device has memory of its own", "[async_copy]") {
  td::Tensor source = td::full({1000}, 7, kSim);
  const td::Tensor copy = wait_for(copy_async(source, kSim, td::getStreamFromPool(kSim)));
  check::expect_on(copy, kSim, "a copy from sim:0 to sim:0");
  check::expect(copy.data_ptr() != source.data_ptr(),
                "a copy within sim:0 shares the memory of the source; copy to memory of its own");
  source.add_(1);
  check::expect_close(copy, td::full({1000}, 7), 0,
                      "a copy within sim:0, after later work of the current stream changed the "
                      "source: that stream must wait for the copy, by an event that was recorded "
                      "on `stream` after the copy");
}

TEST_CASE("copy_async returns before the copy is made", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  for (const td::Tensor& source :
       {counted(kMany).pin_memory(), counted(kMany), counted(kMany).view({2, kMany / 2}).t(),
        counted(2 * kMany).view({kMany, 2}).pin_memory().narrow(1, 1, 1),
        counted(kMany).to(kSim)}) {
    const td::Device target = source.is_cpu() ? kSim : td::Device("cpu");
    const std::string what = "copy_async to " + target.str() + " from " +
                             (source.is_pinned() ? "pinned"
                              : source.is_cpu()  ? "pageable"
                                                 : "device") +
                             " memory" + (source.is_contiguous() ? "" : ", not contiguous");
    Gate gate(kHeld);
    gate.hold(copies);
    const PendingCopy pending = copy_async(source, target, copies);
    check::expect(!gate.has_expired(), what + " waits for the copy");
    check::expect(!pending.ready.query(),
                  what +
                      ": `ready` must be recorded on `stream` after the copy; its query() returns "
                      "true while a gate holds that stream");
    gate.open();
    check::expect_close(wait_for(pending), source, 0, "the copy");
  }
}

TEST_CASE("the copy is on the given stream", "[async_copy]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 300000});
  const td::Stream copies = td::getStreamFromPool(kSim);
  const td::Tensor host = counted(1000).pin_memory();
  const PendingCopy pending = copy_async(host, kSim, copies);
  td::getCurrentStream(kSim).synchronize();
  check::expect(!copies.query(),
                "the copy of 300 ms is not made by `stream`: that one is done when "
                "the current stream is");
  check::expect_close(wait_for(pending), host, 0, "the copy");
}

TEST_CASE("work on the current stream waits for the copy, and the host does not", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  const td::Tensor host = counted(kMany).pin_memory();
  poison_memory(kMany, copies);
  td::Tensor sum;
  {
    Gate gate(kHeld);
    gate.hold(copies);
    const PendingCopy pending = copy_async(host, kSim, copies);
    sum = wait_for(pending).sum();
    check::expect(!gate.has_expired(),
                  "wait_for a tensor on sim:0 keeps the host until the copy is done");
    give_it_time();
  }
  check::expect_close(sum.item<double>() / sum_of(kMany), 1, 1e-4,
                      "the sum of the copy, computed at once after wait_for");
}

TEST_CASE("a source that is still being computed is waited for", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  td::Tensor values = td::zeros({1000}, kSim);
  std::optional<PendingCopy> back;
  {
    Gate gate(kBriefly);
    gate.hold(td::getCurrentStream(kSim));
    values.add_(7);
    back.emplace(copy_async(values, td::kCPU, copies));
    give_it_time();
  }
  check::expect_close(wait_for(*back), td::full({1000}, 7), 0,
                      "the copy of a tensor that the current stream was still adding to");
}

TEST_CASE("a pinned source that the current stream still writes is waited for", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  const td::Tensor values = td::full({1000}, 7, kSim);
  td::Tensor host = td::zeros({1000}).pin_memory();
  td::synchronize(kSim);
  std::optional<PendingCopy> there;
  {
    Gate gate(kBriefly);
    gate.hold(td::getCurrentStream(kSim));
    host.copy_(values, /*non_blocking=*/true);
    there.emplace(copy_async(host, kSim, copies));
    give_it_time();
  }
  check::expect_close(wait_for(*there), td::full({1000}, 7), 0,
                      "the copy of a pinned tensor to which the current stream was still copying");
}

TEST_CASE("the source may be dropped immediately", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  td::Tensor values = td::full({1000}, 7, kSim), others;
  td::synchronize(kSim);
  std::optional<PendingCopy> back;
  {
    Gate gate(kBriefly);
    gate.hold(copies);
    back.emplace(copy_async(values, td::kCPU, copies));
    values = td::Tensor();
    others =
        td::full({1000}, 9, kSim);  // has the same memory, unless record_stream told the allocator
    td::getCurrentStream(kSim).synchronize();
  }
  check::expect_close(wait_for(*back), td::full({1000}, 7), 0,
                      "the copy of a tensor that was dropped while its copy waited");
}

TEST_CASE("the copy's memory is not reused before the current stream has used it", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  td::Tensor sum, others;
  {
    std::optional<PendingCopy> pending(copy_async(td::full({1000}, 7), kSim, copies));
    copies.synchronize();
    Gate gate(kBriefly);
    gate.hold(td::getCurrentStream(kSim));
    sum = wait_for(*pending).sum();
    pending.reset();
    const td::StreamGuard guard(copies);
    others =
        td::full({1000}, 9, kSim);  // has the same memory, unless record_stream told the allocator
    copies.synchronize();
  }
  check::expect_close(sum.item<double>(), 7000, 0,
                      "the sum of a copy that was dropped while the sum waited");
}

TEST_CASE("nothing waits for other streams", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim), other = td::getStreamFromPool(kSim);
  const td::Tensor host = counted(100), on_device = counted(100).to(kSim);
  Gate gate(kHeld);
  gate.hold(other);
  wait_for(copy_async(host, kSim, copies));
  wait_for(copy_async(on_device, td::kCPU, copies));
  check::expect(!gate.has_expired(),
                "copy_async or wait_for waits for a stream that has nothing to do with the copy: "
                "synchronize the event, not the device");
}

TEST_CASE("the host waits for this copy and not for the next", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  const PendingCopy first = copy_async(td::ones({100}, kSim), td::kCPU, copies);
  Gate gate(kHeld);
  gate.hold(copies);
  wait_for(first);
  check::expect(
      !gate.has_expired(),
      "wait_for waits for work that was queued after the copy: wait for the event, not for "
      "the stream");
}

TEST_CASE("on every accelerator of this machine, there and back", "[async_copy]") {
  for (const td::Device device : accelerators()) {
    const td::Stream copies = td::getStreamFromPool(device);
    for (const td::Tensor& source :
         {counted(1), counted(1033).pin_memory(), td::zeros({0}), td::full({}, 3),
          counted(6).to(td::kFloat16), counted(6) > 2}) {
      const PendingCopy there = copy_async(source, device, copies);
      const td::Tensor on_device = wait_for(there);
      const std::string what = std::to_string(source.numel()) + " elements on " + device.str();
      check::expect_on(on_device, device, what);
      check::expect_dtype(on_device, source.dtype(), what);
      const PendingCopy back = copy_async(on_device, td::kCPU, copies);
      check::expect_close(wait_for(back), source, 0, what + ", there and back");
    }
  }
}

TEST_CASE("copies wait for a current stream that is not the default", "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim), work = td::getStreamFromPool(kSim);
  const td::Tensor values = td::zeros({1000}, kSim), host = counted(1000).pin_memory();
  td::synchronize(kSim);
  const td::StreamGuard guard(work);
  std::optional<PendingCopy> back;
  {
    Gate gate(kBriefly);
    gate.hold(work);
    values.add_(7);
    back.emplace(copy_async(values, td::kCPU, copies));
    give_it_time();
  }
  check::expect_close(wait_for(*back), td::full({1000}, 7), 0,
                      "the copy of a tensor that the current stream, which is not the default "
                      "stream, was still adding to");
  td::Tensor sum;
  {
    Gate gate(kBriefly);
    gate.hold(copies);
    const PendingCopy there = copy_async(host, kSim, copies);
    sum = wait_for(there).sum();
    give_it_time();
  }
  check::expect_close(sum.item<double>(), sum_of(1000), 1,
                      "the sum of the copy on a current stream that is not the default stream");
}

TEST_CASE("a pinned source may be dropped, and its memory is not used again too early",
          "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  std::optional<PendingCopy> there;
  td::Tensor other;
  {
    Gate gate(kBriefly);
    gate.hold(copies);
    {
      const td::Tensor source = td::full({1000}, 7).pin_memory();
      there.emplace(copy_async(source, kSim, copies));
    }
    other = td::full({1000}, 9).pin_memory();
  }
  check::expect_close(wait_for(*there), td::full({1000}, 7), 0,
                      "the copy of a pinned tensor that was dropped while its copy waited");
}

TEST_CASE("all uses of the source and of the copy are ordered", "[async_copy]") {
  const td::Device cpu("cpu"), other("sim:1");
  for (const auto& [from, to] : {std::pair(kSim, kSim), {kSim, cpu}, {cpu, kSim}, {other, cpu}}) {
    const td::Device device = from.is_cpu() ? to : from;
    const td::Stream copies = td::getStreamFromPool(device);
    const Looking looking;
    td::Tensor values = td::zeros({1000}, device);
    const td::Tensor host = td::ones({1000}).pin_memory();
    values.add_(7);
    const PendingCopy pending = copy_async(from.is_cpu() ? host : values, to, copies);
    const td::Tensor copy = wait_for(pending);
    values.add_(1);
    copy.clone();
    Looking::expect_none("copy_async from " + (from.is_cpu() ? "pinned memory" : from.str()) +
                         " to " + to.str() +
                         ", wait_for, and then work on the copy and on the source: the race "
                         "finder reports");
  }
}

TEST_CASE("on cpu the host waits for a slow copy", "[async_copy]") {
  const td::Tensor values = td::full({1000}, 7, kSim);
  const LinkOf slow({.gb_per_s = 12, .latency_us = 50000});
  const PendingCopy back = copy_async(values, td::kCPU, td::getStreamFromPool(kSim));
  check::expect_close(wait_for(back), td::full({1000}, 7), 0,
                      "the copy on cpu immediately after wait_for, over a link that takes 50 ms");
}

TEST_CASE("the copy's memory is kept for a current stream that is not the default",
          "[async_copy]") {
  const td::Stream copies = td::getStreamFromPool(kSim), work = td::getStreamFromPool(kSim);
  td::Tensor sum, others;
  {
    std::optional<PendingCopy> pending(copy_async(td::full({1000}, 7), kSim, copies));
    copies.synchronize();
    Gate gate(kBriefly);
    gate.hold(work);
    {
      const td::StreamGuard guard(work);
      sum = wait_for(*pending).sum();
      pending.reset();
    }
    td::getDefaultStream(kSim).synchronize();  // so that a block that waits for it alone is free
    const td::StreamGuard guard(copies);
    others = td::full({1000}, 9, kSim);  // has the same memory, unless the allocator was told
    copies.synchronize();
  }
  td::synchronize(kSim);
  check::expect_close(sum.item<double>(), 7000, 0,
                      "the sum of a copy that was dropped while the current stream, one of the "
                      "pool, still used it: record_stream takes the current stream");
}
