// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/expr.h"

#include <stdlib.h>

#include "tests/unit/tap.h"

static const char event[] =
	"71200103211,sched:sched_switch,cpu=3\tpid=611\ttid=612\tcomm=nginx: w\\x3b\\\\\t.prev_pid=611\t"
	".prev_state=256\t.flags=0xffff888100000001\t.ret=-11\t.name=\tdur=1500000\t"
	".big=18446744073709551615\t.part=2.5\tstack=main;poll;f_[k]";

static bool on(const char *line, const char *text)
{
	struct mp_expr_error error;
	struct mp_expr *e = mp_expr_parse(text, &error);
	struct mp_rec rec;
	const char *why;
	bool result;

	if (!e || mp_rec_parse(&rec, line, strlen(line), &why) < 0) {
		printf("# %s: %s\n", text, e ? why : error.why);
		exit(1);
	}
	result = mp_expr_match(e, &rec);
	mp_expr_free(e);
	return result;
}

static bool yes(const char *text)
{
	return on(event, text);
}

static bool no(const char *text)
{
	return !on(event, text);
}

static void test_numbers(void)
{
	ok(yes("cpu==3") && no("cpu==4") && yes("cpu!=4") && no("cpu!=3"), "equal");
	ok(yes("cpu<4") && no("cpu<3") && yes("cpu<=3") && no("cpu<=2"), "less");
	ok(yes("cpu>2") && no("cpu>3") && yes("cpu>=3") && no("cpu>=4"), "greater");
	ok(yes("cpu == 0x3") && yes("cpu==03") && yes("cpu==3.0"), "constants");
	ok(yes(".ret<0") && yes(".ret==-11") && yes(".ret>-12"), "negative");
	ok(yes(".big==18446744073709551615") && no(".big==18446744073709551614") &&
		   yes(".big==0xffffffffffffffff") && no(".big==-1"),
	   "64 bits");
	ok(yes(".flags&1") && no(".flags & 2") && yes(".flags&0xf000000000000000"), "bits");
	ok(yes(".ret&1") && no(".ret & 0xa") && no(".part&2"), "bits of negatives, of fractions");
	ok(yes("dur>1ms") && no("dur>2ms") && yes("dur==1.5ms") && yes("dur<1s"), "times");
	ok(yes(".part==2.5") && yes(".part>2") && yes(".part<3"), "fractions");
	ok(yes("time==71200103211") && yes("time<71.3s"), "time");
	ok(no("comm==0") && no("comm!=0") && no(".name==0") && no("comm<1"),
	   "text is not a number");
}

static void test_text(void)
{
	ok(yes("comm==\"nginx: w;\\\"") && yes("comm=='nginx: w;\\'"), "unescaped, both quotes");
	ok(no("comm=='nginx: w\\x3b\\\\'"), "a constant has no escapes");
	ok(yes("comm!=nginx") && no("comm==nginx") && no("comm=='nginx: w;'"), "not equal");
	ok(yes("type==sched:sched_switch") && yes("type~sched:*"), "a word, the type");
	ok(yes("comm~\"nginx*\"") && yes("comm~'*w;\\\\'") && no("comm ~ 'w*'"), "globs");
	ok(yes("stack~'*;poll;*'") && yes("stack~*_[[]k]"), "stack");
	ok(yes(".name==''") && yes(".name~'*'") && no(".name!=''"), "empty");
	ok(yes("pid=='611'") && yes("pid~6*") && no("pid=='0611'"), "digits as text");
}

static void test_logic(void)
{
	ok(yes("comm~\"nginx*\" && .prev_state!=0 || cpu==3"), "the issue's");
	ok(yes("cpu==3||cpu==4&&cpu==5") && no("(cpu==3||cpu==4)&&cpu==5"), "&& before ||");
	ok(yes("cpu==4&&cpu==5||cpu==3") && no("cpu==4&&(cpu==5||cpu==3)"), "on the other side");
	ok(yes("!cpu==4") && no("!cpu==3&&cpu==3") && yes("!(cpu==3&&cpu==4)"), "not");
	ok(yes("!!cpu==3") && no("!(!(cpu==4))") && yes("! ( ! ( cpu == 3 ) )"), "not not");
	ok(no("!(cpu==4||!(cpu==4&&pid==1))") && yes("!(cpu==4||(cpu==4&&pid==1))"), "mixed");
	ok(no("pid==611&&tid==611") && yes("tid==612&&pid==611&&cpu==3"), "any order of fields");
	ok(yes("((((cpu==3))))") && yes(" cpu==3\t&&\ncpu<4 "), "parentheses and blanks");
}

static void test_missing(void)
{
	ok(no("prev_pid==611") && no("prev_pid!=611") && no(".p==1") && no(".prev_pi==611"),
	   "a field that is not there is false");
	ok(yes("!prev_pid==611") && yes("prev_pid==1||cpu==3"), "and so its opposite true");
	ok(no("x==1") && no("info==''") && no("weight==0"), "fields of points and stacks");
}

static void test_other_kinds(void)
{
	ok(on("1.5,-2e3,a label", "x==1.5&&y==-2000&&info=='a label'"), "point");
	ok(!on("1.5,-2e3,cpu=3", "cpu==3"), "a label is not a field");
	ok(on("-5#a;b", "weight<0 && stack~'a;*'") && on("a;b 7", "weight==7"), "stack, folded");
	ok(!on("-5#cpu=3\tx", "cpu==3||comm!=x"), "a stack has no fields");
	ok(on("1,a:b,", "type==a:b") && !on("1,a:b,", "cpu==0"), "no fields");
}

