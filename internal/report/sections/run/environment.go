package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Environment lists what on the machine can bend a number.
func Environment(v *view.Run) block.Section {
	h := v.Host
	list := []block.Fact{
		{Name: "Host", Value: h.Hostname}, {Name: "OS", Value: h.OS}, {Name: "Kernel", Value: h.Kernel},
		{Name: "CPU", Value: fmt.Sprintf("%s, %d online", units.OrNone(h.CPU), h.CPUs)},
		{Name: "Memory", Value: units.Bytes(h.MemoryBytes)},
		{Name: "Virtualization", Value: h.Virtualization}, {Name: "Booted for the run", Value: guest(v.VM)},
		{Name: "Placement", Value: placement(h.Placement)},
		{Name: "Engine", Value: engine(v.Engine)}, {Name: "AF_XDP sockets", Value: sockets(v)},
		{Name: "Order of visits", Value: visits(v.Order)},
		{Name: "Stolen time", Value: units.Percent(h.StealRatio) + " % of the run, as far as the hypervisor reports it"},
		{Name: "Clock source", Value: h.Clocksource}, {Name: "Governor", Value: h.Governor}, {Name: "Idle CPUs", Value: h.IdleWords()},
		{Name: "Preemption", Value: h.Preemption}, {Name: "BPF JIT", Value: h.BPFJIT},
		{Name: "Mitigations", Value: mitigations(h.Mitigations)}, {Name: "From run to run", Value: fromRunToRun(v.Calibration)},
		{Name: "Kernel command line", Value: h.Cmdline},
		{Name: "upflab", Value: strings.Join(strings.Fields(v.Tool.Version+" "+v.Tool.Commit+" "+v.Tool.Go), ", ")},
	}
	list = slices.DeleteFunc(list, func(f block.Fact) bool {
		return f.Value == "" && slices.Contains([]string{"AF_XDP sockets", "Order of visits", "Booted for the run"}, f.Name)
	})
	for i := range list {
		list[i].Value = units.OrNone(list[i].Value)
	}
	return block.Section{Title: "Environment", Only: block.Pages, Blocks: []block.Block{block.Facts{List: list}}}
}

// guest describes the virtual machine of a run; "" where it had none.
func guest(m *record.VM) string {
	if m == nil {
		return ""
	}
	by := "KVM"
	switch {
	case m.Counts:
		by = "emulation of each instruction (TCG), which its clock counted"
	case m.Emulated():
		by = "emulation of each instruction (TCG), so that no speed means anything"
	}
	nic := m.NIC
	if m.Driver != "" && m.Driver != nic {
		nic += " (driver " + m.Driver + ")"
	}
	return fmt.Sprintf("Linux %s in QEMU %s, by %s; NIC %s, %s, %s", m.Kernel, m.QEMU, by, nic, units.Plural(m.CPUs, "CPU"),
		units.Bytes(uint64(m.MemoryMiB)<<20))
}

// fromRunToRun is how much the machine differs from itself.
func fromRunToRun(c *record.Calibration) string {
	if c == nil || c.Runs < between.LeastRuns {
		return "not calibrated: sudo upflab calibrate measures how much this machine differs from itself"
	}
	var list []string
	for _, s := range c.Scatter {
		list = append(list, fmt.Sprintf("%s %.2g %%", s.Figure, 100*s.SD))
	}
	text := fmt.Sprintf("differs from itself in %s, by %s of %s", strings.Join(list, ", "), between.Rests(c), c.Device)
	if c.Certificate != "" {
		text += fmt.Sprintf(" (certificate %s, until %s)", c.Certificate, c.Until().UTC().Format(time.DateOnly))
	}
	return text
}

// visits writes the order of the visits; "" where there were not several in turn.
func visits(o *record.Order) string {
	if o == nil || len(o.Visits) == 0 || len(o.Visits[0]) < 2 {
		return ""
	}
	var repeats []string
	for _, labels := range o.Visits {
		repeats = append(repeats, strings.Join(labels, ", "))
	}
	return fmt.Sprintf("%s (random by seed %d, each second repeat the reverse of the one before)", strings.Join(repeats, "; "), o.Seed)
}

func placement(p record.Placement) string {
	if p.Kind == record.PlacedElsewhere {
		return fmt.Sprintf("generator on %s, sink on %s; the UPF is where its operator put it", cpus(p.Senders()), cpus(p.Receivers()))
	}
	return fmt.Sprintf("%s: generator on %s, sink on %s, UPF on %s", units.OrNone(p.Kind), cpus(p.Senders()), cpus(p.Receivers()), cpus(p.DUT))
}

// cpus writes CPUs: "CPU 1,2".
func cpus(list []int) string {
	if len(list) == 0 {
		return "no separate CPU"
	}
	return "CPU " + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}

// engine is empty for results from before there was a choice.
func engine(e record.Engine) string {
	if e.Name == "" {
		return ""
	}
	return e.Name + ": " + e.Why
}

// sockets says which ports the engine af_xdp sent by without copies; "" of other engines.
// All DUTs of a run have the same ports.
func sockets(v *view.Run) string {
	for _, d := range v.DUTs {
		var words []string
		for _, s := range d.Setup.Sockets {
			way := "zero copy"
			if !s.ZeroCopy {
				way = "each frame copied (" + s.Why + ")"
			}
			words = append(words, fmt.Sprintf("%s queue %d: %s, %s", s.Port, s.Queue, way, sentTimes(&s)))
		}
		if len(words) > 0 {
			return strings.Join(words, "; ")
		}
	}
	return ""
}

// sentTimes says when the NIC sent what a socket wrote.
func sentTimes(s *record.Socket) string {
	t := s.SentByNIC
	switch {
	case t != nil && t.Packets > 0:
		return fmt.Sprintf("sent by the NIC %.2f µs after it was written, in the mean of %d packets (%.2f to %.2f "+
			"µs, within %.2f µs; %d without a time)",
			t.MeanNS/1e3, t.Packets, float64(t.MinNS)/1e3, float64(t.MaxNS)/1e3, float64(t.ErrorNS)/1e3, t.Without)
	case t != nil:
		return "none of its packets has a time stamp on send (`hwstamp_ctl -i " + s.Port + " -t 1`)"
	}
	return "no time stamps on send: " + s.NoTimes
}

// copies says in short what sockets says at length.
func copies(v *view.Run) string {
	for _, d := range v.DUTs {
		for _, s := range d.Setup.Sockets {
			if !s.ZeroCopy {
				return "; each frame is copied"
			}
		}
		if len(d.Setup.Sockets) > 0 {
			return "; zero copy"
		}
	}
	return ""
}

func mitigations(all map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, name+": "+all[name])
	}
	return strings.Join(parts, "; ")
}
