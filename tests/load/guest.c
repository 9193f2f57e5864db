// SPDX-License-Identifier: GPL-2.0-only
/*
 * guest N: a virtual machine that writes N bytes to a port and halts. Prints how many were written.
 * Status 77: this machine has no KVM, or is not an x86.
 */
#ifdef __x86_64__
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOAD_AT = 0x1000, PORT = 0xe9 };

/* mov cx, N; mov dx, PORT; again: out dx, al; loop again; hlt */
static const uint8_t code[] = { 0xb9, 0, 0, 0xba, PORT, 0, 0xee, 0xe2, 0xfd, 0xf4 };

static int start(int kvm, uint16_t n, struct kvm_run **run)
{
	int vm = ioctl(kvm, KVM_CREATE_VM, 0), cpu, bytes;
	uint8_t *memory =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = { .guest_phys_addr = LOAD_AT,
						      .memory_size = 4096,
						      .userspace_addr = (uintptr_t)memory };
	struct kvm_regs regs = { .rip = LOAD_AT, .rflags = 2 };
	struct kvm_sregs sregs;

	if (vm < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) < 0)
		return -1;
	memcpy(memory, code, sizeof(code));
	memcpy(memory + 1, &n, sizeof(n));
	cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	bytes = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (cpu < 0 || bytes < 0 || ioctl(cpu, KVM_GET_SREGS, &sregs) < 0)
		return -1;
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	*run = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	if (*run == MAP_FAILED || ioctl(cpu, KVM_SET_SREGS, &sregs) < 0 ||
	    ioctl(cpu, KVM_SET_REGS, &regs) < 0)
		return -1;
	return cpu;
}

int main(int argc, char **argv)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), cpu;
	struct kvm_run *run;
	long writes = 0;

	if (argc != 2)
		return 2;
	cpu = kvm < 0 ? -1 : start(kvm, (uint16_t)strtol(argv[1], NULL, 10), &run);
	if (cpu < 0)
		return 77;
	while (ioctl(cpu, KVM_RUN, 0) == 0 && run->exit_reason == KVM_EXIT_IO)
		writes += run->io.count;
	printf("%ld\n", writes);
	return run->exit_reason != KVM_EXIT_HLT;
}
#else
int main(void)
{
	return 77;
}
#endif
