package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// table is computed by hand: an M/M/1 queue of 200,000 packets/s and 5 us of delay.
const table = "testdata/model/mm1.csv"

func TestModelFitOfATable(t *testing.T) {
	status, out, errors := typed("model", "fit", table, "--arrivals", "poisson", "--p99", "100us")
	if status != 0 || errors != "" {
		t.Fatalf("status %d: %s", status, errors)
	}
	golden(t, "model/fit.txt", out)
}

func TestModelPredict(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--load", "150k"}, "M/M/1: mean 25 µs, p95 64.9 µs, p99 97.1 µs, loss 0 %"},
		{[]string{"--p99", "100us"}, "up to 151.5 kpps"},
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
		"no unit":        {[]string{"fit", write("load_kpps,p99,loss_percent\n1,2,3\n")}, 1, "p99_us"},
		"no loss":        {[]string{"fit", write("load_kpps,p99_us\n1,2\n")}, 1, "loss"},
		"few loads":      {[]string{"fit", write("load_kpps,p99_us,loss_percent\n1,2,0\n")}, 1, "too few loads"},
		"no file":        {[]string{"fit", "/nowhere.csv"}, 1, "/nowhere.csv"},
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
