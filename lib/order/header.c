// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/header.h"

#include <string.h>

static void set_realtime(json_t *header)
{
	json_t *anchor = json_object_get(header, "realtime_ns");

	json_object_set_new(header, "clock", json_string("realtime"));
	if (anchor)
		json_object_set(header, "clock_ns", anchor);
}

/* Keeps a key in the merged header only if all headers have the same value. */
static void keep_common(json_t *merged, const json_t *headers, const char *key)
{
	json_t *first = json_object_get(json_array_get(headers, 0), key), *header;
	size_t i;

	json_array_foreach (headers, i, header)
		if (!first || !json_equal(json_object_get(header, key), first))
			return;
	json_object_set(merged, key, first);
}

/*
 * The filter that selects what each of the sections has recorded: "(A) && (B)" if their filters
 * differ. Returns NULL if none of them had a filter.
 */
static json_t *common_filter(const json_t *headers, const char *type)
{
	json_t *merged = NULL, *header, *filter, *other;
	size_t i, j;

	json_array_foreach (headers, i, header) {
		filter = json_object_get(json_object_get(header, "filters"), type);
		if (!json_is_string(filter))
			continue;
		for (j = 0; j < i; j++) {
			other = json_object_get(json_array_get(headers, j), "filters");
			if (json_equal(json_object_get(other, type), filter))
				break;
		}
		if (j < i)
			continue;
		other = merged;
		merged = other ? json_sprintf("(%s) && (%s)", json_string_value(other),
					      json_string_value(filter))
			       : json_incref(filter);
		json_decref(other);
	}
	return merged;
}

static void merge_filters(json_t *merged, const json_t *headers)
{
	json_t *filters = json_object(), *value, *filter;
	const char *type;

	json_object_foreach (json_object_get(merged, "events"), type, value) {
		filter = common_filter(headers, type);
		if (filter)
			json_object_set_new(filters, type, filter);
	}
	filter = common_filter(headers, "*");
	if (filter)
		json_object_set_new(filters, "*", filter);
	if (json_object_size(filters))
		json_object_set(merged, "filters", filters);
	json_decref(filters);
}

static json_t *earliest(const json_t *headers)
{
	json_t *best = json_array_get(headers, 0), *header;
	size_t i;

	json_array_foreach (headers, i, header)
		if (json_integer_value(json_object_get(header, "realtime_ns")) <
		    json_integer_value(json_object_get(best, "realtime_ns")))
			best = header;
	return best;
}

json_t *mp_header_merge(const json_t *headers, bool realtime)
{
	static const char *const common[] = {
		"boot", "host", "kernel", "machine", "cpus", "stacks", "units",
	};
	static const char *const anchor[] = { "start", "clock", "clock_ns", "realtime_ns" };
	json_t *merged, *events, *sections, *header, *value, *copy;
	size_t i;

	if (json_array_size(headers) == 1) {
		merged = json_copy(json_array_get(headers, 0));
		if (realtime)
			set_realtime(merged);
		return merged;
	}
	merged = json_pack("{s:i, s:s, s:s}", "mp", MP_STREAM_VERSION, "datatype", "event",
			   "interface", "mp-order");
	for (i = 0; i < MP_ARRAY_SIZE(anchor); i++)
		if ((value = json_object_get(earliest(headers), anchor[i])))
			json_object_set(merged, anchor[i], value);
	if (realtime)
		set_realtime(merged);
	for (i = 0; i < MP_ARRAY_SIZE(common); i++)
		keep_common(merged, headers, common[i]);
	events = json_object();
	sections = json_array();
	json_array_foreach (headers, i, header) {
		json_object_update_missing(events, json_object_get(header, "events"));
		copy = json_copy(header);
		json_object_del(copy, "events");
		json_array_append_new(sections, copy);
	}
	json_object_set_new(merged, "events", events);
	merge_filters(merged, headers);
	json_object_set_new(merged, "sections", sections);
	return merged;
}

/* Puts the sum of a count over all sections into the trailer, if every section has it. */
static void keep_sum(json_t *merged, const json_t *trailers, const char *key)
{
	uint64_t sum = 0;
	json_t *trailer, *value;
	size_t i;

	json_array_foreach (trailers, i, trailer) {
		value = json_object_get(trailer, key);
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return;
		sum = mp_count_sum(sum, (uint64_t)json_integer_value(value));
	}
	json_object_set_new(merged, key, json_integer((json_int_t)sum));
}

static void keep_latest(json_t *merged, const json_t *trailers, const char *key)
{
	json_int_t latest = -1, value;
	json_t *trailer;
	size_t i;

	json_array_foreach (trailers, i, trailer) {
		value = json_integer_value(json_object_get(trailer, key));
		latest = MP_MAX(latest, value);
	}
	if (latest > 0)
		json_object_set_new(merged, key, json_integer(latest));
}

json_t *mp_trailer_merge(const json_t *trailers, uint64_t records, uint64_t lost)
{
	json_t *merged;

	if (json_array_size(trailers) != 1) {
		merged = mp_ctl_trailer(MP_EVENT, records, lost);
		keep_latest(merged, trailers, "time");
		keep_sum(merged, trailers, "fired");
		keep_sum(merged, trailers, "excluded");
		return merged;
	}
	merged = json_copy(json_array_get(trailers, 0));
	json_object_set_new(merged, "records", json_integer((json_int_t)records));
	json_object_set_new(merged, "lost", json_integer((json_int_t)lost));
	json_object_del(merged, "bytes");
	return merged;
}