/* The message for a text that is not an expression. */
static bool fails(const char *text, const char *want)
{
	struct mp_expr_error error;
	struct mp_buf message = { NULL, 0, 0 };
	bool same;

	if (mp_expr_parse(text, &error))
		return false;
	mp_expr_describe(&message, text, &error);
	same = mp_str_eq(mp_buf_view(&message), mp_str(want));
	if (!same)
		printf("# %.*s\n", MP_STR_ARGS(mp_buf_view(&message)));
	mp_buf_release(&message);
	return same;
}

static void test_errors(void)
{
	ok(fails("", "expression: at its end: field name expected"), "empty");
	ok(fails("cpu", "expression: at its end: comparison expected"), "no comparison");
	ok(fails("cpu==3 foo", "expression: at 'foo' (column 8): && or || expected"),
	   "no && or ||");
	ok(fails("cpu foo", "expression: at 'foo' (column 5): comparison expected"), "two words");
	ok(fails("cpu=3", "expression: at '=' (column 4): comparison expected, == perhaps"), "=");
	ok(fails("cpu&&pid==1", "expression: at '&&' (column 4): comparison expected"), "a field");
	ok(fails("cpu==", "expression: at its end: number or text expected"), "no value");
	ok(fails("cpu<bash", "expression: at 'bash' (column 5): number expected"), "text");
	ok(fails("cpu<'3'", "expression: at ''' (column 5): number expected"), "quoted number");
	ok(fails("cpu<)", "expression: at ')' (column 5): number expected"), "no number");
	ok(fails("comm==3com", "expression: at '3com' (column 7): text needs quotes here"), "word");
	ok(fails("cpu==08", "expression: at '08' (column 6): text needs quotes here"), "octal");
	ok(fails(".f&1.5", "expression: at '1.5' (column 4): whole number expected"), "bits");
	ok(fails("comm=='x", "expression: at ''' (column 7): quote is not closed"), "quote");
	ok(fails("(cpu==3", "expression: at its end: &&, || or ) expected"), "open");
	ok(fails("cpu==3)", "expression: at ')' (column 7): it closes no ("), "closed");
	ok(fails("()", "expression: at ')' (column 2): field name expected"), "nothing in it");
	ok(fails("cpu==3&&", "expression: at its end: field name expected"), "&&");
	ok(fails("cpu==3&pid==4", "expression: at '&' (column 7): && or || expected"), "&");
	ok(fails("cpu===3", "expression: at '=' (column 6): number or text expected"), "===");
	ok(fails("pré==1", "expression: at 'é' (column 3): comparison expected"),
	   "a name is ASCII");
	ok(fails("3==cpu", "expression: at '3' (column 1): field name expected"), "turned");
	ok(fails("a==1 ééééééééééééééééé",
		 "expression: at 'éééééééééééé' (column 6): && or || expected"),
	   "a long word is cut, not within a character");
}

static bool taken(const char *text)
{
	struct mp_expr_error error;
	struct mp_expr *e = mp_expr_parse(text, &error);

	mp_expr_free(e);
	return e;
}

static void test_limits(void)
{
	static char text[200000];
	size_t i, n = 0;

	for (i = 0; i < 64; i++)
		text[n++] = '(';
	n += sprintf(text + n, "cpu==3");
	memset(text + n, ')', 64);
	ok(yes(text), "64 parentheses");
	memmove(text + 1, text, 200);
	text[n + 65] = ')';
	ok(!taken(text), "65 are too many");
	for (i = n = 0; i < MP_EXPR_TESTS_MAX; i++)
		n += sprintf(text + n, "%scpu==%zu", i ? "||" : "", i + 4);
	ok(no(text), "the most comparisons, none true");
	text[n - 4] = '3', text[n - 3] = '\0';
	ok(yes(text), "the last is true");
	n += sprintf(text + n - 3, "||cpu==3||cpu==3") - 3;
	ok(taken(text) == false, "one more is too many");
	for (i = n = 0; i < MP_EXPR_FIELDS_MAX; i++)
		n += sprintf(text + n, "a%zu==1||", i);
	sprintf(text + n, "a0==1||a63==1");
	ok(taken(text), "64 fields");
	sprintf(text + n, "a64==1");
	ok(!taken(text), "65 are too many");
}

static void test_fields(void)
{
	struct mp_expr_error error;
	struct mp_expr *e = mp_expr_parse("cpu==1&&(.x==2||cpu==3)&&time>5", &error);
	const struct mp_field *f;

	ok(mp_expr_fields(e, &f) == 3 && mp_str_eq(f[0].name, MP_STR("cpu")) &&
		   mp_str_eq(f[1].name, MP_STR(".x")) && f[2].id == MP_FIELD_TIME,
	   "the fields that it names");
	mp_expr_free(e);
	mp_expr_free(NULL);
}

int main(void)
{
	test_numbers();
	test_text();
	test_logic();
	test_missing();
	test_other_kinds();
	test_errors();
	test_limits();
	test_fields();
	return tap_done();
}
