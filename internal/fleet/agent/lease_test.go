package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
)

// TestLeaseHasMonotonicEnd: the end of a lease has a reading of the clock that cannot be set, so
// that a jump of the host's time is no part of what is left of it.
func TestLeaseHasMonotonicEnd(t *testing.T) {
	l := newLease(&fleet.Client{Settings: fleet.Settings{Lease: time.Minute}}, fleet.Testbed{Name: "rack1"})
	l.note(time.Now(), nil)
	if end := l.until.String(); !strings.Contains(end, " m=+") {
		t.Errorf("it ends at %s", end)
	}
}
