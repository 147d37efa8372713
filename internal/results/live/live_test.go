package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
)

// deaf hears nothing.
type deaf struct{ watch.Observer }

func (deaf) Begin(int, string, record.Trial) {}
func (deaf) End(int, string, record.Trial)   {}
func (deaf) Stage(string, string)            {}

// TestFile: what happened is in the file, points at most once a second, and the state of
// the run can be told.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	if got := StateOf(dir); got != Unknown {
		t.Errorf("state %v before the run", got)
	}
	o := Watch(dir, "quick", 2, deaf{})
	trial := record.Trial{
		Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 1e5},
		Traffic:   record.Traffic{TxPPS: 1e5, RxPPS: 9e4},
		Judgement: record.Judgement{LimitedBy: "dut", Valid: true},
	}
	o.Begin(1, "eupf:native", trial)
	for range 12 {
		o.Point(record.Point{TxPPS: 1e5, RxPPS: 9e4, P50: 2000, P99: 9000, DUTCores: 0.5})
		time.Sleep(100 * time.Millisecond) // a trial has a point each 100 ms
	}
	o.End(1, "eupf:native", trial)
	if got := StateOf(dir); got != Running {
		t.Errorf("state %v in the run", got)
	}
	o.Close("")
	if got := StateOf(dir); got != Ended {
		t.Errorf("state %v after the run", got)
	}
	lines, _, err := ReadFrom(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, line := range lines {
		all = append(all, string(line))
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{`"kind":"plan","scenario":"quick","trials":2`, `"trial":"uplink 100k"`,
		`"p99_ns":9000`, `"limited_by":"dut","valid":true`, `"kind":"done"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if n := strings.Count(text, `"kind":"point"`); n < 1 || n > 3 {
		t.Errorf("%d points in 1.2 s", n)
	}
}

// TestKilled: a run that says nothing any more was killed, whatever the clock did.
func TestKilled(t *testing.T) {
	for _, age := range []time.Duration{-time.Hour, time.Hour} {
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		if err := os.WriteFile(path, []byte("{\"t\":0,\"kind\":\"plan\"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Now().Add(age), time.Now().Add(age)); err != nil {
			t.Fatal(err)
		}
		if got := StateOf(dir); got != Killed {
			t.Errorf("state %v of a file of %v", got, age)
		}
	}
}

// TestHalfLine: a line that is being written is given when it is whole.
func TestHalfLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	os.WriteFile(path, []byte("{\"t\":0}\n{\"t\":"), 0o644)
	lines, next, err := ReadFrom(dir, 0)
	if err != nil || len(lines) != 1 || next != 8 {
		t.Fatalf("%d lines, next %d, %v", len(lines), next, err)
	}
	os.WriteFile(path, []byte("{\"t\":0}\n{\"t\":1}\n"), 0o644)
	if lines, _, _ := ReadFrom(dir, next); len(lines) != 1 || string(lines[0]) != `{"t":1}` {
		t.Errorf("lines %s", lines)
	}
}
