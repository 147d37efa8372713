package doctor

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
)

func root(_ context.Context, e *exam) Finding {
	if e.uid == 0 {
		return Finding{Name: "root", State: OK, Detail: "yes"}
	}
	return Finding{Name: "root", State: Missing, Detail: fmt.Sprintf("no (user %d)", e.uid), Fix: "sudo upflab doctor, and sudo upflab run"}
}

// capability is one of capabilities(7).
type capability struct {
	bit  uint
	name string
	use  string
}

// needed are the capabilities of a run. CAP_SYS_ADMIN, which it needs anyway,
// includes CAP_BPF and CAP_PERFMON.
func needed() []capability {
	return []capability{
		{unix.CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "network namespaces"},
		{unix.CAP_NET_ADMIN, "CAP_NET_ADMIN", "links, routes, XDP"},
		{unix.CAP_BPF, "CAP_BPF", "BPF programs"},
		{unix.CAP_PERFMON, "CAP_PERFMON", "BPF programs"},
		{unix.CAP_SYS_NICE, "CAP_SYS_NICE", "pinned NAPI threads"},
	}
}

func capabilities(_ context.Context, e *exam) Finding {
	effective, err := effectiveCaps(e.read("proc/self/status"))
	if err != nil {
		return failed("capabilities", err, "mount /proc")
	}
	return judgeCaps(effective)
}

func judgeCaps(effective uint64) Finding {
	f := Finding{Name: "capabilities", State: OK}
	var have, lack []string
	admin := effective>>unix.CAP_SYS_ADMIN&1 == 1
	for _, c := range needed() {
		implied := admin && (c.bit == unix.CAP_BPF || c.bit == unix.CAP_PERFMON)
		if effective>>c.bit&1 == 1 || implied {
			have = append(have, c.name)
			continue
		}
		lack = append(lack, fmt.Sprintf("%s (%s)", c.name, c.use))
	}
	f.Detail = strings.Join(have, ", ")
	if len(lack) > 0 {
		f.State, f.Detail = Missing, "without "+strings.Join(lack, ", ")
		f.Fix = "run with sudo; in a container with --privileged, or --cap-add with the names"
	}
	return f
}

// effectiveCaps reads CapEff from /proc/PID/status.
func effectiveCaps(status string) (uint64, error) {
	for line := range strings.Lines(status) {
		if v, ok := strings.CutPrefix(line, "CapEff:"); ok {
			return strconv.ParseUint(strings.TrimSpace(v), 16, 64)
		}
	}
	return 0, fmt.Errorf("no CapEff in /proc/self/status")
}

// lockedMemory is for DUTs that lift RLIMIT_MEMLOCK and end when they may not.
func lockedMemory(_ context.Context, e *exam) Finding {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		return failed("locked memory", fmt.Errorf("read RLIMIT_MEMLOCK: %w", err), "")
	}
	effective, _ := effectiveCaps(e.read("proc/self/status")) // its error is capabilities' finding
	return judgeLocked(limit.Max, effective>>unix.CAP_SYS_RESOURCE&1 == 1)
}

func judgeLocked(limit uint64, mayRaise bool) Finding {
	f := Finding{Name: "locked memory", State: OK}
	switch {
	case limit == unix.RLIM_INFINITY:
		f.Detail = "unlimited"
	case mayRaise:
		f.Detail = "CAP_SYS_RESOURCE may lift its limit"
	default:
		f.State = Warn
		f.Detail = fmt.Sprintf("at most %d KiB and no CAP_SYS_RESOURCE to lift that: some DUTs (eUPF) end at "+
			"start; upflab itself does not mind", limit>>10)
		f.Fix = "in a container --cap-add SYS_RESOURCE or --ulimit memlock=-1; under systemd LimitMEMLOCK=infinity"
	}
	return f
}

// stateFolder writes a run's list, as a run does, and removes it.
func stateFolder(_ context.Context, e *exam) Finding {
	const name, fix = "/run/upflab",
		"mount /run writable (in a container --tmpfs /run): runs write there what they own, so that a killed one " +
			"can be cleaned up"
	if e.uid != 0 {
		return untried(name)
	}
	claim, err := host.NewClaim(host.NewRunID())
	if err == nil {
		err = claim.Close()
	}
	if err != nil {
		return failed(name, err, fix)
	}
	return Finding{Name: name, State: OK, Detail: "writable"}
}
