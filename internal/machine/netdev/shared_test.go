package netdev

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBesideIP: the machine's first `ip netns add` comes while we have a namespace, which
// is removed all the same. It runs where nobody has used /run/netns before.
func TestBesideIP(t *testing.T) {
	const inside = "UPFLAB_TEST_OWN_RUN"
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	if os.Getenv(inside) == "" {
		cmd := exec.Command("unshare", "--mount", "--propagation", "private", os.Args[0], "-test.run=^TestBesideIP$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if err := unix.Mount("none", "/run", "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	ours, err := New("upflab-test-ours")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("ip", "netns", "add", "upflab-test-ip").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := ours.Close(); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(NamedDir)
	if err != nil || len(left) != 1 || left[0].Name() != "upflab-test-ip" {
		t.Errorf("left in %s: %v, %v", NamedDir, left, err)
	}
}
