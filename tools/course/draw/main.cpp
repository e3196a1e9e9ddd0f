// course-data, what `./course data` becomes: draws the training pictures. A program of its own,
// because it links the core, which the rest of the tool must not wait for.
#include "app/images.h"

int main(int argc, char** argv) {
  app::Command command("course-data", "Draws Shapes-10, the training pictures of the course.");
  command.takes({"seed", "data"});
  command.options.seed = 0;
  return command.run(argc, argv, [](const app::Options& options) {
    app::draw_images(options.data, options.seed);
  });
}
