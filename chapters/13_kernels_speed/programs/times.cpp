// Times of the chapter's kernels, next to td's own operations and to the least time on a GPU.
#include "demos.h"

int main(int argc, char** argv) { return run_times(argc, argv, "ch13-times", demos); }
