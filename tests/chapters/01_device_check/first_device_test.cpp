// Tests of first_device.
#include "check_devices.h"
#include "exercises.h"

TEST_CASE("a machine with GPUs uses cuda:0", "[first_device]") {
  for (const int gpus : {1, 2, 8, 16})
    check::expect(first_device(gpus) == td::Device("cuda:0"),
                  "first_device(" + std::to_string(gpus) + "): expected cuda:0, got " +
                      first_device(gpus).str());
}

TEST_CASE("a machine without a GPU uses the cpu", "[first_device]") {
  check::expect(first_device(0) == td::Device("cpu"),
                "first_device(0): expected cpu, got " + first_device(0).str());
}
