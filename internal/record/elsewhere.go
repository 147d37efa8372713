package record

import (
	"slices"
	"strings"
)

// ProcessAlone says why CPU is a lower bound.
const ProcessAlone = "only the UPF's process is watched, and what the kernel does for it, as all work of an XDP program, is not in its time"

// OwnThreads is the part of a DUT's CPU time that its own threads took.
const OwnThreads = "threads"

// External reports whether upflab neither started the DUT nor placed it.
func (d *DUT) External() bool { return d.Name == "external" }

// markElsewhere takes back what results of before say of CPUs of a UPF that upflab did not place: CPUs
// that a UPF of upflab's would have had.
func (r *Result) markElsewhere() {
	others := slices.ContainsFunc(r.DUTs, func(d DUT) bool { return !d.External() })
	if len(r.DUTs) > 0 && !others {
		r.Host.Placement = r.Host.Placement.WithoutDUT()
	}
	for i := range r.DUTs {
		if d := &r.DUTs[i]; d.External() {
			for j := range d.Trials {
				d.Trials[j].markElsewhere()
			}
		}
	}
}

func (t *Trial) markElsewhere() {
	c := &t.CPU
	alone := len(c.DUTParts) == 1 && strings.HasSuffix(c.DUTParts[0].Name, "over SSH")
	if at := slices.IndexFunc(c.DUTParts, func(s Share) bool { return s.Name == OwnThreads }); at >= 0 {
		c.DUTParts, alone = c.DUTParts[at:at+1:at+1], true
		c.DUTCores = c.DUTParts[0].Cores
	}
	c.AtLeast = c.AtLeast || alone
	if x := t.Evidence; x != nil && c.CoreBusy == 0 {
		x.CoreBusy, x.Others, x.BusiestCore, x.BusiestThread = nil, nil, nil, nil
		if c.DUTCores == 0 || !slices.ContainsFunc(c.DUTParts, func(s Share) bool { return s.Name == OwnThreads }) {
			x.RunQueueDelay, x.SwitchesPerS = nil, nil
		}
	}
}

// MostlyCPUAtLeast reports whether the CPU of the DUT is a lower bound in at least half of the trials.
func MostlyCPUAtLeast(trials []*Trial) bool {
	return ofHalf(trials, func(t *Trial) bool { return t.CPU.AtLeast })
}
