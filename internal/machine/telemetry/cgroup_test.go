package telemetry

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The files are those of a pod with a limit of 1.5 CPUs and 256 MiB, of kubelet 1.34 with
// containerd: version 1 as read in the container, version 2 as the kernel documents it.
func TestGroup(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		limits Limits
		used   Throttling
	}{
		"version 2": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n",
			"sys/fs/cgroup/memory.max": "268435456\n",
			"sys/fs/cgroup/cpu.stat":   "usage_usec 5\nuser_usec 3\nsystem_usec 2\nnr_periods 40\nnr_throttled 10\nthrottled_usec 2500\n"},
			Limits{1.5, 256 << 20}, Throttling{40, 10, 2500 * time.Microsecond}},
		"version 2 without limits": {map[string]string{"proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/cpu.max": "max 100000\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/b/cpu.stat": "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n"}, Limits{}, Throttling{}},
		"version 1, the pod's group mounted": {map[string]string{"proc/self/cgroup": "5:memory:/kubepods/pod1/x\n1:cpu,cpuacct:/kubepods/pod1/x\n0::/\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.stat":         "nr_periods 40\nnr_throttled 10\nthrottled_time 2500000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n"},
			Limits{1.5, 256 << 20}, Throttling{40, 10, 2500 * time.Microsecond}},
		"version 1 without limits": {map[string]string{"proc/self/cgroup": "5:memory:/\n1:cpu:/\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/cpu/cpu.stat":                 "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, Limits{}, Throttling{}},
		"none": {nil, Limits{}, Throttling{}},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		g := ownGroup(root)
		if l := g.limits(); l != c.limits {
			t.Errorf("%s: limits %+v, want %+v", name, l, c.limits)
		}
		if u := g.throttling(); u != c.used {
			t.Errorf("%s: throttling %+v, want %+v", name, u, c.used)
		}
	}
}
