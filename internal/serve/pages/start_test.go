package pages

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
)

// starter is a Runner whose program ends at once.
func starter(t *testing.T, dir string) *Runner {
	t.Helper()
	program := filepath.Join(t.TempDir(), "upflab")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	x := &Runner{Program: program, Dir: dir, Scenarios: []string{"quick", "ndr"}, DUTs: []string{"builtin:xdp", "container:eupf"}}
	t.Cleanup(x.Close)
	return x
}

// TestFormTakesWhatTheScenarioTakes: the scenario's parser alone judges the values of the form.
func TestFormTakesWhatTheScenarioTakes(t *testing.T) {
	x := starter(t, t.TempDir())
	for _, c := range []struct {
		key, value string
		taken      bool
	}{
		{"loads", "50k,max", true}, {"loads", "max", true}, {"loads", "1.5M", true}, {"loads", "960kpps, 1M", true}, {"loads", "150000", true},
		{"loads", "[100k, 200k]", true}, {"loads", "50q", false}, {"loads", "1m", false}, {"loads", "max --set external.ssh=x", false},
		{"duration", "1m30s", true}, {"duration", "2.5s", true}, {"duration", "soon", false},
		{"directions", "uplink, both", true}, {"directions", "sideways", false},
		{"search.preset", "csit", true}, {"search.preset", "exact", false},
		{"thresholds", "latency.p99 < 100us @ uplink, rx_pps >= 80% of wire", true}, {"thresholds", "latency < fast", false},
		{"repeats", "0", false}, {"sessions", "1000", true},
	} {
		args, _, err := x.arguments(request{Scenario: "quick", DUTs: []string{"builtin:xdp"}, Settings: map[string]string{c.key: c.value}})
		if (err == nil) != c.taken {
			t.Errorf("%s=%q: taken %v, want %v: %v", c.key, c.value, err == nil, c.taken, err)
		}
		if c.taken && !slices.Contains(args, c.key+"="+c.value) {
			t.Errorf("%s=%q became %q", c.key, c.value, args)
		}
		var at refused
		if !c.taken && (!errors.As(err, &at) || at.Key != c.key || strings.Contains(err.Error(), "--set "+c.key)) {
			t.Errorf("%s=%q: the error is not for a form: %v", c.key, c.value, err)
		}
	}
	args, _, err := x.arguments(request{Scenario: "quick", DUTs: []string{"container:eupf"}, Pull: true})
	if err != nil || !slices.Equal(args, []string{"run", "quick", "--dut", "container:eupf", "--pull"}) {
		t.Errorf("with images to be downloaded: %q, %v", args, err)
	}
	x.Plan = func(*scenario.Scenario, []string) (Outline, error) { return Outline{}, errors.New("not with this UPF") }
	if _, _, err := x.arguments(fresh()); err == nil || err.Error() != "not with this UPF" {
		t.Errorf("what `upflab run` refuses was taken: %v", err)
	}
}

// TestFormJudgesSettingsTogether: what `upflab run` takes of several settings the form takes, also where
// one of them alone would be refused; and what is wrong among several is at its field.
func TestFormJudgesSettingsTogether(t *testing.T) {
	x := starter(t, t.TempDir())
	at := "rx_pps >= 1 @ 500k"
	q := request{Scenario: "quick", DUTs: []string{"builtin:xdp"}, Settings: map[string]string{"thresholds": at}}
	var of refused
	if _, _, err := x.arguments(q); !errors.As(err, &of) || of.Key != "thresholds" {
		t.Errorf("a threshold at a load that is not measured: %+v", err)
	}
	q.Settings["loads"] = "500k"
	args, _, err := x.arguments(q)
	want := []string{"run", "quick", "--dut", "builtin:xdp", "--set", "loads=500k", "--set", "thresholds=" + at}
	if err != nil || !slices.Equal(args, want) {
		t.Errorf("arguments %q, %v", args, err)
	}
	q.Settings["duration"] = "soon"
	if _, _, err := x.arguments(q); !errors.As(err, &of) || of.Key != "duration" {
		t.Errorf("a bad duration among good settings: %+v", err)
	}
}

