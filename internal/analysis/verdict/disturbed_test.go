package verdict

import (
	"strings"
	"testing"
)

func TestDisturbed(t *testing.T) {
	for _, c := range []struct {
		why   string
		e     Evidence
		words []string // of the doubt; none: there is none
	}{
		{"undisturbed", Evidence{Tx: 300, DurationS: 3, WantedS: 3}, nil},
		{"as long as it took", Evidence{Tx: 300, DurationS: 3, WantedS: 3, DisturbedS: 1}, nil},
		{"not all", Evidence{Tx: 300, DurationS: 2, WantedS: 2.5, DisturbedS: 0.5}, []string{"only 2 s of the 2.5 s", "in 2.5 s"}},
		{"less than a third, by the host", Evidence{Tx: 300, DurationS: 1, WantedS: 3, DisturbedS: 8}, []string{"the host takes the CPUs"}},
		{"less than a third, by a program",
			Evidence{Tx: 300, DurationS: 1, WantedS: 3, DisturbedS: 8, Disturber: "cc1"}, []string{"cc1: end it"}},
		{"everything counts", Evidence{Tx: 300, DurationS: 9, WantedS: 3, DisturbedS: 8.9, Void: true},
			[]string{"only 0.1 s", "in 9 s", "everything counts"}},
		{"as good as nothing", Evidence{Tx: 300, DurationS: 3, WantedS: 1, DisturbedS: 3 - 3.99e-8, Void: true},
			[]string{"less than 1 ms of the 1 s"}},
	} {
		got := disturbedDoubt(c.e)
		if (got == "") != (len(c.words) == 0) {
			t.Errorf("%s: %q", c.why, got)
		}
		for _, w := range c.words {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is not in %q", c.why, w, got)
			}
		}
		if why := durationFault(c.e); why != "" {
			t.Errorf("%s: not valid: %s", c.why, why)
		}
	}
	if durationFault(Evidence{Tx: 300, DurationS: 1, WantedS: 3, DisturbedS: 0.5}) == "" {
		t.Error("a trial that ended early is valid")
	}
}

// TestDisturberAdvice: nobody can end a thread of the kernel, nor an interrupt; and what may be the UPF,
// of which upflab does not know the process, is not to be ended.
func TestDisturberAdvice(t *testing.T) {
	const ends = "end it"
	for _, c := range []struct {
		who             string
		external, known bool
		words           []string
		not             string
	}{
		{"napi/upf-tun-0", true, false, []string{"receive work for the device upf-tun", "if that is the UPF's device", "external.pid"}, ends},
		{"napi/eth0-8193", true, true, []string{"receive work for the device eth0", ownCPUs}, ends},
		{"napi/eth0-8193", false, false, []string{"receive work for the device eth0", ownCPUs}, ends},
		{"kworker/1:2", false, false, []string{"the kernel's work and no program", ownCPUs}, ends},
		{"kdamond.0", true, false, []string{"the kernel's work and no program", ownCPUs}, ends},
		{"softirq block", false, false, []string{"the kernel's work", ownCPUs}, ends},
		{"interrupt 24 eth0", false, false, []string{"/proc/irq/24/smp_affinity_list"}, ends},
		{"open5gs-upfd", true, false, []string{"if that is the UPF", "external.pid", "else end it"}, "open5gs-upfd: end it"},
		{"cc1", true, true, []string{"cc1: end it", ownCPUs}, "external.pid"},
		{"cc1", false, false, []string{"cc1: end it"}, "external.pid"},
	} {
		got := disturbedDoubt(Evidence{Tx: 300, DurationS: 1, WantedS: 3, DisturbedS: 8, Disturber: c.who, External: c.external, Known: c.known})
		for _, w := range c.words {
			if !strings.Contains(got, w) {
				t.Errorf("%+v: %q is not in %q", c, w, got)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%+v: %q is in %q", c, c.not, got)
		}
	}
}
