int adds(int a, int b) { return a + b; }
int _start(void) { return adds(1, 2); }
