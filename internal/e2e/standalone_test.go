package e2e

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStandaloneUPF has scapy, which shares no code with upflab, be the SMF, the
// gNB and the data network of `upflab upf`.
func TestStandaloneUPF(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"native", "generic"} {
		t.Run(mode, func(t *testing.T) {
			privileged(t)
			needScapy(t)
			nothingLeft(t)
			makeLab(t)
			upf := startUPF(t, mode)
			peer := start(t, inNS(peerNS, "python3", "testdata/peer.py"))
			if got := peer.status(90 * time.Second); got != 0 {
				t.Errorf("scapy is not content: exit status %d\n%s\nUPF:\n%s", got, peer.said(), upf.said())
			}
			upf.signal(syscall.SIGTERM)
			if got := upf.status(5 * time.Second); got != 0 {
				t.Errorf("the UPF ends with status %d after SIGTERM\n%s", got, upf.said())
			}
		})
	}
}

func needScapy(t *testing.T) {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import scapy.contrib.pfcp, scapy.contrib.gtp").CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("CI must have scapy: %v\n%s", err, out)
	default:
		t.Skipf("no scapy (apt-get install python3-scapy): %s", strings.TrimSpace(string(out)))
	}
}

func TestStandaloneUPFTaken(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	first := startUPF(t, "native")
	second := start(t, inNS(upfNS, first.cmd.Args[4:]...))
	second.finishes(1)
	second.mustSay("n3", "another XDP program is there")
	first.signal(syscall.SIGINT)
	if got := first.status(5 * time.Second); got != 0 {
		t.Errorf("the UPF ends with status %d after SIGINT\n%s", got, first.said())
	}
}
