package netns

import (
	"os"
	"testing"
)

// rootOnly skips a test on a laptop, and fails it in CI.
func rootOnly(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("this test needs root, to make network namespaces")
	}
	t.Skip("needs root, to make network namespaces")
}
