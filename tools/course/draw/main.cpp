// course-data, which `./course data` executes: draws the training images. A separate program,
// because it links the core, and the rest of the tool must not wait for the core's build.
#include "app/images.h"

int main(int argc, char** argv) {
  app::Command command("course-data", "Draws Shapes-10, the training pictures of the course.");
  command.takes({"seed", "data"});
  command.options.seed = 0;
  return command.run(argc, argv, [](const app::Options& options) {
    app::draw_images(options.data, options.seed);
  });
}
