/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Tells a task of least priority that the scheduler gave it the CPU although others wait
 * for it: the scheduler does so now and then, and for a tick. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

/* The few kernel fields it reads; the loader finds them on the running kernel. */
struct rq {
	unsigned int nr_running;
} __attribute__((preserve_access_index));

struct cfs_rq {
	struct rq *rq;
} __attribute__((preserve_access_index));

struct sched_entity {
	struct cfs_rq *cfs_rq;
} __attribute__((preserve_access_index));

struct task_struct {
	int tgid;
	struct sched_entity se;
} __attribute__((preserve_access_index));

/* The process that spins; set before loading. */
volatile const __u32 self;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* CPUs: set before loading */
	__type(key, __u32);
	__type(value, __u64);
} waited SEC(".maps");

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, int preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	__u32 cpu;
	__u64 *of;

	if (next->tgid != self)
		return 0;
	cpu = bpf_get_smp_processor_id();
	of = bpf_map_lookup_elem(&waited, &cpu);
	if (of)
		*of = BPF_CORE_READ(next, se.cfs_rq, rq, nr_running) > 1;
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
