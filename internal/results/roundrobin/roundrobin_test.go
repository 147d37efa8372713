package roundrobin

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

const settings = "loads: [max]\nduration: 1s\ncpu:\n  dut: 1\n"

// laboratory makes the folder of a laboratory with so many runs, each with one rate.
func laboratory(t *testing.T, name, settings string, rates ...float64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	l := Lab{Name: name, Protocol: "p", Machine: name, Upflab: "1"}
	for i, pps := range rates {
		run := fmt.Sprintf("run-%d", i)
		trial := record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Repeat: 1, Traffic: record.Traffic{RxPPS: pps},
			Judgement: record.Judgement{Valid: pps > 0}}
		r := &record.Result{Settings: settings, DUTs: []record.DUT{{Name: "wire", Reference: true, Trials: []record.Trial{trial}},
			{Name: "builtin", Mode: "xdp", Version: "1", Status: record.StatusOK, Trials: []record.Trial{trial}}}}
		if err := os.MkdirAll(filepath.Join(dir, run), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := store.Save(filepath.Join(dir, run), r); err != nil {
			t.Fatal(err)
		}
		l.Runs = append(l.Runs, run)
	}
	if err := l.Save(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRead: two laboratories of 9, 11 and 15, 16, 17: by hand s_r^2 is 4/3 and s_L^2 17.444. Another CPU is no other method.
func TestRead(t *testing.T) {
	rep, err := Read([]string{laboratory(t, "a", settings, 9, 11), laboratory(t, "b", strings.Replace(settings, "dut: 1", "dut: 3", 1), 15, 16, 17)})
	if err != nil || len(rep.Rows) != 1 {
		t.Fatalf("%+v, %v", rep, err)
	}
	row := rep.Rows[0]
	if row.DUT != "builtin:xdp" || row.Figure != "rx_pps" || math.Abs(row.Of.SR*row.Of.SR-4.0/3) > 1e-9 || math.Abs(row.Of.SL*row.Of.SL-17.4444) > 1e-3 {
		t.Errorf("%+v", row)
	}
	if len(rep.Doubts) != 2 || !strings.Contains(rep.Doubts[1], "8 to 15") {
		t.Errorf("%q", rep.Doubts)
	}
}

// TestCounted: numbers of instructions are compared too, and that a machine was emulated is said of times alone.
func TestCounted(t *testing.T) {
	of := func(name string, vm record.VM, each ...float64) string {
		dir := laboratory(t, name, settings, make([]float64, len(each))...)
		for i, n := range each {
			at := filepath.Join(dir, fmt.Sprintf("run-%d", i))
			r, err := store.Load(at)
			if err != nil {
				t.Fatal(err)
			}
			r.VM, r.DUTs[1].Trials = &vm, nil
			r.DUTs[1].Instructions = []record.Instructions{{Direction: record.Uplink, Repeat: 1, Each: n, Program: 563, Valid: true}}
			if err := store.Save(at, r); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	rep, err := Read([]string{of("a", record.VM{Accel: "tcg", Counts: true}, 450, 454), of("b", record.VM{Accel: "tcg"}, 452, 452)})
	if err != nil || len(rep.Rows) != 2 || rep.Rows[0].Figure != "instructions_per_packet" || rep.Rows[0].Of.Mean != 452 ||
		rep.Rows[1].Figure != "program_instructions_per_packet" || rep.Rows[1].Of.Reproducibility != 0 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if said := strings.Join(rep.Doubts, "; "); strings.Count(said, "emulated") != 1 || !strings.Contains(said, "laboratory b measured in a machine that was emulated") {
		t.Errorf("%q", said)
	}
}

// TestSparedEmulated: what upflab spares a machine that is emulated is no other method, and is one elsewhere.
func TestSparedEmulated(t *testing.T) {
	here := &record.Result{Settings: settings + "disturbed: exclude\nattempts: 3\n"}
	there := &record.Result{Settings: settings + "disturbed: keep\nattempts: 1\n"}
	if err := sameMethod(here, there); err == nil {
		t.Error("windows that count here do not count there, and nothing is said")
	}
	there.VM = &record.VM{Accel: "tcg"}
	if err := sameMethod(here, there); err != nil {
		t.Error(err)
	}
	if err := sameMethod(here, &record.Result{VM: there.VM, Settings: strings.Replace(there.Settings, "1s", "2s", 1)}); err == nil {
		t.Error("another duration is no other method")
	}
}

// TestLeftOut: a laboratory with one valid result is named and not in the figure.
func TestLeftOut(t *testing.T) {
	rep, err := Read([]string{laboratory(t, "a", settings, 9, 11), laboratory(t, "b", settings, 15, 16), laboratory(t, "c", settings, 15, 0)})
	if err != nil || len(rep.Rows) != 1 || rep.Rows[0].Of.Labs != 2 || !strings.Contains(strings.Join(rep.Doubts, "\n"), "laboratory c has 1 valid result") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestRefused: what is no laboratory, or did something else.
func TestRefused(t *testing.T) {
	a := laboratory(t, "a", settings, 9, 11)
	other := laboratory(t, "b", strings.Replace(settings, "1s", "2s", 1), 9, 11)
	far := laboratory(t, "c", settings, 9, 11)
	l, err := LoadLab(far)
	if err != nil {
		t.Fatal(err)
	}
	l.Protocol = "q"
	if err := l.Save(far); err != nil {
		t.Fatal(err)
	}
	climbing := laboratory(t, "d", settings, 9, 11)
	l.Runs = []string{"../a"}
	if err := l.Save(climbing); err != nil {
		t.Fatal(err)
	}
	for want, dirs := range map[string][]string{
		"not the method of the others: duration": {a, other},
		"they did not do the same":               {a, far},
		"both of laboratory a":                   {a, a},
		"no folder in it":                        {a, climbing},
		"`upflab roundrobin run` makes one":      {a, t.TempDir()},
	} {
		if rep, err := Read(dirs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %+v, %v; want %q", dirs, rep, err, want)
		}
	}
}

// TestProtocol: what was packed is read; an edited scenario and a folder in use are refused.
func TestProtocol(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if err := Pack(dir, Protocol{DUTs: []string{"builtin:xdp"}, Runs: 3}, []byte(settings)); err != nil {
		t.Fatal(err)
	}
	p, path, err := Load(dir)
	if err != nil || p.Runs != 3 || path != filepath.Join(dir, ScenarioFile) || len(p.ID()) != 16 {
		t.Fatalf("%+v, %q, %v", p, path, err)
	}
	if err := Pack(dir, p, nil); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("packed twice: %v", err)
	}
	if err := os.WriteFile(path, []byte(settings+"sessions: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "ask for the folder again") {
		t.Errorf("edited: %v", err)
	}
	for _, text := range []string{"", "{}", `{"schema":"upflab.roundrobin/v1","runs":100000,"duts":["a"]}`} {
		if err := os.WriteFile(filepath.Join(dir, ProtocolFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(dir); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
