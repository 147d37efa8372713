package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
)

// TestLendsAllowedInterfaces: another testbed's measurement gets the interfaces that this one's owner
// allows, while the agent holds the testbed.
func TestLendsAllowedInterfaces(t *testing.T) {
	a := &Agent{config: Config{Policy: fleet.Policy{"device=eth1"}},
		lease: newLease(&fleet.Client{Settings: fleet.Settings{Lease: time.Minute}}, fleet.Testbed{Name: "rack1"})}
	for device, want := range map[string]string{"eth2": "upflab agent --allow device=eth2", "eth1": "does not hold the testbed"} {
		if release, err := a.lend("rack2", device); release != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", device, err, want)
		}
	}
}

// TestOneAgentOfAHost: a second agent for a testbed on one host is refused, whatever hub it serves.
func TestOneAgentOfAHost(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: the locks are in " + lockDir)
	}
	name := fmt.Sprint("upflab-test-", os.Getpid())
	t.Cleanup(func() { os.Remove(filepath.Join(lockDir, name)) })
	first, err := LockTestbed(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockTestbed(name); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d: end that one first", os.Getpid())) {
		t.Errorf("the second: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	next, err := LockTestbed(name)
	if err != nil {
		t.Fatalf("after the first: %v", err)
	}
	next.Close()
}
