package hub

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
)

// TestMake makes a hub's keys, then runs it elsewhere with them.
func TestMake(t *testing.T) {
	home, there := filepath.Join(t.TempDir(), "hub"), t.TempDir()
	if err := Make(home, "hub.lab:4222"); err != nil {
		t.Fatal(err)
	}
	pass := filepath.Join(t.TempDir(), "a.pass")
	if err := Add(home, "a", []string{"a"}, nil, pass); err != nil {
		t.Fatal(err)
	}
	p, err := fleet.ReadPass(pass)
	if err != nil || len(p.URLs) != 1 || p.URLs[0] != "tls://hub.lab:4222" {
		t.Fatalf("pass with %v: %v", p.URLs, err)
	}
	if err := os.CopyFS(there, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(OperatorPass(there), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := Start(context.Background(), Config{Dir: there, Listen: "127.0.0.1:0", Hosts: []string{"127.0.0.1"}, Lease: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	p.URLs = h.URLs()
	c, err := fleet.Access{Pass: &p, Name: "a"}.Connect()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	for _, wrong := range []string{"hub.lab", "hub.lab:0", "hub.lab:x"} {
		if err := Make(t.TempDir(), wrong); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
