/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Keeps a CPU in a hard interrupt for a while, after the first timer that is due in each
 * period: that one has said when it is due next, and is late then. The perf event that is
 * the timer could run this itself, but Linux 6.18 does not let it while the CPU is idle. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct hrtimer {
	__u8 is_soft;
} __attribute__((preserve_access_index));

/* Set before loading; ns. */
volatile const __u32 cpu = 0;
volatile const __u64 length = 1000000;
volatile const __u64 apart = 20000000; /* from beginning to beginning, at least */

volatile __u64 bursts;
__u64 last;

static long spin(__u32 i, __u64 *until) { return bpf_ktime_get_ns() >= *until; }

SEC("raw_tp/hrtimer_expire_exit")
int BPF_PROG(hold, struct hrtimer *timer)
{
	__u64 now = bpf_ktime_get_ns(), until = now + length;

	if (bpf_get_smp_processor_id() != cpu || BPF_CORE_READ(timer, is_soft) || now - last < apart)
		return 0;
	last = now;
	bpf_loop(1 << 22, spin, &until, 0);
	bursts++;
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
