package doctor

import (
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	for _, c := range []struct {
		story, in, name string
		time            time.Duration
		ok              bool
	}{
		{"a program", "77 (go) S 1 77 77 0 -1 4194560 1 2 3 4 150 50 7 8 20 0", "go", 2 * time.Second, true},
		{"a name with a parenthesis and a space", "77 (a) b) R 1 77 77 0 -1 4194560 1 2 3 4 1 0 7 8", "a) b", 10 * time.Millisecond, true},
		{"cut short", "77 (go) S 1 77", "", 0, false},
		{"no name", "77 go S", "", 0, false},
		{"not a number", "77 (go) S 1 77 77 0 -1 4194560 1 2 3 4 x 50 7", "", 0, false},
		{"nothing", "", "", 0, false},
	} {
		t.Run(c.story, func(t *testing.T) {
			name, d, ok := parseStat(c.in)
			if name != c.name || d != c.time || ok != c.ok {
				t.Errorf("got %q, %v, %v", name, d, ok)
			}
		})
	}
}

func TestBusiest(t *testing.T) {
	root := files(
		"proc/1/stat", "1 (init) S 1 1 1 0 -1 0 1 2 3 4 1000 0 7 8",
		"proc/20/stat", "20 (compile) R 1 1 1 0 -1 0 1 2 3 4 90 5 7 8",
		"proc/30/stat", "30 (backup) R 1 1 1 0 -1 0 1 2 3 4 10 5 7 8",
		"proc/self/stat", "not a process's number", "proc/stat", "cpu 1 2 3")
	before := map[int]usage{1: {1, "init", 10 * time.Second}}
	compare(t, judgeLoad(busiest(before, usages(root)), "1.25 0.50 0.10 2/90 24798\n"), Finding{State: Warn,
		Detail: "load average 1.25 over the last minute; now busy, of one CPU: compile (process 20) 95 %, backup (process 30) 15 %"})
}

func TestLoadAndSteal(t *testing.T) {
	many := []usage{{1, "a", time.Second}, {2, "b", time.Second}, {3, "c", time.Second}, {4, "d", time.Second}, {5, "e", time.Second}}
	compare(t, judgeLoad(many, ""), Finding{State: Warn,
		Detail: "none; now busy, of one CPU: a (process 1) 100 %, b (process 2) 100 %, c (process 3) 100 %, 2 more"})
	compare(t, judgeLoad(nil, "0.10 0 0 1/1 1"), Finding{State: OK, Detail: "load average 0.10 over the last minute"})
	compare(t, judgeSteal(0.004), Finding{State: OK, Detail: "0.4 % of one CPU in the last second"})
	compare(t, judgeSteal(0.031), Finding{State: Warn,
		Detail: "3.1 % of one CPU in the last second went to other guests: trials with more than 2 % are not valid"})
}
