# SPDX-License-Identifier: GPL-2.0-only
# The index of mp(1), from the sources of the man pages (mdoc). Lines, each a letter and TAB-separated fields:
#
#	P	mp-fold(1)	what it does		a page, by its NAME
#	G	question				a group of programs in mp-tools(7)
#	M	mp-fold					a program of the group
#	Q	question				in mp-tools(7)
#	C	line					of the pipeline that answers it
#	S	mp-fold(1)	OPTIONS, Frames	text	a section of a page, except of mp(1), whose words are examples

BEGIN {
	MACRO = "^(Ar|Cm|Dq|Dv|Em|Ev|Fl|Fn|Ic|It|Li|Nd|Nm|No|Ns|Oc|Oo|Op|Pa|Pc|Po|Pq|Ql|Sh|Sq|Ss|Sx|Sy|Ta|Va|Xr)$"
}

# A line of mdoc as text: without macros and escapes.
function text(line,   n, i, word, out) {
	if (line ~ /^\.\\"/)
		return ""
	if (line ~ /^\.(Bl|El|Bd|Ed|Pp|Dd|Dt|Os)( |$)/)
		return ""
	gsub(/\\\(dq|\\\(rq|\\\(lq/, "\"", line)
	gsub(/\\&|\\-/, "", line)
	gsub(/\\e/, "\\", line)
	if (line !~ /^\./)
		return line
	n = split(substr(line, 2), word, " ")
	for (i = 1; i <= n; i++)
		if (word[i] == "Nm" && i == n)
			out = out " " program
		else if (word[i] !~ MACRO)
			out = out (out == "" ? "" : " ") word[i]
	return out
}

function end_section() {
	if (program != "mp" && heading != "" && heading !~ /^(NAME|SYNOPSIS|SEE ALSO|EXIT STATUS|CAVEATS)$/)
		print "S\t" page "\t" heading "\t" body
	heading = body = ""
}

FNR == 1 {
	end_section()
	name = FILENAME
	sub(/.*\//, "", name)
	program = name
	sub(/\.[0-9]$/, "", program)
	page = program "(" substr(name, length(name)) ")"
	overview = name == "mp-tools.7"
	literal = group = 0
}

{
	gsub(/\t/, " ")
}

/^\.Nd / {
	print "P\t" page "\t" text($0)
	next
}

/^\.Sh / {
	end_section()
	heading = section = text($0)
	group = 0
	next
}

/^\.Ss / {
	end_section()
	heading = text($0)
	group = overview && heading ~ /\?$/
	if (group)
		print "G\t" heading
	heading = section ", " heading
	next
}

group && /^\.It Xr / {
	print "M\t" $3
}

overview && /^\.It .*\?$/ {
	print "Q\t" text($0)
}

/^\.Bd -literal/ {
	literal = overview && section ~ /QUESTION/
	next
}

/^\.Ed/ {
	literal = 0
}

literal {
	print "C\t" text($0)
}

heading != "" {
	body = body " " text($0)
}

END {
	end_section()
}
