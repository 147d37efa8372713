package pages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/wait"
)

// sample is a result with one trial of wire and one of a UPF.
func sample(n int, pps float64) *record.Result {
	started := time.Date(2026, 1, 1+n, 2, 0, 0, 0, time.UTC)
	trial := func(pps float64) []record.Trial {
		return []record.Trial{{
			Kind: record.KindLoad, Direction: record.Uplink,
			PacketSize: record.PacketSize{Size: "1400", PayloadBytes: 1400, FrameBytes: 1486}, Sessions: 1,
			Repeat: 1, DurationS: 1,
			Traffic:   record.Traffic{TxPackets: 1000, RxPackets: 1000, TxPPS: pps, RxPPS: pps},
			Judgement: record.Judgement{LimitedBy: record.LimitDUT, Valid: true},
		}}
	}
	return &record.Result{Schema: record.Schema, Run: fmt.Sprint("r", n), Scenario: "nightly",
		Settings: "name: nightly\n", Started: started, Finished: started.Add(time.Minute), Complete: true,
		Host: record.Host{Hostname: "lab", CPU: "a CPU", CPUs: 2}, DUTs: []record.DUT{
			{Name: "wire", Reference: true, Status: record.StatusOK, Trials: trial(4e6)},
			{Name: "eupf", Mode: "native", Version: "v<script>alert(1)</script>", Status: record.StatusOK, Trials: trial(pps)}}}
}

// folder is a store with twelve nights; in the last four the UPF is slower.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for n := range 12 {
		pps := 2e6 + 1e3*float64(n%3)
		if n >= 8 {
			pps *= 0.9
		}
		path := filepath.Join(dir, fmt.Sprintf("night-%02d", n))
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := store.Save(path, sample(n, pps)); err != nil {
			t.Fatal(err)
		}
	}
	os.Mkdir(filepath.Join(dir, "cut"), 0o755)
	os.WriteFile(filepath.Join(dir, "cut", store.FileName), []byte(`{"schema":`), 0o644)
	return dir
}

func serve(t *testing.T, dir string, o Options) *httptest.Server {
	t.Helper()
	x, err := history.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if o.Patience == 0 {
		o.Patience = 2 * time.Minute // the machine may be busy
	}
	s := httptest.NewServer(New(x, o))
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, c *http.Client, address string) (int, string) {
	t.Helper()
	r, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	return r.StatusCode, bodyOf(t, r)
}

func bodyOf(t *testing.T, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestPages: each page shows what it is for, and nothing of a result gets into it as markup.
func TestPages(t *testing.T) {
	s := serve(t, folder(t), Options{Loopback: true})
	for path, wants := range map[string][]string{
		"/":                                 {"night-11", "What changed", "not read", `href="/runs/night-11"`},
		"/runs/night-03":                    {"eupf:native", "uplink"},
		"/history?scenario=nightly":         {"nightly on lab", "over the runs", "smallest step", "Smallest step"},
		"/compare":                          {"Compare two runs", "night-00"},
		"/compare?a=night-00&b=night-11":    {"B against A", "eupf:native"},
		"/compare?a=night-00&b=night-00":    {"a comparison needs two"},
		"/matrix":                           {"upflab run behaviour"},
		"/history?dut=none&scenario=absent": {"Too few runs"},
	} {
		status, body := get(t, s.Client(), s.URL+path)
		if status != http.StatusOK {
			t.Errorf("%s: status %d", path, status)
		}
		found := false
		for _, want := range wants {
			found = strings.Contains(body, want)
			if !found && want != "smallest step" {
				t.Errorf("%s: %q is not there", path, want)
			}
		}
		if strings.Contains(body, "<script>alert(1)") {
			t.Errorf("%s: a version became a script", path)
		}
	}
}

// TestNoOtherFiles: only runs of the index are shown, whatever a path says.
func TestNoOtherFiles(t *testing.T) {
	dir := folder(t)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	os.Mkdir(outside, 0o755)
	store.Save(outside, sample(1, 1e6))
	s := serve(t, dir, Options{Loopback: true})
	for _, path := range []string{"/runs/..%2foutside", "/runs/night-00/..%2f..%2foutside", "/runs/nowhere",
		"/live/nowhere", "/events/..%2foutside", "/runs/", "/etc/passwd", "/runs/%00"} {
		if status, _ := get(t, s.Client(), s.URL+path); status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, status)
		}
	}
}

