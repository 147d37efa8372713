package pages

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

var largeRuns = flag.Int("runs", 60, "how many runs TestLargeStore makes")

// large is a store with many runs of one scenario on one machine, each with wire, three
// UPFs, two directions, two loads and their latencies.
func large(t *testing.T, runs int) string {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 1))
	for n := range runs {
		r := sample(n, 2e6)
		r.Started = time.Date(2018, 1, 1+n, 2, 0, 0, 0, time.UTC)
		r.Finished = r.Started.Add(time.Minute)
		r.DUTs = nil
		for i, name := range []string{"wire", "builtin", "eupf", "open5gs"} {
			d := record.DUT{Name: name, Reference: i == 0, Status: record.StatusOK}
			for _, direction := range []record.Direction{record.Uplink, record.Downlink} {
				for _, load := range []record.Load{{PPS: 150e3}, {}} {
					pps := 4e6 / float64(i+1) * (1 + 0.01*rng.NormFloat64())
					d.Trials = append(d.Trials, record.Trial{
						Kind: record.KindLoad, Direction: direction, Load: load,
						PacketSize: record.PacketSize{Size: "1400", PayloadBytes: 1400, FrameBytes: 1486}, Sessions: 1,
						Repeat: 1, DurationS: 1,
						Traffic: record.Traffic{
							TxPackets: 1000, RxPackets: 1000, TxPPS: pps, RxPPS: pps,
							Latency: &record.Latency{P50: uint64(2000 + 40*rng.NormFloat64()), P99: uint64(9000 + 300*rng.NormFloat64())},
						},
						Judgement: record.Judgement{LimitedBy: record.LimitDUT, Valid: true},
					})
				}
			}
			r.DUTs = append(r.DUTs, d)
		}
		path := filepath.Join(dir, fmt.Sprintf("night-%05d", n))
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r) // without the sync of store.Save, which takes minutes of thousands
		if err := errors.Join(err, os.WriteFile(filepath.Join(path, store.FileName), text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// huge adds two results of others: one of 256 MB, and one of 14 MB with as many trials as
// are read.
func huge(t *testing.T, dir string) {
	t.Helper()
	head := `{"schema":"` + record.Schema +
		`","run":"x","scenario":"nightly","started":"2031-01-01T00:00:00Z","duts":[{"name":"eupf","status":"ok","trials":[`
	trial := `{"kind":"load","direction":"uplink","load_pps":150000,"size":"1400","repeat":1,"valid":true,"rx_pps":1e6,"tx_pps":1e6,"tx_packets":1000,"rx_packets":1000,"note":"` + strings.Repeat("x", 1200) + `"},`
	for name, n := range map[string]int{"huge": 256 << 20 / len(trial), "long": 9_990} {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(path, store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		w.WriteString(head)
		for range n {
			w.WriteString(trial)
		}
		w.WriteString("{}]}]}")
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// resident gives the most memory, bytes, that this process had since forget.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	var kb int
	fmt.Sscan(after, &kb)
	return kb << 10
}

func forget(t *testing.T) {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log(err)
	}
}

// untilRead looks at the overview until all results have been read. It does not wait for
// that: on an idle machine each time takes less than a second.
func untilRead(t *testing.T, s *httptest.Server) {
	t.Helper()
	begun, worst := time.Now(), time.Duration(0)
	for {
		start := time.Now()
		status, body := get(t, s.Client(), s.URL+"/")
		worst = max(worst, time.Since(start))
		if status != http.StatusOK {
			t.Fatalf("/: status %d", status)
		}
		if !strings.Contains(body, "Results are being read") {
			if !strings.Contains(body, "it is too large") {
				t.Error("the result of 256 MB is not named")
			}
			break
		}
	}
	t.Logf("all results are read after %.1f s; meanwhile the overview took %.3f s at most, %d MB resident at most",
		time.Since(begun).Seconds(), worst.Seconds(), resident(t)>>20)
	if worst > 20*time.Second { // a busy machine
		t.Errorf("the overview took %s", worst)
	}
}

// TestLargeStore prints how long pages of a large store take, figures of docs/reference/measured.csv:
//
//	go test -run TestLargeStore -v -count=1 ./internal/serve/pages -runs 3000
func TestLargeStore(t *testing.T) {
	dir := large(t, *largeRuns)
	huge(t, dir)
	forget(t)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(Memory))
	s := serve(t, dir, Options{Loopback: true, Patience: patience})
	untilRead(t, s)
	for _, page := range []struct{ what, path string }{
		{"runs, again", "/"}, {"history", "/history"}, {"one UPF's history, first", "/history?dut=eupf"},
		{"one UPF's history, again", "/history?dut=eupf"}, {"history of all runs", "/history?runs=all"},
		{"a run", "/runs/night-00003"}, {"a run of 10 000 trials", "/runs/long"}, {"choosing two", "/compare"},
	} {
		start := time.Now()
		status, body := get(t, s.Client(), s.URL+page.path)
		t.Logf("%-34s %8.3f s %9d octets %5d MB resident at most", page.what, time.Since(start).Seconds(), len(body), resident(t)>>20)
		if status != http.StatusOK {
			t.Errorf("%s: status %d", page.path, status)
		}
	}
	// No page takes more memory than the service may have.
	if most := resident(t); most > 300<<20 {
		t.Errorf("%d MB resident", most>>20)
	}
	// A run that comes is there with the next page.
	late := sample(*largeRuns+1, 2e6)
	late.Run = "late"
	os.Mkdir(filepath.Join(dir, "late"), 0o755)
	if err := store.Save(filepath.Join(dir, "late"), late); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if status, _ := get(t, s.Client(), s.URL+"/runs/late"); status != http.StatusOK {
		t.Errorf("a run that came: status %d", status)
	}
	get(t, s.Client(), s.URL+"/history")
	t.Logf("history after a run more, that run first: %.3f s", time.Since(start).Seconds())
}
