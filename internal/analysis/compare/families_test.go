package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// families is a run that compares two families of one UPF, of which IPv6 has another rate.
func families(four, six simulated) Input {
	in := measured(four, 1, "families")
	d := byLabel(in.Result, "builtin:xdp")
	other := byLabel(measured(six, 1001, "families").Result, "builtin:xdp")
	all := slices.Clone(d.Trials)
	for i := range all {
		all[i].Size, all[i].Compared = all[i].SizeName()+" ipv4", "ipv4"
	}
	for _, t := range other.Trials {
		t.Size, t.Compared = t.SizeName()+" ipv6-over-ipv6", "ipv6-over-ipv6"
		t.PayloadBytes = all[0].PayloadBytes
		all = append(all, t)
	}
	d.Trials = all
	return in
}

// TestFamilies: the families of one UPF are compared trial by trial, as two builds are, by those who name them.
func TestFamilies(t *testing.T) {
	in := families(simulated{repeats: 5, noise: 0.01}, simulated{repeats: 5, noise: 0.01, rate: 0.8})
	if got := FamiliesOf(byLabel(in.Result, "builtin:xdp")); !slices.Equal(got, []string{"ipv4", "ipv6-over-ipv6"}) {
		t.Fatalf("families are %q", got)
	}
	for label, want := range map[string]Verdict{LabelIn("builtin", "xdp", "ipv6-over-ipv6"): Worse} {
		made := compared(t, in, in, Options{DUT: LabelIn("builtin", "xdp", "ipv4"), Against: label, Metrics: []Metric{RxPPS}, Threshold: 0.03})
		f := figure(t, made, RxPPS, "uplink max")
		if f.Verdict != want || f.Basis != BasisPaired || f.Paired.N != 5 || f.Builds {
			t.Errorf("%s is %s by %s of %d repeats; as builds: %v", label, f.Verdict, f.Basis, f.Paired.N, f.Builds)
		}
	}
	if _, err := Compare(in, in, Options{}); err == nil || !strings.Contains(err.Error(), "one UPF, builtin:xdp") ||
		!strings.Contains(err.Error(), "builtin@ipv6-over-ipv6:xdp") {
		t.Errorf("one UPF, and no family is named: %v", err)
	}
	if d := byLabel(in.Result, "builtin:xdp"); d == nil || d.Trials[0].Size == "" {
		t.Error("the result itself was changed")
	}
}

// TestBuildsInFamilies: two builds are compared in each family, without their names and with them, and one family where it is named.
func TestBuildsInFamilies(t *testing.T) {
	steady := simulated{repeats: 5, noise: 0.01}
	in := families(steady, steady)
	other := families(simulated{repeats: 5, noise: 0.01, rate: 0.8}, simulated{repeats: 5, noise: 0.01, rate: 0.8})
	a, b := byLabel(in.Result, "builtin:xdp"), byLabel(other.Result, "builtin:xdp")
	a.Name, b.Name = "builtin@old", "builtin@new"
	in.Result.DUTs = append(in.Result.DUTs, *b)
	for what, c := range map[string]struct {
		o       Options
		figures int
	}{
		"no name":      {Options{}, 2},
		"their names":  {Options{DUT: "builtin@old:xdp", Against: "builtin@new:xdp"}, 2},
		"one family's": {Options{DUT: LabelIn("builtin@old", "xdp", "ipv4"), Against: LabelIn("builtin@new", "xdp", "ipv4")}, 1},
	} {
		c.o.Metrics, c.o.Threshold = []Metric{RxPPS}, 0.03
		made, n := compared(t, in, in, c.o), 0
		for _, f := range made.Pairs[0].Figures {
			if f.Metric == RxPPS && f.Direction == record.Uplink && f.Load != "" && strings.HasPrefix(f.Load, "max") {
				n++
				if f.Verdict != Worse || !f.Builds {
					t.Errorf("%s: %s is %s; as builds: %v", what, f.Load, f.Verdict, f.Builds)
				}
			}
		}
		if len(made.Pairs) != 1 || n != c.figures {
			t.Errorf("%s: %d pairs, %d figures at max; want one and %d", what, len(made.Pairs), n, c.figures)
		}
	}
}

// TestNoFamilies: a run of one family is compared as it is.
func TestNoFamilies(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{{Name: "builtin", Trials: []record.Trial{{}}}}}
	if byFamily(r) != r {
		t.Error("it was split")
	}
}
