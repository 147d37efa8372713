package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// Label is a DUT as the user writes it, name:mode.
func Label(d *record.DUT) string {
	if d.Mode == "" {
		return d.Name
	}
	return d.Name + ":" + d.Mode
}

// dutPair is what is compared with what.
type dutPair struct{ A, B *record.DUT }

func (p dutPair) reference() bool { return p.A.Reference && p.B.Reference }

// gated reports whether both are UPFs.
func (p dutPair) gated() bool { return !p.A.Reference && !p.B.Reference }

// builds reports whether both are builds of one UPF, in the same mode and with packets of the same families.
func (p dutPair) builds() bool {
	a, _, _ := strings.Cut(p.A.Name, "@")
	b, _, _ := strings.Cut(p.B.Name, "@")
	return a == b && p.A.Mode == p.B.Mode && slices.Equal(FamiliesOf(p.A), FamiliesOf(p.B))
}

// names reports whether a result has the DUTs that are chosen, if any.
func (o Options) names(in Input) bool {
	return !slices.ContainsFunc([]string{o.DUT, o.Against}, func(name string) bool {
		if name == "" {
			return false
		}
		_, err := find(in, name)
		return err != nil
	})
}

// pick chooses the DUTs: those that both results have, or the ones named.
// References that both have come last, as witnesses of the machine.
func pick(in inputs, o Options) ([]dutPair, error) {
	pairs, err := pickNamed(in, o)
	if err != nil || in.oneRun {
		return pairs, err
	}
	for _, p := range common(in) {
		named := slices.ContainsFunc(pairs, func(q dutPair) bool { return q.A == p.A && q.B == p.B })
		if p.reference() && !named {
			pairs = append(pairs, p)
		}
	}
	return pairs, nil
}

func pickNamed(in inputs, o Options) ([]dutPair, error) {
	upfs := upfsOf(in.a.Result)
	switch {
	case o.DUT == "" && o.Against == "" && in.oneRun && len(upfs) == 2:
		return []dutPair{{upfs[0], upfs[1]}}, nil
	case o.DUT == "" && o.Against == "" && in.oneRun && len(upfs) == 1:
		return nil, fmt.Errorf("%s has one UPF, %s, and a comparison needs two: name a second result, as in "+
			"`upflab compare %s OTHER`, or name two of its DUTs with --dut and --against (%s)",
			in.a.Name, Label(upfs[0]), in.a.Name, labels(byFamily(in.a.Result)))
	case o.DUT == "" && o.Against == "" && in.oneRun:
		return nil, fmt.Errorf("compare %s with itself: name two of its DUTs with --dut and --against (%s)", in.a.Name, labels(in.a.Result))
	case o.DUT == "" && o.Against == "":
		return pickCommon(in)
	case in.oneRun && (o.DUT == "" || o.Against == ""):
		return nil, fmt.Errorf("compare two DUTs of %s: --dut and --against are both needed (%s)", in.a.Name, labels(in.a.Result))
	}
	nameA, nameB := o.DUT, o.Against
	if nameA == "" {
		nameA = nameB
	}
	if nameB == "" {
		nameB = nameA
	}
	a, err := find(in.a, nameA)
	if err != nil {
		return nil, err
	}
	b, err := find(in.b, nameB)
	if err != nil {
		return nil, err
	}
	if in.oneRun && Label(a) == Label(b) {
		return nil, fmt.Errorf("compare %s with itself in one run: name another DUT with --against (%s)", Label(a), labels(in.a.Result))
	}
	return []dutPair{{a, b}}, nil
}

// upfsOf are the DUTs that are no reference, in the order in which they were measured.
func upfsOf(r *record.Result) (list []*record.DUT) {
	for i := range r.DUTs {
		if !r.DUTs[i].Reference {
			list = append(list, &r.DUTs[i])
		}
	}
	return list
}

func pickCommon(in inputs) ([]dutPair, error) {
	var pairs []dutPair
	for _, p := range common(in) {
		if !p.reference() {
			pairs = append(pairs, p)
		}
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("compare %s with %s: they have no UPF in common (A: %s; B: %s); name one of each with --dut and --against",
			in.a.Name, in.b.Name, labels(in.a.Result), labels(in.b.Result))
	}
	return pairs, nil
}

// common pairs the DUTs that both results have, in A's order.
func common(in inputs) []dutPair {
	var pairs []dutPair
	for i := range in.a.Result.DUTs {
		a := &in.a.Result.DUTs[i]
		if b := byLabel(in.b.Result, Label(a)); b != nil {
			pairs = append(pairs, dutPair{a, b})
		}
	}
	return pairs
}

func byLabel(r *record.Result, label string) *record.DUT {
	for i := range r.DUTs {
		if Label(&r.DUTs[i]) == label {
			return &r.DUTs[i]
		}
	}
	return nil
}

// find takes name:mode, or the name alone where only one mode was measured.
func find(in Input, name string) (*record.DUT, error) {
	if d := byLabel(in.Result, name); d != nil {
		return d, nil
	}
	var found []*record.DUT
	for i := range in.Result.DUTs {
		if in.Result.DUTs[i].Name == name {
			found = append(found, &in.Result.DUTs[i])
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("find DUT %q in %s: it has %s", name, in.Name, labels(in.Result))
	}
	return nil, fmt.Errorf("find DUT %q in %s: several modes were measured, name one: %s", name, in.Name, labels(in.Result))
}

func labels(r *record.Result) string {
	if len(r.DUTs) == 0 {
		return "no DUT"
	}
	var names []string
	for i := range r.DUTs {
		names = append(names, Label(&r.DUTs[i]))
	}
	return strings.Join(names, ", ")
}
