// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "lib/capture/session/collector.h"
#include "tests/unit/tap.h"

static struct mp_collector *c;

static bool parse(const char *name, const char *text)
{
	char *error;

	mp_collector_free(c);
	c = mp_collector_parse(name, "file", mp_str(text), &error);
	if (c)
		return true;
	printf("# %s\n", error);
	free(error);
	return false;
}

static bool wrong(const char *name, const char *text, const char *expected)
{
	char *error;
	bool same;

	mp_collector_free(c);
	c = mp_collector_parse(name, "file", mp_str(text), &error);
	if (c)
		return false;
	same = strcmp(error, expected) == 0;
	if (!same)
		printf("# %s\n", error);
	free(error);
	return same;
}

int main(void)
{
	ok(parse("a", "# comment\n\n  summary =  one two \nevent = x:y\nevent=z\r\nfreq = 7\n") &&
		   strcmp(c->summary, "one two") == 0 && c->events.n == 2 &&
		   strcmp(c->events.v[1], "z") == 0 && c->freq == 7,
	   "keys, values, comments");
	ok(parse("a", "summary=s\nevent=a:b/x==1/") && strcmp(c->events.v[0], "a:b/x==1/") == 0,
	   "a value may hold =, the last line needs no LF");
	ok(parse("a:3", "summary=s\nargument=n=5\nevent=e/$1/\nshow=a $1$1 $2\n") &&
		   strcmp(c->events.v[0], "e/3/") == 0 && strcmp(c->show.v[0], "a 33 $2") == 0,
	   "an argument");
	ok(parse("a", "summary=s\nargument=n = 5\nevent=e/$1/") &&
		   strcmp(c->events.v[0], "e/5/") == 0 && strcmp(c->argument_name, "n") == 0,
	   "its default");
	ok(parse("a:x,y", "summary=s\nargument=n\nevent=e_$1,f_$1\nevent=z") && c->events.n == 3 &&
		   strcmp(c->events.v[0], "e_x,f_x") == 0 && strcmp(c->events.v[1], "e_y,f_y") == 0,
	   "a list makes an event each");
	ok(parse("a", "summary=s\nargument=n\nevent=e_$1") && !c->argument &&
		   strcmp(c->events.v[0], "e_$1") == 0,
	   "without its argument it can be read");
	ok(parse("a", "summary=s\nevent=a:b\nsystem = a:*, c:d\n") && c->system.n == 2 &&
		   strcmp(c->system.v[0], "a:*") == 0,
	   "events of the whole system");
	ok(parse("g", "summary=s\ncollectors=a  b\tc\n") && c->members.n == 3, "a group");
	ok(wrong("a", "summary=s\nevents=e\n", "file:2: no such key: 'events'"), "an unknown key");
	ok(wrong("a", "summary=s\nfoo\n", "file:2: no '=' in 'foo'"), "no value");
	ok(wrong("a", "event=e\n", "file:1: no summary in 'file'"), "no summary");
	ok(wrong("a", "summary=s\n", "file:1: no events and no collectors in 'file'"), "nothing");
	ok(wrong("a", "summary=s\nsummary=t\n", "file:2: given twice: 't'"), "twice");
	ok(wrong("a", "summary=s\nevent=e\nfreq=0\n", "file:3: not a number: '0'"), "no number");
	ok(wrong("a:1", "summary=s\nevent=e\n", "file:2: takes no argument: 'a:1'"),
	   "an argument too many");
	ok(wrong("a", "summary=s\nevent=e\nargument=n\n",
		 "file:3: events before the argument: 'n'"),
	   "an argument too late");
	ok(wrong("a", "summary=s\nevent=e\nstack=all\n", "file:3: not a kind of stack: 'all'"),
	   "no stack");
	mp_collector_free(c);
	return tap_done();
}
