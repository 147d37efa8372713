package desk_test

import (
	"os"
	"testing"

	"github.com/upflab/upflab/internal/fleet/fleettest"
)

// TestMain lets the test program be a hub, for tests that kill one.
func TestMain(m *testing.M) {
	if fleettest.BeHub() {
		return
	}
	os.Exit(m.Run())
}
