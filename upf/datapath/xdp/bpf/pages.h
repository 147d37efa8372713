/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Tables by number that grow by pages, which user space adds, maps into its memory and
 * writes itself: a lookup is two loads and no call, and an entry that is as long as a cache
 * line is one. Number 0 is none's. */
#pragma once

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define PAGE_BITS 13

#define PAGED(name, typ) PAGED_BY(name, typ, PAGE_BITS)

/* The size is user space's to set: pages. */
#define PAGED_BY(name, typ, bits)                                 \
	struct {                                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);         \
		__uint(max_entries, 1);                           \
		__type(key, __u32);                               \
		__array(values, struct {                          \
			__uint(type, BPF_MAP_TYPE_ARRAY);         \
			__uint(max_entries, 1u << (bits));        \
			__uint(map_flags, BPF_F_MMAPABLE);        \
			__uint(key_size, sizeof(__u32));          \
			__uint(value_size, sizeof(typ));          \
		});                                               \
	} name SEC(".maps");                                     \
	const typ *const name##_type __attribute__((unused)) = 0 /* user space reads it */

static __always_inline __u32 page_of(__u32 number)
{
	return number >> PAGE_BITS;
}

static __always_inline __u32 place_in_page(__u32 number)
{
	return number & ((1u << PAGE_BITS) - 1);
}
