/* What GCC's libstdc++ asks of a newer glibc than the release binary is for (old-glibc-cc). */

#include <stdint.h>
#include <sys/random.h>

/* glibc 2.32: whether there is one thread. There may always be more. */
char __libc_single_threaded = 0;

/* glibc 2.36: for std::random_device. */
uint32_t arc4random(void)
{
	uint32_t number = 0;
	while (getrandom(&number, sizeof number, 0) != sizeof number) {
	}
	return number;
}
