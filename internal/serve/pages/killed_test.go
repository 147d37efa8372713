package pages

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/text/wait"
)

const killedVariable = "UPFLAB_TEST_KILLED_SERVER"

// stub is a program in place of upflab: it takes two seconds to end after SIGINT.
func stub(t *testing.T, mark string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "upflab")
	text := "#!/bin/sh\ntrap 'echo INT >> " + mark + "; n=done' INT\necho up >> " + mark +
		"\nwhile [ -z \"$n\" ]; do sleep 0.1; done\nsleep 2\necho end >> " + mark + "\n"
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

func waitFor(t *testing.T, mark, word string) {
	t.Helper()
	says := func() bool { said, _ := os.ReadFile(mark); return strings.Contains(string(said), word) }
	if !wait.Until(time.Minute, 20*time.Millisecond, says) {
		t.Fatalf("the run did not say %q", word)
	}
}

// TestKilledServer: SIGKILL of a server ends its run in order, and a server that is started
// meanwhile starts no second one beside it.
func TestKilledServer(t *testing.T) {
	asked := request{Scenario: "quick", DUTs: []string{"builtin:xdp"}}
	runner := func(program, dir string) *Runner {
		return &Runner{Program: program, Dir: dir, Scenarios: []string{asked.Scenario}, DUTs: asked.DUTs}
	}
	if of := os.Getenv(killedVariable); of != "" { // the server that is killed
		program, dir, _ := strings.Cut(of, "|")
		x := runner(program, dir)
		if _, err := x.Start(asked); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		select {}
	}
	dir, mark := t.TempDir(), filepath.Join(t.TempDir(), "mark")
	program := stub(t, mark)
	server := exec.Command(os.Args[0], "-test.run=^TestKilledServer$")
	server.Env = append(os.Environ(), killedVariable+"="+program+"|"+dir)
	server.Stdout = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, mark, "up")
	x := runner(program, dir)
	if _, err := x.Start(asked); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a second run beside the first: %v", err)
	}
	server.Process.Kill()
	server.Wait()
	waitFor(t, mark, "INT")
	if said, _ := os.ReadFile(mark); !strings.Contains(string(said), "end") {
		if _, err := x.Start(asked); err == nil {
			t.Error("a second run was started while the first ended")
		}
	}
	waitFor(t, mark, "end")
	var err error
	starts := func() bool { _, err = x.Start(asked); return err == nil }
	if !wait.Until(20*time.Second, 50*time.Millisecond, starts) {
		t.Fatalf("after the end of the first: %v", err)
	}
	x.Close()
}

// TestCarriageReturn: what is in a file of somebody else ends no line of an event.
func TestCarriageReturn(t *testing.T) {
	dir := folder(t)
	hostile := "{\"t\":0}\revent: over\rdata: true\r\rid: 7\n{\"t\":1,\"kind\":\"done\"}\n"
	if err := os.WriteFile(filepath.Join(dir, "night-00", live.FileName), []byte(hostile), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, Options{Loopback: true})
	_, body := get(t, s.Client(), s.URL+"/events/night-00")
	if strings.Contains(body, "\r") {
		t.Errorf("a carriage return came through: %q", body)
	}
}

// TestLiveLink: a link in place of the file of a run shows nothing of what it names.
func TestLiveLink(t *testing.T) {
	dir := folder(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("root:x:0\n"), 0o600), os.Symlink(secret, filepath.Join(dir, "night-00", live.FileName)),
		os.Mkdir(filepath.Join(dir, "linked"), 0o755), os.Symlink(secret, filepath.Join(dir, "linked", "result.json"))); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, Options{Loopback: true})
	for _, path := range []string{"/events/night-00", "/live/night-00", "/runs/linked", "/"} {
		r, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if strings.Contains(string(body), "root:x") || strings.Contains(string(body), "linked") && path == "/" ||
			r.StatusCode == http.StatusOK && path == "/live/night-00" {
			t.Errorf("%s: %d, %s", path, r.StatusCode, body)
		}
	}
}

// TestEventsOutliveTheLimit: the server's limit for reading a request does not end events.
func TestEventsOutliveTheLimit(t *testing.T) {
	dir := folder(t)
	path := filepath.Join(dir, "night-00", live.FileName)
	writeLine(t, path, `{"t":0,"kind":"plan"}`)
	x, err := history.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(New(x, Options{Loopback: true}))
	s.Config.ReadTimeout = 500 * time.Millisecond
	s.Start()
	defer s.Close()
	go func() {
		time.Sleep(2 * time.Second) // longer than the server's ReadTimeout
		writeLine(t, path, `{"t":1,"kind":"done"}`)
	}()
	if _, body := get(t, s.Client(), s.URL+"/events/night-00"); !strings.Contains(body, `"done"`) || !strings.Contains(body, "event: over") {
		t.Errorf("the events ended before the run: %q", body)
	}
}
