package compare

import (
	"slices"
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

// TestFamilies: the families of one UPF are compared as two builds are, trial by trial.
func TestFamilies(t *testing.T) {
	in := families(simulated{repeats: 5, noise: 0.01}, simulated{repeats: 5, noise: 0.01, rate: 0.8})
	if got := FamiliesOf(byLabel(in.Result, "builtin:xdp")); !slices.Equal(got, []string{"ipv4", "ipv6-over-ipv6"}) {
		t.Fatalf("families are %q", got)
	}
	for label, want := range map[string]Verdict{LabelIn("builtin", "xdp", "ipv6-over-ipv6"): Worse} {
		made := compared(t, in, in, Options{DUT: LabelIn("builtin", "xdp", "ipv4"), Against: label, Metrics: []Metric{RxPPS}, Threshold: 0.03})
		f := figure(t, made, RxPPS, "uplink max")
		if f.Verdict != want || f.Basis != BasisPaired || f.Paired.N != 5 {
			t.Errorf("%s is %s by %s of %d repeats", label, f.Verdict, f.Basis, f.Paired.N)
		}
	}
	if d := byLabel(in.Result, "builtin:xdp"); d == nil || d.Trials[0].Size == "" {
		t.Error("the result itself was changed")
	}
}

// TestNoFamilies: a run of one family is compared as it is.
func TestNoFamilies(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{{Name: "builtin", Trials: []record.Trial{{}}}}}
	if byFamily(r) != r {
		t.Error("it was split")
	}
}
