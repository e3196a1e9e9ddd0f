// Nothing is run here; a chapter needs a program.
int main() { return 0; }
