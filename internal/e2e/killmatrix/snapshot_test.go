package killmatrix

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
)

// snapshot is the machine as lines of text.
type snapshot []string

// inside are commands whose output shows the state of a network namespace. They read
// it by other tools than the code under test.
var inside = []string{
	"ip -d -o addr", "ip -d -o link", "ip -4 route show table all", "ip -6 route show table all", "ip rule", "ip -6 rule",
	"ip neigh show nud permanent", "ip maddr", "tc qdisc",
	"for d in p0 p1 p2 p3; do ethtool -k $d | sed \"s/^/$d /\"; done",
	"cd /sys/class/net && for f in */threaded */mtu */tx_queue_len */flags */gro_flush_timeout " +
		"*/napi_defer_hard_irqs */ifalias */queues/*/rps_cpus */queues/*/xps_cpus; do echo $f $(cat $f 2>/dev/null); done",
	"grep -rH . /proc/sys/net 2>/dev/null | grep -v -e nf_conntrack_count -e ipv6/conf/.*/stable_secret",
}

// outside are those of the whole machine.
var outside = []string{
	"grep -H . /proc/sys/kernel/sched_* /proc/sys/vm/nr_hugepages /proc/$PPID/autogroup 2>/dev/null | sed 's/autogroup-[0-9]*//'",
	"grep -l '" + strings.Replace(marker, ".", "[.]", 1) + "' /proc/[0-9]*/cmdline 2>/dev/null | grep -v -e self -e $$",
}

// volatile are words that change by themselves.
var volatile = regexp.MustCompile(`(valid_lft|preferred_lft|expires|used|age|promiscuity|allmulti|numtxqueues|qlen) \S+|,?LOWER_UP|,?NO-CARRIER|state \S+|tentative|linkdown|@if\d+|@p\d|^\d+: `)

// take reads the machine; home is the namespace that plays the host.
func take(home, run string) (snapshot, error) {
	var s snapshot
	out, err := exec.Command("ip", "netns", "exec", home, "sh", "-c", strings.Join(inside, "\n")).Output()
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("look into %s: %w", home, err)
	}
	s.add(string(out))
	for _, command := range outside {
		out, _ := exec.Command("sh", "-c", command).Output() // nothing found is status 1
		s.add(string(out))
	}
	s = append(s, threads()...)
	names, _ := filepath.Glob("/run/netns/upflab-" + run + "*")
	for _, name := range names {
		s = append(s, "namespace "+name)
	}
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/*", "/sys/fs/cgroup/*/*"} {
		groups, _ := filepath.Glob(filepath.Join(root, "upflab-"+run))
		for _, g := range groups {
			s = append(s, "control group "+g)
		}
	}
	s = append(s, programs()...)
	slices.Sort(s)
	return s, nil
}

func (s *snapshot) add(text string) {
	for line := range strings.Lines(text) {
		*s = append(*s, strings.Join(strings.Fields(volatile.ReplaceAllString(strings.TrimSpace(line), "")), " "))
	}
}

// threads are the NAPI threads of the machine's ports, and how they are scheduled.
func threads() (list []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, path := range paths {
		name, _ := os.ReadFile(path)
		if !ownThread.Match(name) {
			continue
		}
		pid := filepath.Base(filepath.Dir(path))
		for _, tool := range []string{"chrt", "taskset"} {
			out, _ := exec.Command(tool, "-p", pid).Output()
			list = append(list, strings.ReplaceAll(strings.TrimSpace(string(out)), pid, string(ownThread.Find(name))))
		}
	}
	return list
}

var ownThread = regexp.MustCompile(`^napi/p[0-3]-`)

// programs are the BPF programs that a victim loads, and pinned objects.
func programs() (list []string) {
	var id ebpf.ProgramID
	for {
		next, err := ebpf.ProgramGetNextID(id)
		if err != nil {
			break
		}
		id = next
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			continue
		}
		if info, err := p.Info(); err == nil && strings.HasPrefix(info.Name, "upflab_silence") {
			list = append(list, fmt.Sprintf("BPF program %d", id))
		}
		p.Close()
	}
	filepath.WalkDir("/sys/fs/bpf", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != "/sys/fs/bpf" {
			list = append(list, "pinned "+path)
		}
		return nil
	})
	return list
}

// differences are the lines that only one of the two has.
func differences(before, after snapshot) (list []string) {
	for _, l := range before {
		if _, found := slices.BinarySearch(after, l); !found {
			list = append(list, "- "+l)
		}
	}
	for _, l := range after {
		if _, found := slices.BinarySearch(before, l); !found {
			list = append(list, "+ "+l)
		}
	}
	return list
}

// onlyShared reports whether the lines are about settings that all runs share.
func onlyShared(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool {
		return !strings.Contains(l, "/proc/sys/kernel/sched_rt") && !strings.Contains(l, "autogroup")
	})
}

// missing are the programs that a snapshot is taken with.
func missing() (list []string) {
	for _, name := range []string{"ip", "tc", "ethtool", "chrt", "taskset"} {
		if _, err := exec.LookPath(name); err != nil {
			list = append(list, name)
		}
	}
	if os.Geteuid() != 0 {
		list = append(list, "root")
	}
	return list
}
