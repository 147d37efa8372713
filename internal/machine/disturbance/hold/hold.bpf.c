//go:build ignore
/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Keeps a CPU in a hard interrupt for a while. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

volatile const __u64 length = 1000000; /* ns */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} bursts SEC(".maps");

static long spin(__u32 i, __u64 *until) { return bpf_ktime_get_ns() >= *until; }

SEC("perf_event")
int hold(void *ctx)
{
	__u64 until = bpf_ktime_get_ns() + length, *n;
	__u32 zero = 0;

	bpf_loop(1 << 22, spin, &until, 0);
	n = bpf_map_lookup_elem(&bursts, &zero);
	if (n)
		(*n)++;
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
