// Kernels that read and write where an index says, sorts and running sums, against the cpu. Sums
// are bitwise equal, because equal indices keep their order; running sums of integers are exact.
#include <cstring>

#include "catch.h"
#include "gpu.h"
#include "td/ops/kernels.h"
#include "td/ops/ops.h"

namespace td {
namespace {

bool same_bytes(const Tensor& a, const Tensor& b) {
  const Tensor x = a.cpu().contiguous(), y = b.cpu().contiguous();
  return x.sizes() == y.sizes() && std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

Tensor on_gpu(const Tensor& t) { return t.to(gpu::device(), false, true); }

const ScalarType kTypes[] = {kFloat, kHalf, kBFloat16, kDouble, kLong, kByte};

TEST_CASE("index_select, index_add and index_put_: one, few and many entries, equal and not") {
  for (const ScalarType type : kTypes)
    for (const std::int64_t inner : {1, 3, 8, 65})
      for (const std::int64_t picked : {0, 1, 16, 17, 1000, 5000})
        for (const std::int64_t n : {1, 7, 3000}) {
          INFO(type << " inner " << inner << " picked " << picked << " n " << n);
          const Tensor x = (randn({n, inner}) * 3).to(type), at = randint(0, n, {picked}, kLong);
          const Tensor source = (randn({picked, inner}) * 3).to(type);
          CHECK(same_bytes(index_select(on_gpu(x), 0, on_gpu(at)), index_select(x, 0, at)));
          CHECK(same_bytes(index_add(on_gpu(x), 0, on_gpu(at), on_gpu(source)),
                           index_add(x, 0, at, source)));
          const Tensor y = x.clone(), on_y = on_gpu(x);
          y.index_put_({at}, source);
          on_y.index_put_({on_gpu(at)}, on_gpu(source));
          CHECK(same_bytes(on_y, y));
        }
}

TEST_CASE("gather, scatter and scatter_add along each dimension") {
  for (const ScalarType type : kTypes)
    for (const std::int64_t dim : {0, 1, 2})
      for (const std::int64_t length : {1, 5, 16, 17, 300}) {
        INFO(type << " dim " << dim << " length " << length);
        const Tensor x = (randn({9, 8, 7}) * 3).to(type);
        Sizes sizes = {8, 8, 6};
        sizes[static_cast<std::size_t>(dim)] = length;
        const Tensor at = randint(0, x.size(dim), sizes, kLong);
        const Tensor source = (randn(sizes) * 3).to(type);
        CHECK(same_bytes(gather(on_gpu(x), dim, on_gpu(at)), gather(x, dim, at)));
        CHECK(same_bytes(scatter(on_gpu(x), dim, on_gpu(at), on_gpu(source)),
                         scatter(x, dim, at, source)));
        CHECK(same_bytes(scatter_add(on_gpu(x), dim, on_gpu(at), on_gpu(source)),
                         scatter_add(x, dim, at, source)));
      }
}

TEST_CASE("the gradient of an embedding is bitwise identical to the cpu's, every time") {
  const Tensor weight = randn({50, 33}), words = randint(0, 50, {40, 100}, kLong);
  const Tensor g = randn({40, 100, 33});
  const auto gradient = [&](Device device) {
    const Tensor w = weight.to(device, false, true).requires_grad_();
    embedding(w, words.to(device)).backward(g.to(device));
    return w.grad();
  };
  const Tensor wanted = gradient(kCPU);
  for (int again = 0; again < 3; ++again) CHECK(same_bytes(gradient(gpu::device()), wanted));
}

TEST_CASE("sort: stable, in tiles and in merged tiles") {
  for (const ScalarType type : {kFloat, kHalf, kLong, kByte})
    for (const std::int64_t n : {1, 2, 31, 1000, 1024, 1025, 5000, 100000}) {
      INFO(type << " n " << n);
      const Tensor x = (randn({3, n}) * 9).to(kLong).to(type);  // many equal elements
      CHECK(same_bytes(argsort(on_gpu(x), 1), argsort(x, 1)));
      CHECK(same_bytes(argsort(on_gpu(x), 1, true), argsort(x, 1, true)));
    }
}

TEST_CASE("running sums and products along rows and columns") {
  for (const std::int64_t n : {1, 16, 17, 128, 129, 2048, 2049, 100000})
    for (const std::int64_t dim : {0, 1}) {
      INFO("n " << n << " dim " << dim);
      const Sizes sizes = dim ? Sizes{3, n} : Sizes{n, 3};
      const Tensor whole = randint(0, 100, sizes, kLong), real = rand(sizes, kDouble);
      CHECK(same_bytes(cumsum(on_gpu(whole), dim), cumsum(whole, dim)));
      CHECK(same_bytes(cumprod(on_gpu(whole), dim), cumprod(whole, dim)));
      const Tensor y = cumsum(on_gpu(real), dim);
      CHECK(allclose(y.cpu(), cumsum(real, dim), 1e-13));
      CHECK(same_bytes(cumsum(on_gpu(real), dim), y));
      const Tensor narrow = real.to(kFloat);
      CHECK(allclose(cumsum(on_gpu(narrow), dim).cpu(), cumsum(narrow, dim), 1e-6));
    }
  const Tensor large =
      tensor({1e30f, 1e30f, 1e-30f, 1e-30f});  // the product of two is beyond float
  CHECK(allclose(cumprod(on_gpu(large), 0).cpu(), cumprod(large, 0), 1e-6));
  const Tensor wide = randint(0, 100, {20, 40000}, kLong);  // one thread per column
  CHECK(same_bytes(cumsum(on_gpu(wide), 0), cumsum(wide, 0)));
}

}  // namespace
}  // namespace td
