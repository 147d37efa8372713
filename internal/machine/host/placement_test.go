package host

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		cpus            []int
		kind            string
		generator, sink int
		dut             []int
	}{
		{[]int{0}, "auto", 0, 0, []int{0}},
		{[]int{5}, "separate", 5, 5, []int{5}},
		{[]int{0, 1}, "auto", 0, 1, []int{1}},
		{[]int{0, 1}, "separate", 0, 1, []int{1}},
		{[]int{0, 1}, "shared", 0, 0, []int{0}},
		{[]int{2, 6}, "auto", 2, 6, []int{6}},
		{[]int{0, 1, 2}, "auto", 0, 1, []int{2}},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, "auto", 5, 6, []int{7}},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, "shared", 0, 0, []int{0}},
	} {
		p := choose(c.cpus, c.kind)
		if p.Generator != c.generator || p.Sink != c.sink || !slices.Equal(p.DUT, c.dut) {
			t.Errorf("CPUs %v, %s: %+v, want generator %d, sink %d, DUT %v", c.cpus, c.kind, p, c.generator, c.sink, c.dut)
		}
	}
}

func anyCPU() scenario.CPU {
	return scenario.CPU{Placement: "auto", Generator: scenario.AnyCPU, Sink: scenario.AnyCPU, DUT: scenario.AnyCPU}
}

func TestPlaceAsAsked(t *testing.T) {
	cpus, err := AllowedCPUs()
	if err != nil || len(cpus) == 0 {
		t.Fatal(cpus, err)
	}
	last := cpus[len(cpus)-1]
	want := anyCPU()
	name := scenario.CPUs(strconv.Itoa(last))
	want.Generator, want.Sink, want.DUT = name, name, name
	p, err := Place(want)
	if err != nil || p.Generator != last || p.Sink != last || !slices.Equal(p.DUT, []int{last}) || p.Kind != Shared {
		t.Errorf("all on CPU %d: %+v, %v", last, p, err)
	}
	p, err = Place(anyCPU())
	if wantKind := map[bool]string{true: Separate, false: Shared}[len(cpus) > 1]; err != nil || p.Kind != wantKind {
		t.Errorf("auto with %d CPUs: %+v, %v; want %s", len(cpus), p, err, wantKind)
	}
}

// Of roles of which only one has a CPU by name, the others get other CPUs.
func TestPlaceBesideNamedCPUs(t *testing.T) {
	two, four := []int{0, 1}, []int{0, 1, 2, 3}
	for _, c := range []struct {
		name            string
		cpus            []int
		set             func(*scenario.CPU)
		generator, sink int
		dut             int
		kind            string
	}{
		{"the DUT on the generator's", two, func(c *scenario.CPU) { c.DUT = "0" }, 1, 0, 0, Separate},
		{"the generator on the DUT's", two, func(c *scenario.CPU) { c.Generator = "1" }, 1, 0, 0, Separate},
		{"the sink alone", two, func(c *scenario.CPU) { c.Sink = "0" }, 0, 0, 1, Separate},
		{"the DUT of four", four, func(c *scenario.CPU) { c.DUT = "1" }, 0, 2, 1, Separate},
		{"the sink of four", four, func(c *scenario.CPU) { c.Sink = "3" }, 0, 3, 2, Separate},
		{"shared with the generator", two, func(c *scenario.CPU) { c.Placement, c.Generator = Shared, "1" }, 1, 1, 1, Shared},
	} {
		want := anyCPU()
		c.set(&want)
		p, err := PlaceOn(c.cpus, want)
		if err != nil || p.Generator != c.generator || p.Sink != c.sink || !slices.Equal(p.DUT, []int{c.dut}) || p.Kind != c.kind {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
	alone := anyCPU()
	alone.Placement = Separate
	if _, err := PlaceOn([]int{5}, alone); err == nil || !strings.Contains(err.Error(), "none is left") {
		t.Errorf("one CPU for two: %v", err)
	}
}

func TestPlaceRefusesCPUsThatAreNot(t *testing.T) {
	const none = "4095"
	for key, set := range map[string]func(*scenario.CPU){
		"cpu.generator": func(c *scenario.CPU) { c.Generator = none },
		"cpu.sink":      func(c *scenario.CPU) { c.Sink = none },
		"cpu.dut":       func(c *scenario.CPU) { c.DUT = none },
	} {
		want := anyCPU()
		set(&want)
		if _, err := Place(want); err == nil || !strings.Contains(err.Error(), "CPU 4095") || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// Of roles that have several CPUs by name, the others get none of these.
func TestPlaceSeveral(t *testing.T) {
	eight := []int{0, 1, 2, 3, 4, 5, 6, 7}
	want := anyCPU()
	want.Generator, want.DUT = "0,1", "4-7"
	p, err := PlaceOn(eight, want)
	if err != nil || !slices.Equal(p.Senders(), []int{0, 1}) || !slices.Equal(p.DUT, []int{4, 5, 6, 7}) || p.Kind != Separate ||
		slices.Contains(slices.Concat(p.Senders(), p.DUT), p.Sink) {
		t.Errorf("%+v, %v", p, err)
	}
	want.Sink = "2,3"
	if p, err = PlaceOn(eight, want); err != nil || !slices.Equal(p.Receivers(), []int{2, 3}) || p.Sink != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	want.DUT = "1-4"
	if p, err = PlaceOn(eight, want); err != nil || p.Kind != Shared {
		t.Errorf("the generator has one of the DUT's: %+v, %v", p, err)
	}
	want = anyCPU()
	want.Generator = "0,1"
	if p, err = PlaceOn([]int{0, 1}, want); err != nil || p.Kind != Shared || len(p.DUT) != 1 {
		t.Errorf("two of two CPUs send: %+v, %v", p, err)
	}
}
