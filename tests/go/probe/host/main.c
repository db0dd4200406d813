/* Loads the probe as a shared library (-buildmode=c-shared) and runs it with this program's arguments. */
void runProbe(void);

int main(void)
{
	runProbe();
	return 0;
}