// TestToken: elsewhere nothing is shown without the token.
func TestToken(t *testing.T) {
	s := serve(t, folder(t), Options{Token: "a long enough token"})
	if _, body := get(t, s.Client(), s.URL+"/"); !strings.Contains(body, "Token") || strings.Contains(body, "night-") {
		t.Error("runs are shown without the token")
	}
	jar, _ := cookiejar.New(nil)
	c := &http.Client{Jar: jar}
	for token, want := range map[string]bool{"wrong": false, "a long enough token": true} {
		r, err := c.PostForm(s.URL+"/login", url.Values{"token": {token}})
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if _, body := get(t, c, s.URL+"/"); strings.Contains(body, "night-") != want {
			t.Errorf("after %q: runs shown: %v", token, !want)
		}
		if want {
			break
		}
	}
	request, _ := http.NewRequest(http.MethodGet, s.URL+"/", nil)
	request.Header.Set("Authorization", "Bearer a long enough token")
	r, err := http.DefaultClient.Do(request)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("with the token in a header: %v %v", r, err)
	}
}

// TestNoRunFromElsewhere: only a form of this server starts a run.
func TestNoRunFromElsewhere(t *testing.T) {
	dir := folder(t)
	mark := filepath.Join(t.TempDir(), "started")
	program := filepath.Join(t.TempDir(), "upflab")
	os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\" > "+mark+"\n"), 0o755)
	s := serve(t, dir, Options{Loopback: true, Runs: &Runner{Program: program, Dir: dir, Scenarios: []string{"quick"},
		DUTs: []string{"builtin:xdp"}}})
	_, page := get(t, s.Client(), s.URL+"/start")
	form := formOf(page)
	post := func(form string, header map[string]string, more url.Values) int {
		values := url.Values{"form": {form}, "scenario": {"quick"}, "dut": {"builtin:xdp"}}
		for k, v := range more {
			values[k] = v
		}
		r, _ := http.NewRequest(http.MethodPost, s.URL+"/start", strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for k, v := range header {
			if k == "Host" {
				r.Host = v
			}
			r.Header.Set(k, v)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		answer, err := client.Do(r.WithContext(ctx))
		if err != nil {
			return 0 // it waits for the run's first line
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	for name, c := range map[string]struct {
		form   string
		header map[string]string
		more   url.Values
	}{
		"another site":          {form, map[string]string{"Sec-Fetch-Site": "cross-site"}, nil},
		"another site, by name": {form, map[string]string{"Origin": "https://evil.example"}, nil},
		"a sandbox":             {form, map[string]string{"Origin": "null"}, nil},
		"a name that was bent":  {form, map[string]string{"Host": "evil.example"}, nil},
		"no form":               {"", nil, nil},
		"a guessed form":        {"AAAAAAAAAAAAAAAAAAAAAAAAAA", nil, nil},
		"a scenario by path":    {form, nil, url.Values{"scenario": {"/etc/passwd"}}},
		"a UPF by path":         {form, nil, url.Values{"dut": {"external"}}},
		"a setting that runs":   {form, nil, url.Values{"loads": {"max --set external.ssh=x"}}},
	} {
		if status := post(c.form, c.header, c.more); status != http.StatusForbidden && status != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, status)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("a run was started from elsewhere")
	}
	post(form, map[string]string{"Origin": s.URL, "Sec-Fetch-Site": "same-origin"}, url.Values{"repeats": {"2"}})
	var said []byte
	if !wait.Until(5*time.Second, 50*time.Millisecond, func() bool { said, _ = os.ReadFile(mark); return len(said) > 0 }) {
		t.Error("no run was started by the server's own form")
	} else if !strings.HasPrefix(string(said), "run quick --dut builtin:xdp --set repeats=2 --out ") {
		t.Errorf("upflab %s", said)
	}
}

// TestEvents: what was before comes first, then what is new; an id goes on where it was.
func TestEvents(t *testing.T) {
	dir := folder(t)
	path := filepath.Join(dir, "night-00", live.FileName)
	os.WriteFile(path, []byte("{\"t\":0,\"kind\":\"plan\",\"trials\":2}\n{\"t\":1,\"kind\":\"done\"}\n"), 0o644)
	s := serve(t, dir, Options{Loopback: true})
	_, body := get(t, s.Client(), s.URL+"/events/night-00")
	if !strings.Contains(body, `data: {"t":0,"kind":"plan","trials":2}`) || !strings.Contains(body, "event: over\ndata: true") {
		t.Errorf("events\n%s", body)
	}
	request, _ := http.NewRequest(http.MethodGet, s.URL+"/events/night-00", nil)
	request.Header.Set("Last-Event-ID", "33")
	r, err := s.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	rest, _ := io.ReadAll(r.Body)
	if strings.Contains(string(rest), "plan") || !strings.Contains(string(rest), "done") {
		t.Errorf("from the second on:\n%s", rest)
	}
}

// TestStopTwice: a run is asked to end once, for it takes a second signal as a command to
// end at once; the server waits until it has.
func TestStopTwice(t *testing.T) {
	dir := t.TempDir()
	mark, program := filepath.Join(dir, "signals"), filepath.Join(dir, "upflab")
	os.WriteFile(program, []byte("#!/bin/sh\ntrap 'echo x >> "+mark+"; n=done' INT\necho > "+mark+".up\n"+
		"while [ -z \"$n\" ]; do sleep 0.1; done\nsleep 0.5\n"), 0o755)
	x := &Runner{Program: program, Dir: dir, Scenarios: []string{"quick"}, DUTs: []string{"builtin:xdp"}}
	path, err := x.Start(request{Scenario: "quick", DUTs: []string{"builtin:xdp"}})
	if err != nil {
		t.Fatal(err)
	}
	if !x.owns(filepath.Join(dir, path)) {
		t.Error("the run is not the server's")
	}
	wait.Until(4*time.Second, 20*time.Millisecond, func() bool { _, err := os.Stat(mark + ".up"); return err == nil })
	x.Stop()
	wait.Until(4*time.Second, 20*time.Millisecond, func() bool { _, err := os.Stat(mark); return err == nil })
	x.Close()
	if said, _ := os.ReadFile(mark); string(said) != "x\n" {
		t.Errorf("signals: %q, wanted one", said)
	}
	if x.owns(filepath.Join(dir, path)) {
		t.Error("the run is under way after Close")
	}
}

// TestTwoServers on one folder: both show what comes and what goes, and neither loses a run.
func TestTwoServers(t *testing.T) {
	dir := folder(t)
	a, b := serve(t, dir, Options{Loopback: true}), serve(t, dir, Options{Loopback: true})
	for n := 20; n < 23; n++ {
		path := filepath.Join(dir, fmt.Sprintf("night-%02d", n))
		if err := errors.Join(os.Mkdir(path, 0o755), store.Save(path, sample(n, 1e6))); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*httptest.Server{a, b, a} { // the second reads what the first wrote into the index
			if status, body := get(t, s.Client(), s.URL+"/history"); status != http.StatusOK ||
				!strings.Contains(body, fmt.Sprintf("night-%02d", n)) || strings.Contains(body, "in memory") {
				t.Errorf("night-%02d: status %d", n, status)
			}
		}
	}
	os.RemoveAll(filepath.Join(dir, "night-21"))
	get(t, a.Client(), a.URL+"/history")
	if _, body := get(t, b.Client(), b.URL+"/history"); strings.Contains(body, "night-21") || !strings.Contains(body, "night-22") {
		t.Error("a run that was removed is still shown, or another one is not")
	}
}

// TestIndexIsRemoved: a server whose index somebody removes goes on, and loses nothing.
func TestIndexIsRemoved(t *testing.T) {
	dir := folder(t)
	s := serve(t, dir, Options{Loopback: true})
	get(t, s.Client(), s.URL+"/")
	for _, name := range []string{"", "-wal", "-shm", "-journal"} {
		os.Remove(filepath.Join(dir, history.IndexName+name))
	}
	path := filepath.Join(dir, "late")
	if err := errors.Join(os.Mkdir(path, 0o755), store.Save(path, sample(30, 1e6))); err != nil {
		t.Fatal(err)
	}
	if status, body := get(t, s.Client(), s.URL+"/"); status != http.StatusOK ||
		!strings.Contains(body, "/runs/late") || !strings.Contains(body, "/runs/night-00") {
		t.Errorf("status %d", status)
	}
}
