// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/packer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/capture/sandbox/sandbox.h"

enum {
	MEMORY_MAX = 64 << 20,
	OPEN_MAX = 16,
	REPORT = 3, /* a pipe for the missing parts of the sandbox */
};

int mp_output_pack(struct mp_out *out, enum mp_pack_method method)
{
	struct mp_sandbox_process process;
	int null, data[2], report[2];

	if (method == MP_PACK_NONE)
		return -1;
	if (isatty(out->fd))
		mp_usage("refusing to write binary data to a terminal");
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || pipe2(data, O_CLOEXEC) < 0 || pipe2(report, O_CLOEXEC) < 0)
		mp_die("cannot make a pipe: %m");
	const int fds[] = {
		data[0],
		out->fd,
#ifdef __SANITIZE_ADDRESS__ /* its reports */
		STDERR_FILENO,
#else
		null,
#endif
		[REPORT] = report[1],
	};

	if (mp_sandbox_start(&process, MP_PACKER_NAME, mp_pack_names[method], fds,
			     MP_ARRAY_SIZE(fds)) < 0)
		mp_die("cannot start the process that compresses the output: %m");
	close(process.pidfd);
	close(null);
	close(data[0]);
	close(report[1]);
	mp_out_redirect(out, data[1]);
	out->packer = process.pid;
	return report[0];
}

uint32_t mp_output_pack_missing(int report)
{
	uint32_t missing = 0;
	ssize_t n;

	if (report < 0)
		return 0;
	do
		n = read(report, &missing, sizeof(missing));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(missing))
		mp_die("cannot start the process that compresses the output");
	close(report);
	return missing;
}

static uint32_t enter_sandbox(const char *uid)
{
#ifdef __SANITIZE_ADDRESS__ /* needs files, and traces the process to find leaks */
	(void)uid;
	prctl(PR_SET_NAME, MP_PACKER_NAME);
	prctl(PR_SET_PDEATHSIG, 0);
	return 0;
#else
	return mp_sandbox_enter(uid, &(struct mp_sandbox_limits){ .memory = MEMORY_MAX,
								  .files = OPEN_MAX,
								  .outlives = true });
#endif
}

int mp_output_pack_main(char **argv)
{
	enum mp_pack_method method = strcmp(argv[1], "gzip") == 0 ? MP_PACK_GZIP : MP_PACK_ZSTD;
	struct mp_out out;
	uint32_t missing;

	signal(SIGPIPE, SIG_IGN); /* a failed write has an errno */
	signal(SIGXFSZ, SIG_IGN);
	mp_die_no_memory(ENOMEM);
	missing = enter_sandbox(argv[2]);
	if (write(REPORT, &missing, sizeof(missing)) != sizeof(missing))
		mp_die("only mp-record starts this program");
	close(REPORT);
	mp_out_init(&out, STDOUT_FILENO, "the output");
	out.soft = true;
	return mp_pack_copy(method, STDIN_FILENO, &out, true);
}
