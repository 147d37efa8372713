package host

import (
	"os"
	"testing"
)

// CPUs are kept awake as long as the claim is held.
func TestStayAwake(t *testing.T) {
	if _, err := os.Stat(latencyRequest); err != nil {
		t.Skip("this kernel has no PM QoS")
	}
	c, err := NewClaimIn(t.TempDir(), "awake")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.awake.ask(); err != nil {
		t.Fatal(err)
	}
	held := c.awake.request
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := held.Close(); err == nil {
		t.Error("the request outlives the claim")
	}
}
