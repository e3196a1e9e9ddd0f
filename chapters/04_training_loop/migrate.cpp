// migrate_one_by_one and migrate_to_one: exercise 4.migrate, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void migrate_one_by_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                        td::DeviceType kind) {
  // Your code here: One `if` an object, four objects, cuda() or sim(). About 10 lines.
  td::not_done_yet("migrate");
}

td::Device migrate_to_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                          td::DeviceType kind) {
  // Your code here: Choose the device once, then `to` four times. 6 lines.
  td::not_done_yet("migrate");
}
