package apps

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// here is a place in the test's own namespace.
func here(t *testing.T) Place {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("needs root: it enters a network namespace")
	}
	claim, err := host.NewClaimIn(t.TempDir(), "apps")
	if err != nil {
		t.Fatal(err)
	}
	ns, err := netdev.Current()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ns.Release()
		if err := claim.Close(); err != nil {
			t.Error(err)
		}
	})
	return Place{Namespace: ns, Claim: claim, CPUs: []int{0}}
}

func TestProgramEnds(t *testing.T) {
	p, err := here(t).Start("sh", "-c", "echo out; echo oops >&2; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Wait(t.Context())
	var ended *EndError
	if !errors.As(err, &ended) || !strings.Contains(err.Error(), "exit status 3: oops") {
		t.Errorf("error %v, want the status and the last line", err)
	}
	if string(out.Stdout) != "out\n" {
		t.Errorf("standard output %q", out.Stdout)
	}
}

// A command that never ends is killed with everything that it started.
func TestProgramNeverEnds(t *testing.T) {
	p, err := here(t).Start("sh", "-c", "sleep 600 & sleep 600")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that it did not end in time", err)
	}
}

func TestProgramIsMissing(t *testing.T) {
	if _, err := here(t).Start("upflab-no-such-program"); err == nil {
		t.Error("a program that is not there was started")
	}
}
