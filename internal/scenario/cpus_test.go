package scenario

import (
	"slices"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	for text, want := range map[string][]int{
		"-1": nil, "": nil, "0": {0}, "4095": {4095}, "0,1": {0, 1}, "3,1": {3, 1}, " 4-6 , 9 ": {4, 5, 6, 9}, "2-2": {2},
	} {
		if got, err := parseCPUs(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "-2", "4096", "0,0", "1-3,2", "3-1", "1-", "-", ",", "0,", "1.5", "0x1", "+1", "0-1-2"} {
		if got, err := parseCPUs(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// One CPU is written as a number, several as text; both ways are read.
func TestCPUsInAScenario(t *testing.T) {
	for text, want := range map[string][]int{
		"cpu: {generator: 3}": {3}, "cpu: {generator: -1}": nil, "cpu: {generator: 0-2}": {0, 1, 2}, `cpu: {generator: "0,1"}`: {0, 1},
	} {
		s, err := Read([]byte(text+"\nsessions: 4"), "x.yaml")
		if err != nil || !slices.Equal(s.CPU.Generator.List(), want) {
			t.Errorf("%s: %v, want %v", text, err, want)
			continue
		}
		again, err := Effective(s)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Read([]byte(again), "x.yaml"); err != nil || back.CPU != s.CPU {
			t.Errorf("%s: it is written as %+v and read as %+v, %v", text, s.CPU, back.CPU, err)
		}
	}
}
