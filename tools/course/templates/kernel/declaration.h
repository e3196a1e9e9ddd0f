
/// Exercise CHAPTER_NUMBER.EXERCISE_NAME. Implement `EXERCISE_NAME`. It must compute out[i] = 2 *
/// in[i] for every i below n:
/// - One thread computes one element; neighboring threads compute neighboring elements.
/// - A thread whose index is n or more must not read or write memory.
///
/// TODO: replace this example by your task.
///
/// @param in n elements.
/// @param out n elements, to be written.
///
/// Example: blocks of 256 threads and n = 1,000: 4 blocks, and 24 threads do nothing.
__global__ void EXERCISE_NAME(const float* in, float* out, int n);
