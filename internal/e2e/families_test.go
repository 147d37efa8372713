package e2e

import (
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestFamilies: UEs with IPv6, and with both families, in each direction. What arrives is right, and no
// longer or shorter than it is to be.
func TestFamilies(t *testing.T) {
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	for _, c := range []struct {
		name   string
		inner  int // mean octets of the inner packets, of a payload of 1400
		family string
		more   []string
	}{
		{"IPv6 by XDP", 1448, "ipv6", []string{"--dut", "builtin:xdp"}},
		{"both by XDP, three sessions", 1438, "both", []string{"--dut", "builtin:xdp", "--set", "sessions=3"}},
		{"both over TUN", 1438, "both", []string{"--dut", "builtin:tun"}},
		{"IPv6 by packet sockets", 1448, "ipv6", []string{"--dut", "builtin:afpacket", "--set", "engine=af_packet"}},
		{"both by AF_XDP", 1438, "both", []string{"--dut", "builtin:xdp", "--set", "engine=af_xdp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "result")
			upflab(t, quick(dir, append(c.more, "--set", "loads=5k", "--set", "ue.family="+c.family)...)).finishes(0, 3)
			for _, d := range load(t, dir).DUTs {
				for _, trial := range d.Trials {
					checkFamily(t, d.Name, c.family, c.inner, trial)
				}
			}
		})
	}
}

func checkFamily(t *testing.T, name, family string, inner int, trial record.Trial) {
	t.Helper()
	what := name + " " + string(trial.Direction)
	if trial.RxPackets == 0 || trial.Wrong != 0 || trial.Duplicates != 0 || trial.Family != family || trial.InnerBytes != inner {
		t.Errorf("%s: received %d, wrong %v, duplicates %d, family %q, inner packets of %d octets", what, trial.RxPackets,
			trial.WrongWhy, trial.Duplicates, trial.Family, trial.InnerBytes)
	}
}

// TestFamilyIsRefused: what has no traffic of UEs with IPv6 says so before the run, in one line.
func TestFamilyIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"run", "quick", "--set", "ue.family=ipv6", "--dut", "calibrator", "--dry-run"},
		{"run", "control-plane", "--set", "ue.family=ipv6", "--dut", "builtin", "--dry-run"},
		{"run", "behaviour", "--set", "ue.family=both", "--dut", "builtin", "--dry-run"},
	} {
		upflab(t, args).finishes(2)
	}
}
