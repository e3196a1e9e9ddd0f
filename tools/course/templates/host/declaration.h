
/// Exercise CHAPTER_NUMBER.EXERCISE_NAME. Implement `EXERCISE_NAME`. It must return the largest
/// element so far, for each position: result[i] is the largest of values[0] to values[i].
/// TODO: replace this example by your task, with shapes, errors and an example.
///
/// @param values any number of elements, also none.
/// @return as many elements as `values` has.
///
/// Example: EXERCISE_NAME({1, 3, 2}) returns {1, 3, 3}.
std::vector<float> EXERCISE_NAME(const std::vector<float>& values);
