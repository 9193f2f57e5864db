// SPDX-License-Identifier: GPL-2.0-only
/* Names of C++ at known addresses: tests/srcline.bats. */
volatile unsigned long sum;

namespace outer
{
inline __attribute__((always_inline)) void inner(unsigned long n)
{
	sum += n;
}

struct worker {
	unsigned long done = 0;

	__attribute__((noinline, used)) void work(unsigned long n)
	{
		inner(n);
		done++;
	}
};
} // namespace outer

int main(int argc, char **)
{
	outer::worker worker;

	worker.work(argc);
	return 0;
}
