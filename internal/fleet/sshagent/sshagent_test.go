package sshagent

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// TestRun: program and pass arrive whole, the program sees the end of the connection,
// and nothing stays. A script takes the place of ssh, and one that of sudo.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("sudo", "#!/bin/sh\nshift\nexec \"$@\"\n")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ssh := write("ssh", "#!/bin/sh\nshift\nexec sh -c \"$1\"\n")
	program := write("program", "#!/bin/sh\necho \"$0 $*\"; cat \"$4\"; cat; echo over\n")
	pass := write("pass", "the secret\n"+strings.Repeat("x", 100_000)+"\n")
	var out output
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Config{Host: "rack1", Command: []string{ssh}, Program: program, Pass: pass,
			Args: []string{"--testbed", "it's"}, Out: &out})
	}()
	wait.Until(20*time.Second, 10*time.Millisecond, func() bool { return strings.Contains(out.String(), "xx\n") })
	text := out.String()
	if strings.Contains(text, "over") || !strings.Contains(text, "the secret") || !strings.Contains(text, "--testbed it's") {
		t.Errorf("it said %.200q", text)
	}
	where := filepath.Dir(strings.Fields(text)[0])
	if _, err := os.Stat(where); err != nil {
		t.Errorf("its folder: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.HasSuffix(out.String(), "over\n") {
		t.Errorf("it ended before it saw the end: %.200q", out.String())
	}
	if _, err := os.Stat(where); !os.IsNotExist(err) {
		t.Errorf("%s is left", where)
	}
}

// TestCheckHost: ssh reads a word that begins with a hyphen as an option, and one option starts a program.
func TestCheckHost(t *testing.T) {
	for host, want := range map[string]bool{
		"rack1": true, "root@rack1": true, "lab@10.0.0.1": true, "root@fe80::1%eth0": true, "ssh://root@[2001:db8::1]:2222": true,
		`DOMAIN\user@rack1.example.org`: true, "_gateway": true,
		"": false, "-oProxyCommand=id": false, "root@-oProxyCommand=id": false, "-l@rack1": false, "ssh://-oProxyCommand=id": false,
		"rack1 -oProxyCommand=id": false, "rack1;id": false, "$(id)@rack1": false, "`id`": false, "rack1\n": false, "\x1b[2J": false,
	} {
		if err := CheckHost(host); (err == nil) != want {
			t.Errorf("%q: %v", host, err)
		} else if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("the error of %q has what a terminal obeys", host)
		}
	}
}
