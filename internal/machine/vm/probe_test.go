package vm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// probes in the environment has this test be the process that tries KVM, by this QEMU.
const probes = "TEST_PROBES"

// The trial of KVM ends with upflab, also where that is killed.
func TestProbeEndsWithUpflab(t *testing.T) {
	if path := os.Getenv(probes); path != "" {
		(&QEMU{Path: path}).Accelerator(t.Context())
		return
	}
	if err := unix.Access("/dev/kvm", unix.R_OK|unix.W_OK); err != nil {
		t.Skip("no KVM to try here: ", err)
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	q := instead(t, "echo $$ > "+pidFile+".part; mv "+pidFile+".part "+pidFile+"; exec sleep 30\n")
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), probes+"="+q.Path)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	within(t, "it starts", func() bool {
		b, err := os.ReadFile(pidFile)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil
	})
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	within(t, "it ends", func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		return err != nil || strings.Contains(string(status), "State:\tZ")
	})
}

// within waits for what must come before QEMU's stand-in ends by itself.
func within(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}
