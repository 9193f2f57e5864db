// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/expr.h"

#include <stdlib.h>

#include "tests/unit/tap.h"

static const char event[] =
	"71200103211,sched:sched_switch,cpu=3\tpid=611\ttid=612\tcomm=nginx: w\\x3b\\\\"
	"\t.prev_pid=611\t"
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

static void test_two_fields(void)
{
	ok(yes("pid!=tid") && no("pid==tid") && yes("pid==.prev_pid") && yes("pid<tid"), "fields");
	ok(yes("tid==pid+1") && yes("tid==.prev_pid+1") && yes("tid-pid==1"), "and sums");
	ok(yes("3==cpu") && yes("0x263==.prev_pid") && no("4<=cpu"), "a number on the left");
	ok(no("comm==type") && yes("comm!=type") && yes("comm==comm") && no("comm!=comm"), "text");
	ok(no("comm=='pid'") && no("pid=='tid'") && yes("comm!=\"comm\""), "quotes are text");
	ok(no("pid==nope") && no("pid==pidx") && no("pid==cpu:3"), "other words are text");
	ok(no("pid==.nope") && no("pid!=.nope") && no(".nope!=pid"), "missing");
	ok(no("comm<pid") && no("pid>comm") && no("comm==cpu"), "text is not a number");
	ok(on("1,t,.a=16\t.b=0x10", ".a==.b") && on("1,t,.a=1.0\t.b=1", ".b==.a"), "equal numbers");
	ok(on("1,t,.a=a\\x62\t.b=ab", ".a==.b") && on("1,t,.a=ab\t.b=a\\x62", ".a==.b") &&
		   on("1,t,.a=a\\x62\t.b=ac", ".a!=.b"),
	   "equal text");
	ok(yes(".flags&.flags") && no("cpu&(tid-tid)") && yes("cpu & pid"), "bits");
	ok(on("1,t,.a=1", "(.a==1)&&(.a)==(1)") && on("1,t,.a=1", "((.a)==1)"), "parentheses");
	ok(on("1,t,level=5\t.a=7", "level<.a") && on("1,t,level=5\t.a=7", ".a>level") &&
		   !on("1,t,level=5\t.a=5", ".a==level") && on("1,t,level=5\t.a=5", ".a==(level)"),
	   "a name that is not known is text after == only");
}

static void test_arithmetic(void)
{
	ok(yes("cpu+1==4") && yes("cpu-1==2") && yes("cpu*2==6") && yes("cpu/2==1.5"), "+ - * /");
	ok(yes("cpu//2==1") && yes("cpu%2==1") && yes(".ret//2==-5") && yes(".ret%4==-3"),
	   "// and %% truncate");
	ok(yes("cpu+2*3==9") && yes("(cpu+2)*3==15") && yes("10-cpu-2==5") && yes("12/cpu/2==2"),
	   "precedence");
	ok(yes("-cpu==-3") && yes("- -cpu==3") && yes("cpu - -1==4") && yes("-(cpu+1)==-4"),
	   "minus");
	ok(yes("dur/1ms==1.5") && yes("dur==1ms+500us") && yes("dur>1000*1000"), "constants");
	ok(yes(".big-1==18446744073709551614") && yes(".big-1<.big") && no(".big-1==.big"),
	   "64 bits");
	ok(yes("-.big+.big==0") && yes("-.big-1<-.big") && yes(".big*.big>3.4e38"),
	   "more are rounded");
	ok(yes(".part*2==5") && yes(".part*2&1") && yes(".part//1==2") && yes(".part%1==0.5"),
	   "decimals");
	ok(no("cpu/0.5/(cpu-3)==1") && no("cpu/(cpu-3)!=1") && no("cpu%(cpu-3)==0") &&
		   no("cpu//(cpu-3)==0") && yes("!cpu/(cpu-3)>=0"),
	   "by zero");
	ok(no("comm+1==1") && no("comm*0==0") && no(".name*0==0"), "text has no value");
	ok(no("cpu+.nope>0") && no("cpu+.nope<=0") && yes("cpu==3||cpu+.nope>0"), "missing");
	ok(no("cpu*1e308*10>0") && no("cpu*1e308*10<=0"), "out of range");
	ok(on("2.5,-4,l", "x*2==5 && y/x<-1") && on("6#a;b", "weight%4==2"), "points and stacks");
	ok(yes("time-dur>71ms && time%1s==200103211"), "time");
	ok(yes("cpu==1e0*3") && yes("cpu==1.5e+0*2") && yes("cpu==0x1e-27"),
	   "exponents, hexadecimal");
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
	ok(on("1,a,stack=x\tb=1", "stack!=x||b==1") &&
		   !on("1,a,stack=x\tb=1", "stack~*||b==2||stack~*"),
	   "a stack is the last field");
	ok(on("1,a:b,", "type==a:b") && !on("1,a:b,", "cpu==0"), "no fields");
}

