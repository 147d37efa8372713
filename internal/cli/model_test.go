package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// Table is computed by hand: an M/M/1 queue of 200,000 packets/s and 5 us of delay.
const table = "testdata/model/mm1.csv"

func TestModelFitOfATable(t *testing.T) {
	status, out, errors := typed("model", "fit", table, "--arrivals", "poisson", "--p99", "100us")
	if status != 0 || errors != "" {
		t.Fatalf("status %d: %s", status, errors)
	}
	clitest.Golden(t, "model/fit.txt", out)
}

func TestModelPredict(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--load", "150k"}, "M/M/1: mean 25 µs, p95 64.9 µs, p99 97.1 µs, loss 0 %"},
		{[]string{"--p99", "100us"}, "up to 149.6 kpps (the lower limit of the 95 % interval; 151.5 kpps is likeliest"},
		{[]string{"--load", "300k"}, "overloaded"},
	} {
		status, out, errors := typed(append([]string{"model", "predict", table, "--arrivals", "poisson"}, c.args...)...)
		if status != 0 || strings.Count(out, "\n") != 1 || !strings.Contains(out, c.want) {
			t.Errorf("%v: status %d, %q, %s; want %q", c.args, status, out, errors, c.want)
		}
	}
}

func TestModelOfBadInput(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "bad.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for why, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"no unit":        {[]string{"fit", write("load_kpps,p99,loss_percent\n1,2,3\n")}, 2, "p99_us"},
		"no loss":        {[]string{"fit", write("load_kpps,p99_us\n1,2\n")}, 2, "loss"},
		"few loads":      {[]string{"fit", write("load_kpps,p99_us,loss_percent\n1,2,0\n")}, 1, "too few loads"},
		"no file":        {[]string{"fit", "/nowhere.csv"}, 2, "/nowhere.csv"},
		"not a table":    {[]string{"fit", "model_test.go"}, 2, "ends in .csv"},
		"arrivals":       {[]string{"fit", table, "--arrivals", "sometimes"}, 2, "poisson, constant or bursts"},
		"another model":  {[]string{"fit", table, "--models", "M/X/9"}, 1, "M/X/9"},
		"nothing to do":  {[]string{"predict", table}, 2, "--load"},
		"twice to do":    {[]string{"predict", table, "--load", "1k", "--p99", "1ms"}, 2, "--load"},
		"load of words":  {[]string{"predict", table, "--load", "much"}, 2, "not a rate"},
		"too much asked": {[]string{"predict", table, "--p99", "1us"}, 1, "target"},
	} {
		status, _, errors := typed(append([]string{"model"}, c.args...)...)
		if status != c.status || !strings.Contains(errors, c.want) {
			t.Errorf("%s: status %d, %q; want %d and %q", why, status, errors, c.status, c.want)
		}
	}
}

// storedSweep writes the sweep of a stored result, changed, and gives its folder.
func storedSweep(t *testing.T, change func(*record.Result)) string {
	t.Helper()
	r, err := store.Load("../report/render/testdata/sweep.json")
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	dir := t.TempDir()
	if err := store.Save(dir, r); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestModelFitOfAResult: models are written into the result, with the targets that it
// had, and a reference has none.
func TestModelFitOfAResult(t *testing.T) {
	dir := storedSweep(t, func(r *record.Result) {
		wire := r.DUTs[0]
		wire.Name, wire.Mode, wire.Reference, wire.Models, wire.SafeLoads = "wire", "", true, nil, nil
		r.DUTs[0].Models = nil
		r.DUTs = append(r.DUTs, wire)
	})
	if status, out, errors := typed("model", "fit", dir, "--models", "M/M/1,M/M/1/K"); status != 0 ||
		!strings.Contains(out, "Safe load 147.76 kpps") {
		t.Fatalf("status %d: %s%s", status, out, errors)
	}
	r, err := store.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := r.DUTs[0]
	if len(d.Models) != 2 || !d.Models[0].Chosen || len(d.SafeLoads) != 1 || d.SafeLoads[0].Target.P99NS != 100e3 ||
		len(r.DUTs[1].Models) > 0 {
		t.Errorf("%d models, safe loads %+v, %d models of wire", len(d.Models), d.SafeLoads, len(r.DUTs[1].Models))
	}
}

// TestModelPredictOfAResult: a line for each stream; one without a model does not keep
// the others from an answer.
func TestModelPredictOfAResult(t *testing.T) {
	dir := storedSweep(t, func(r *record.Result) {
		down := r.DUTs[0].Trials[0]
		down.Direction = record.Downlink
		r.DUTs[0].Trials = append(r.DUTs[0].Trials, down)
	})
	status, out, errors := typed("model", "predict", dir, "--p99", "100us", "--models", "M/M/1/K")
	if status != 0 || strings.Count(out, "\n") != 2 ||
		!strings.Contains(out,
			"builtin:xdp uplink, Poisson arrivals: up to 147.8 kpps (the lower limit of the 95 % interval; 148.5 kpps "+
				"is likeliest") ||
		!strings.Contains(out, "builtin:xdp downlink, Poisson arrivals: too few loads") {
		t.Errorf("status %d: %s%s", status, out, errors)
	}
	status, _, errors = typed("model", "predict", dir, "--p99", "100us", "--direction", "downlink")
	if status != 1 || !strings.Contains(errors, "too few loads") || !strings.Contains(errors, "upflab model fit") {
		t.Errorf("status %d: %s", status, errors)
	}
}
