package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReproducer goes from a finding to what shows it without upflab: the script says that the UPF does it again, and
// once the UPF is mended, that it does not. The fault is a rule of the kernel that the UPF forwards by.
func TestReproducer(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	startDatapath(t, "kind: tun", usual)
	dir, out := filepath.Join(t.TempDir(), "result"), filepath.Join(t.TempDir(), "finding")
	ip(t, "-n "+upfNS+" rule add ipproto udp dport 5000 blackhole")
	args := []string{program(), "run", "behaviour", "--dut", "external", "--out", dir, "--case", "pdr.sdf.all-components",
		"--set", "external.n3_interface=n3", "--set", "external.n6_interface=n6"}
	start(t, inNS(peerNS, append(args, usual.sets()...)...)).finishes(4)
	upflab(t, []string{"behaviour", "report", dir, "--case", "pdr.sdf.all-components.uplink", "--out", out}).finishes(0)
	again := upflab(t, []string{"behaviour", "report", dir, "--case", "pdr.sdf.all-components.uplink", "--out", out})
	again.finishes(2)
	again.mustSay("is not empty")
	none := upflab(t, []string{"behaviour", "report", dir, "--case", "pdr.sdf.all-components.downlink", "--out", out})
	none.finishes(2)
	none.mustSay("there is no finding pdr.sdf.all-components.downlink with packets; there are: pdr.sdf.all-components.uplink")
	if text, err := os.ReadFile(filepath.Join(out, "report.md")); err != nil || !strings.Contains(string(text), "TS 29.244 8.2.5") {
		t.Errorf("report.md: %v\n%s", err, text)
	}
	script := []string{"python3", filepath.Join(out, "reproduce.py"), "--n4", usual.n4[1], "--n3", usual.n3[1], "--n3-interface", "n3",
		"--n6", usual.n6[1], "--n6-interface", "n6", "--smf", usual.n4[0]}
	shown := start(t, inNS(peerNS, script...))
	shown.finishes(1)
	prints(t, shown, "an uplink packet that matches: arrives plain on N6\n  recorded: did not arrive\n  now:      did not arrive", "The UPF does it again: 1 of the packets")
	ip(t, "-n "+upfNS+" rule delete ipproto udp dport 5000 blackhole")
	mended := start(t, inNS(peerNS, script...))
	mended.finishes(0)
	prints(t, mended, "  now:      N6\n", "The UPF does not do it")
	nobody := start(t, inNS(peerNS, append(script, "--n4", "192.168.14.199", "--patience", "0.2")...))
	nobody.finishes(2)
	nobody.mustSay("cannot tell: ")
}

// prints wants texts on standard output.
func prints(t *testing.T, c *command, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(c.stdout.String(), text) {
			t.Errorf("%v does not print %q:\n%s", c.cmd.Args, text, c.said())
		}
	}
}
