package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/wire"
)

// rootOnly skips a test on a laptop, and fails it in CI.
func rootOnly(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("this test needs root, to make network namespaces and load BPF programs")
	}
	t.Skip("needs root, to make network namespaces and load BPF programs")
}

// TestTried makes the checks that try something, and sees that nothing is left.
func TestTried(t *testing.T) {
	rootOnly(t)
	e := newExam(Config{})
	e.records = nil // another run may be under way while tests run
	for _, look := range []check{loadProgram, liveFrames, namespaces, vethXDP, threadedNAPI, stateFolder} {
		if f := look(context.Background(), e); f.State != OK {
			t.Errorf("%s: %s: %s", f.Name, f.State, f.Detail)
		}
	}
	if f := bench(dut.Target{Driver: wire.Driver{}})(context.Background(), e); f.State != OK && f.State != Warn {
		t.Errorf("%s: %s: %s", f.Name, f.State, f.Detail)
	}
	if e.lab.claim == nil {
		t.Fatal("there was no testbed")
	}
	pattern := "/run/netns/upflab-" + e.lab.claim.Run + "-*"
	if made, _ := filepath.Glob(pattern); len(made) != 4 {
		t.Errorf("made %v", made)
	}
	if err := e.lab.close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(pattern); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// TestExamineOrder sees that groups stay together and every finding is whole. It
// runs without root, too.
func TestExamineOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("watches the machine for two seconds")
	}
	var groups []string
	err := Examine(context.Background(), Config{DUTs: []dut.Listed{wire.Driver{Version: "v1"}}}, func(f Finding) {
		if len(groups) == 0 || groups[len(groups)-1] != f.Group {
			groups = append(groups, f.Group)
		}
		if f.Name == "" || f.State == "" || f.Detail == "" {
			t.Errorf("%+v", f)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"machine", "kernel", "privileges", "DUTs", "run --site vm", "leftovers"}; !slices.Equal(groups, want) {
		t.Errorf("groups %v, want %v", groups, want)
	}
}

func TestExamineStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Examine(ctx, Config{}, func(f Finding) { t.Errorf("%+v", f) })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
