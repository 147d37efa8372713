package hub

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/wait"
)

// TestReadKeys runs a hub with keys that it may only read, as from a Secret in Kubernetes
// without the operator's pass, and lets somebody in later.
func TestReadKeys(t *testing.T) {
	home, mounted := filepath.Join(t.TempDir(), "hub"), t.TempDir()
	if err := Make(home, "hub.lab:4222"); err != nil {
		t.Fatal(err)
	}
	mount(t, home, mounted)
	h, err := Start(context.Background(), Config{Dir: t.TempDir(), Keys: mounted, Listen: "127.0.0.1:0", Lease: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	operator := &accessTo{t, h, OperatorPass(home)}
	operator.in()

	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- h.Serve(ctx, func(text string) { t.Log(text) }) }()
	defer func() { stop(); <-served }()
	pass := filepath.Join(t.TempDir(), "late.pass")
	if err := Add(home, "late", []string{"late"}, nil, pass); err != nil {
		t.Fatal(err)
	}
	late := &accessTo{t, h, pass}
	if err := late.try(); err == nil {
		t.Fatal("let in before the mounted list has it")
	}
	mount(t, home, mounted)
	late.in()
	operator.in()
}

// TestReadKeysMissing wants a sentence where a folder has no keys.
func TestReadKeysMissing(t *testing.T) {
	_, err := Start(context.Background(), Config{Dir: t.TempDir(), Keys: t.TempDir(), Listen: "127.0.0.1:0", Lease: time.Second})
	if err == nil || !strings.Contains(err.Error(), "makes a folder of keys") {
		t.Fatal(err)
	}
}

// mount puts what a hub needs of its keys into a folder, for reading, with a new time.
func mount(t *testing.T, from, to string) {
	t.Helper()
	for _, name := range []string{"hub.crt", "hub.key", "members.json"} {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			path := filepath.Join(to, name)
			_ = os.Remove(path)
			err = os.WriteFile(path, b, 0o440)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// accessTo a hub, wherever its pass says that it is.
type accessTo struct {
	t    *testing.T
	hub  *Hub
	pass string
}

func (a *accessTo) try() error {
	p, err := fleet.ReadPass(a.pass)
	if err != nil {
		a.t.Fatal(err)
	}
	p.URLs = []string{a.hub.broker.server.ClientURL()}
	c, err := fleet.Access{Pass: &p, Name: p.Name}.Connect()
	if err == nil {
		c.Close()
	}
	return err
}

// in wants to be let in within some seconds.
func (a *accessTo) in() {
	a.t.Helper()
	var err error
	if !wait.Until(5*time.Second, 100*time.Millisecond, func() bool { err = a.try(); return err == nil }) {
		a.t.Fatalf("%s: %v", a.pass, err)
	}
}