// TestFormKeepsWhatWasTyped: a request that is refused comes back whole, with the reason.
func TestFormKeepsWhatWasTyped(t *testing.T) {
	dir := folder(t)
	s := serve(t, dir, Options{Loopback: true, Runs: starter(t, dir)})
	_, page := get(t, s.Client(), s.URL+"/start")
	form := formOf(page)
	typed := url.Values{"form": {form}, "scenario": {"ndr"}, "dut": {"container:eupf"}, "loads": {"50k,max,<b>"}, "duration": {"7s"},
		"search.preset": {"csit"}, "thresholds": {"rx_pps >= 1M"}, "pull": {"yes"}}
	r, err := s.Client().PostForm(s.URL+"/start", typed)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body := bodyOf(t, r)
	if r.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", r.StatusCode)
	}
	policed(t, r)
	for _, want := range []string{`<option selected>ndr`, `value="container:eupf" checked`,
		`name="loads" value="50k,max,&lt;b&gt;"`, `aria-invalid="true"`,
		`name="duration" value="7s"`, `<option selected>csit`, `value="rx_pps &gt;= 1M"`, `name="pull" value="yes" checked`,
		`role="alert"`, "loads takes a list of rates"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in the form", want)
		}
	}
	if strings.Contains(body, `value="builtin:xdp" checked`) || strings.Contains(body, "<b>\"") {
		t.Error("the form has what was not typed, or what was typed as markup")
	}
}

// policed fails where a page has no security policy, or no type.
func policed(t *testing.T, r *http.Response) {
	t.Helper()
	if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
		r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%s, status %d: policy %q, type %q", r.Request.URL, r.StatusCode, policy, r.Header.Get("Content-Type"))
	}
}

// TestErrorsArePoliced: a page that says what is wrong has the security policy of all others.
func TestErrorsArePoliced(t *testing.T) {
	s := serve(t, folder(t), Options{Token: "secret"})
	r, err := s.Client().PostForm(s.URL+"/login", url.Values{"token": {"guess"}})
	if err != nil || r.StatusCode != http.StatusForbidden {
		t.Fatalf("%v, %v", r, err)
	}
	defer r.Body.Close()
	policed(t, r)
	open := serve(t, folder(t), Options{Loopback: true})
	if r, err = open.Client().Get(open.URL + "/runs/nowhere"); err != nil || r.StatusCode != http.StatusNotFound {
		t.Fatalf("%v, %v", r, err)
	}
	defer r.Body.Close()
	policed(t, r)
}

// formOf is the secret of the forms of a page.
func formOf(page string) string {
	_, after, _ := strings.Cut(page, `name="form" value="`)
	form, _, _ := strings.Cut(after, `"`)
	return form
}

// TestLastFollowsTheForm: the link to the newest run leads to the one that was started here.
func TestLastFollowsTheForm(t *testing.T) {
	dir := t.TempDir()
	x := starter(t, dir)
	for range 2 {
		path, err := x.Start(fresh())
		if err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(filepath.Join(dir, store.LastName)); err != nil || to != path {
			t.Errorf("%s leads to %q, and the run is in %q: %v", store.LastName, to, path, err)
		}
		<-x.ended
	}
}

// TestFormSaysHowLong: the form has the estimate of `upflab run --dry-run` before a run starts, of the values
// that were typed; to ask for it starts nothing. An example is not where a value goes.
func TestFormSaysHowLong(t *testing.T) {
	dir := folder(t)
	x := starter(t, dir)
	x.Plan = func(s *scenario.Scenario, duts []string) (Outline, error) {
		return Outline{Visits: s.Repeats * (1 + len(duts)), Trials: 4, Takes: time.Duration(s.Repeats) * 36 * time.Second, Longer: true}, nil
	}
	s := serve(t, dir, Options{Loopback: true, Runs: x})
	_, page := get(t, s.Client(), s.URL+"/start")
	if want := "About 36s, for 2 visits of 4 trials; trials that the machine disturbs last longer"; !strings.Contains(page, want) {
		t.Errorf("%q is not in the form", want)
	}
	if strings.Contains(page, "placeholder") || !strings.Contains(page, "for example 1M,1.5M,max") {
		t.Error("an example looks like a value")
	}
	r, err := s.Client().PostForm(s.URL+"/start", url.Values{"form": {formOf(page)}, "scenario": {"quick"}, "dut": {"builtin:xdp"},
		"repeats": {"5"}, "estimate": {"yes"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body := bodyOf(t, r)
	if r.StatusCode != http.StatusOK || !strings.Contains(body, "About 3m0s, for 10 visits") || !strings.Contains(body, `name="repeats" value="5"`) {
		t.Errorf("status %d: the estimate of five repeats is not in the form with them", r.StatusCode)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.folder != "" {
		t.Errorf("asking for the estimate started a run in %s", x.folder)
	}
}

// TestReadersHoldNoLock: a lock of somebody who can only read the results keeps nobody from a run, and nobody
// else can open the lock that counts.
func TestReadersHoldNoLock(t *testing.T) {
	dir := t.TempDir()
	reader, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := syscall.Flock(int(reader.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	x := starter(t, dir)
	if _, err := x.Start(fresh()); err != nil {
		t.Fatal(err)
	}
	<-x.ended
	if s, err := os.Stat(filepath.Join(dir, lockName)); err != nil || s.Mode().Perm() != 0o600 {
		t.Errorf("the lock: %v, %v", s, err)
	}
}
