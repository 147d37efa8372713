package calibration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/record"
)

var machine = record.Host{Hostname: "bench", Kernel: "6.12.1"}

var bench = record.Bench{Engine: "xdp", N3: "veth", N6: "veth"}

// today is when the tests read files.
var today = time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC)

func run(i int) between.Run {
	return between.Run{Started: time.Date(2026, 11, 21, i, 0, 0, 0, time.UTC),
		Readings: []between.Reading{{Figure: "rx_pps", Place: "uplink max", Value: 1e6 + float64(i%3)*1e4}}}
}

// TestRunsAreKept: runs of one device add up over calls, those of another device take their place, and another
// kernel is another machine.
func TestRunsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for i := range 6 {
		f, err := Load(dir, machine, today)
		if err != nil {
			t.Fatal(err)
		}
		if known := f.Calibration(bench) != nil; known != (i >= between.LeastRuns) {
			t.Errorf("%d runs: known %v", i, known)
		}
		f.Add("builtin:xdp", run(i))
		if err := f.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Load(dir, machine, today)
	if err != nil || len(f.Runs) != 6 || f.Device != "builtin:xdp" {
		t.Fatalf("%+v, %v", f, err)
	}
	if other, err := Load(dir, record.Host{Hostname: "bench", Kernel: "6.12.2"}, today); err != nil || len(other.Runs) > 0 {
		t.Errorf("another kernel: %+v, %v", other, err)
	}
	f.Add("builtin:tun", run(1))
	if len(f.Runs) != 1 {
		t.Errorf("%d runs of another device", len(f.Runs))
	}
	for i := range mostRuns + 5 {
		f.Add("builtin:tun", run(i))
	}
	if len(f.Runs) != mostRuns {
		t.Errorf("%d runs are kept", len(f.Runs))
	}
}

// whole is a file of this machine.
func whole(members string) string {
	return `{"schema":"` + Schema + `","machine":"` + machine.Fingerprint() + `",` + members + `}`
}

// TestDamagedFile: what cannot be read is named, with what to do.
func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	name := path(dir, machine.Fingerprint())
	for _, text := range []string{"", "{", `{"schema":"other"}`, `{"schema":"upflab.calibration/v1","machine":"0000"}`, "[]",
		whole(`"device":"\u001b[31m=cmd"`), whole(`"device":"a","runs":[{"readings":[{"figure":"rx_pps","place":"a","value":-1}]}]`),
		whole(`"device":"a","runs":[{"readings":[{"figure":"rx_pps","place":"a","value":1e300}]}]`)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Load(dir, machine, today)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "remove it") || f.Calibration(bench) != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzCalibration(f *testing.F) {
	f.Add(`{"schema":"upflab.calibration/v1","machine":"` + machine.Fingerprint() + `","runs":[{"readings":[{"figure":"rx_pps","place":"a","value":1}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		if err := os.WriteFile(path(dir, machine.Fingerprint()), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if file, err := Load(dir, machine, today); err == nil {
			_ = file.Calibration(bench)
		}
	})
}

// TestWhatCounts: a calibration is of one bench, for some time, and what does not count says why.
func TestWhatCounts(t *testing.T) {
	dir, day := t.TempDir(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f, err := Load(dir, machine, today)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		r := run(i)
		r.Bench = &bench
		r.Wire = []between.Reading{{Figure: "rx_pps", Place: "uplink max", Value: 2e6 + float64(i)}}
		f.Add("builtin:xdp", r)
	}
	if err := f.Save(dir); err != nil {
		t.Fatal(err)
	}
	c, why, err := Of(dir, machine, bench, day)
	if c == nil || why != "" || err != nil || len(c.Certificate) != 12 || *c.Bench != bench {
		t.Fatalf("%+v, %q, %v", c, why, err)
	}
	if want := (record.Level{Figure: "rx_pps", Place: "uplink max", Median: 2e6 + 2.5, Min: 2e6, Max: 2e6 + 5}); len(c.Wire) != 1 || c.Wire[0] != want {
		t.Errorf("wire: %+v", c.Wire)
	}
	for want, at := range map[string]struct {
		host  record.Host
		bench record.Bench
		now   time.Time
	}{
		"ended on 2027-02-19: its last run is of 2026-11-21":            {machine, bench, day.AddDate(0, 0, 91)},
		"calibrated for xdp over veth, and this run is by xdp over igb": {machine, record.Bench{Engine: "xdp", N3: "igb", N6: "igb"}, day},
		"expired, since this changed: kernel (6.12.1, now 6.12.2)":      {record.Host{Hostname: "bench", Kernel: "6.12.2"}, bench, day},
	} {
		c, why, err := Of(dir, at.host, at.bench, at.now)
		if c != nil || err != nil || !strings.Contains(why, want) {
			t.Errorf("%+v, %q, %v; want %q", c, why, err, want)
		}
	}
	if c, why, err := Of(t.TempDir(), machine, bench, day); c != nil || why != "" || err != nil {
		t.Errorf("never calibrated: %+v, %q, %v", c, why, err)
	}
	f.Runs[0].Readings[0].Value++
	if other := f.Calibration(bench); other.Certificate == c.Certificate {
		t.Error("other figures have the same certificate")
	}
	f.Runs[1].Bench = &record.Bench{Engine: "xdp\n", N3: "veth"}
	if f.check(today) == nil {
		t.Error("a bench of two lines is taken")
	}
}

// TestForgedFile: runs of the future, and traits of another machine, are refused.
func TestForgedFile(t *testing.T) {
	dir := t.TempDir()
	f, err := Load(dir, machine, today)
	if err != nil {
		t.Fatal(err)
	}
	f.Add("builtin:xdp", between.Run{Run: "late", Started: today.Add(2 * time.Hour)})
	if err := f.Save(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, machine, today); err == nil || !strings.Contains(err.Error(), "in the future") {
		t.Errorf("a run of the future: %v", err)
	}
	if _, err := Load(dir, machine, today.Add(3*time.Hour)); err != nil {
		t.Error(err)
	}
	f.Runs, f.Traits[1].Value = nil, "6.12.9"
	if err := f.Save(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, machine, today); err == nil || !strings.Contains(err.Error(), "its traits are of another one") {
		t.Errorf("traits of another machine: %v", err)
	}
}
