package client_test

import (
	"os"
	"testing"

	"github.com/upflab/upflab/internal/fleet/fleettest"
)

// TestMain lets the test program be a hub, a NATS server or an agent, for tests that kill one.
func TestMain(m *testing.M) {
	if fleettest.BeHub() || fleettest.BeMember() || fleettest.BeAgent() {
		return
	}
	os.Exit(m.Run())
}
