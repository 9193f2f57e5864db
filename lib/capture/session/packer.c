// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/packer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/sandbox/sandbox.h"
#include "lib/capture/session/message.h"

enum {
	MEMORY_MAX = 64 << 20,
	OPEN_MAX = 16,
	REPORT = 3, /* a pipe for the missing parts of the sandbox */
	FILES,	    /* a socket over which files come; not open if there is one file */
};

int mp_output_pack(struct mp_out *out, enum mp_pack_method method, int files)
{
	struct mp_sandbox_process process;
	int null, data[2], report[2];

	if (method == MP_PACK_NONE && files < 0)
		return -1;
	if (isatty(out->fd))
		mp_usage("refusing to write binary data to a terminal");
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || mp_pack_channel(data) < 0 || pipe2(report, O_CLOEXEC) < 0)
		mp_die("cannot start the process that compresses the output: %m");
	const int fds[] = {
		data[0],
		out->fd,
#ifdef __SANITIZE_ADDRESS__ /* its reports */
		STDERR_FILENO,
#else
		null,
#endif
		[REPORT] = report[1],
		[FILES] = files,
	};

	if (mp_sandbox_start(&process, MP_PACKER_NAME, mp_pack_names[method], fds,
			     MP_ARRAY_SIZE(fds) - (files < 0)) < 0)
		mp_die("cannot start the process that compresses the output: %m");
	close(process.pidfd);
	close(null);
	if (files >= 0)
		close(files);
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

/* --- one file after the other ----------------------------------------------------------------- */

static const char trailer[] = "{\"end\":";
enum { TRAILER = sizeof(trailer) - 1 };

struct division {
	/* how much of the current line is the beginning of a trailer; above TRAILER: it is none */
	size_t matched;
	bool ended; /* the current file has its trailer, or there is none */
	struct mp_message in;
};

/* Whether a piece of a line, perhaps with its LF, ends a trailer. */
static bool ends_trailer(struct division *d, const char *data, size_t len, bool lf)
{
	size_t at = MP_MIN(d->matched, (size_t)TRAILER), n = MP_MIN(len, TRAILER - at);
	bool is_trailer;

	if (memcmp(data, trailer + at, n) != 0)
		d->matched = TRAILER + 1;
	else
		d->matched += n;
	is_trailer = d->matched == TRAILER;
	if (lf)
		d->matched = 0;
	return lf && is_trailer;
}

/* A file extends to the end of its trailer. */
static size_t belong(void *arg, const char *data, size_t len)
{
	struct division *d = arg;
	size_t done = 0, n;
	const char *lf;

	while (done < len && !d->ended) {
		lf = memchr(data + done, '\n', len - done);
		n = lf ? (size_t)(lf + 1 - data) - done : len - done;
		d->ended = ends_trailer(d, data + done, n, lf);
		done += n;
	}
	return done;
}

static int next(void *arg)
{
	struct division *d = arg;
	uint64_t error;

	d->ended = false;
	if (mp_message_send(FILES, MP_MESSAGE_FILE, (struct mp_str){ NULL, 0 }, NULL, 0) < 0 ||
	    mp_message_receive(FILES, &d->in) < 0 || d->in.type != MP_MESSAGE_FILE ||
	    mp_message_get_number(mp_buf_view(&d->in.body), &error) < 0)
		errno = EPIPE; /* mp-record has ended */
	else if (d->in.n_fds == 1)
		return d->in.fds[0];
	else
		errno = (int)error;
	return -1;
}

int mp_output_pack_main(char **argv)
{
	struct division division = { .ended = true };
	const struct mp_pack_files files = { belong, next, &division };
	enum mp_pack_method method = MP_PACK_NONE;
	struct mp_out out;
	struct stat socket;
	uint32_t missing;
	bool divided;
	int error;

	signal(SIGPIPE, SIG_IGN); /* a failed write has an errno */
	signal(SIGXFSZ, SIG_IGN);
	mp_die_no_memory(ENOMEM);
	while (mp_pack_names[method] && strcmp(mp_pack_names[method], argv[1]) != 0)
		method++;
	missing = enter_sandbox(argv[2]);
	divided = fstat(FILES, &socket) == 0 && S_ISSOCK(socket.st_mode);
	if (!mp_pack_names[method] || write(REPORT, &missing, sizeof(missing)) != sizeof(missing))
		mp_die("only mp-record starts this program");
	close(REPORT);
	mp_out_init(&out, STDOUT_FILENO, "the output");
	out.soft = true;
	error = mp_pack_copy(method, STDIN_FILENO, &out, true, divided ? &files : NULL);
	mp_out_close(&out);
	mp_message_release(&division.in);
	return error ? error : out.error;
}
