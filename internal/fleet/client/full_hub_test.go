package client_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
)

// bulky has results of a MB that cannot be packed.
type bulky struct{ agent.Simulated }

func (b bulky) Run(ctx context.Context, j fleet.Job, t fleet.Testbed, dir string) (int, error) {
	noise := make([]byte, 1<<20)
	rand.Read(noise)
	if err := os.WriteFile(filepath.Join(dir, "result", "noise"), noise, 0o644); err != nil {
		return 0, err
	}
	return b.Simulated.Run(ctx, j, t, dir)
}

// TestFullHub: when the hub has no room for results agents keep them, and say so; when it
// has room again all of them come, and none twice.
func TestFullHub(t *testing.T) {
	l := fleettest.New(t, 2*time.Second)
	l.Stop()
	l.MaxStore = 4 << 20
	l.Start()
	full := make(chan string, 1)
	config := l.Config(l.Pass("a", "rack"), "rack", 0)
	config.Runner = bulky{agent.Simulated{Version: fleettest.Version}}
	config.Notice = func(text string) {
		if strings.Contains(text, "does not take") || strings.Contains(text, "does not answer") {
			select {
			case full <- text:
			default:
			}
		}
	}
	l.Agent(config)
	c, p, out := l.Operator(), fleettest.Plan(8), t.TempDir()
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-full:
		t.Log(text)
	case <-time.After(30 * time.Second):
		t.Fatal("a hub with room for four results took eight")
	}
	l.Stop()
	l.MaxStore = 0
	l.Start()
	l.Follow(c, p, out, time.Minute)
	fleettest.CheckResults(t, p, out)
}