/* Whether a text is refused with this message. */
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
	ok(fails("cpu=3", "expression: at '=' (column 4): comparison expected; did you mean ==?"),
	   "=");
	ok(fails("cpu&&pid==1", "expression: at '&&' (column 4): comparison expected"), "a field");
	ok(fails("cpu==", "expression: at its end: number or text expected"), "no value");
	ok(fails("cpu<bash:", "expression: at ':' (column 9): && or || expected"), "text");
	ok(fails("cpu<'3'", "expression: at ''' (column 5): number expected"), "quoted number");
	ok(fails("cpu<)", "expression: at ')' (column 5): number expected"), "no number");
	ok(fails("comm==3com", "expression: at '3com' (column 7): text needs quotes here"), "word");
	ok(fails("cpu==08", "expression: at '08' (column 6): text needs quotes here"), "octal");
	ok(fails(".f&1.5", "expression: at '1.5' (column 4): whole number expected"), "bits");
	ok(fails("comm=='x", "expression: at ''' (column 7): quote is not closed"), "quote");
	ok(fails("(cpu==3", "expression: at its end: &&, || or ) expected"), "open");
	ok(fails("cpu==3)", "expression: at ')' (column 7): no ( is open"), "closed");
	ok(fails("()", "expression: at ')' (column 2): field name expected"), "nothing in it");
	ok(fails("cpu==3&&", "expression: at its end: field name expected"), "&&");
	ok(fails("cpu==3&pid==4", "expression: at '&' (column 7): && or || expected"), "&");
	ok(fails("cpu===3", "expression: at '=' (column 6): number or text expected"), "===");
	ok(fails("pré==1", "expression: at 'é' (column 3): comparison expected"),
	   "a name is ASCII");
	ok(fails("'a'==cpu", "expression: at ''' (column 1): field name expected"), "turned");
	ok(fails("comm==cpu-load", "expression: at 'load' (column 11): text needs quotes here") &&
		   fails("comm==.x:y",
			 "expression: at '.x:y' (column 7): text needs quotes here") &&
		   fails("comm==./a", "expression: at './a' (column 7): text needs quotes here") &&
		   fails("cpu==3-b", "expression: at 'b' (column 8): text needs quotes here"),
	   "words like fields");
	ok(fails("cpu+1=='a'",
		 "expression: at ''' (column 8): number expected: only a field can be text") &&
		   fails("cpu+1~a",
			 "expression: at 'a' (column 7): number expected: only a field can be "
			 "text"),
	   "a sum is a number");
	ok(fails("cpu+", "expression: at its end: field or number expected") &&
		   fails("cpu*/2", "expression: at '/2' (column 5): field or number expected") &&
		   fails("(cpu+1==3", "expression: at its end: &&, || or ) expected") &&
		   fails("(cpu+(1)==3", "expression: at its end: &&, || or ) expected") &&
		   fails("cpu==(1+2", "expression: at its end: an operator or ) expected"),
	   "sums that end early");
	ok(fails("cpu>1/0", "expression: at '1/0' (column 5): division by zero") &&
		   fails("cpu>1e300*1e300",
			 "expression: at '1e300*1e300' (column 5): number out of range"),
	   "constants without a value");
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

/*
 * The value of a computed field of the event; "" with `*why` if there is none; "!" if the text is
 * not a field.
 */
static const char *value(const char *text, const char **why)
{
	static char room[64];
	struct mp_expr_error error;
	struct mp_field f;
	struct mp_str v;
	struct mp_rec rec;

	if (mp_expr_field(&f, mp_str(text), &error) < 0)
		return "!";
	mp_rec_parse(&rec, event, strlen(event), why);
	*why = NULL;
	if (!mp_rec_get(&rec, &f, &v)) {
		*why = mp_field_why(&f, "missing");
		v = (struct mp_str){ "", 0 };
	}
	snprintf(room, sizeof(room), "%.*s", MP_STR_ARGS(v));
	mp_field_release(&f);
	return room;
}

static bool value_is(const char *text, const char *want)
{
	const char *why, *got = value(text, &why);

	if (strcmp(got, want) == 0)
		return true;
	printf("# %s: %s\n", text, got);
	return false;
}

static bool no_value(const char *text, const char *want)
{
	const char *why;

	return strcmp(value(text, &why), "") == 0 && why && strcmp(why, want) == 0;
}

static void test_computed(void)
{
	ok(value_is("cpu", "3") && value_is("cpu*2", "6") && value_is("-cpu", "-3"), "whole");
	ok(value_is("dur/cpu", "500000") && value_is("cpu/2", "1.5") && value_is("cpu/10", "0.3") &&
		   value_is("1/cpu", "0.33333333333333331"),
	   "decimals");
	ok(value_is(".big+0", "18446744073709551615") &&
		   value_is(".big+1", "1.8446744073709552e+19"),
	   "64 bits");
	ok(value_is(" ( tid - pid ) * 7 ", "7") && value_is("latency", "") &&
		   value_is("dur/1ms", "1.5"),
	   "blanks, units");
	ok(no_value("cpu/(cpu-3)", "division by zero") &&
		   no_value("cpu*1e308*10", "computed number out of range"),
	   "no result");
	ok(no_value("comm+1", "a field of the computed one is not a number") &&
		   no_value("cpu+.nope", "missing"),
	   "not a number, missing");
	ok(value_is("cpu+", "!") && value_is("1+2", "!") && value_is("cpu==3", "!") &&
		   value_is("(cpu", "!") && value_is("", "!") && value_is("cpu)", "!"),
	   "not a field");
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
	test_two_fields();
	test_arithmetic();
	test_missing();
	test_other_kinds();
	test_errors();
	test_limits();
	test_computed();
	test_fields();
	return tap_done();
}
