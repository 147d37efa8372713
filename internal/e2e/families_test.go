package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestFamilies: UEs with IPv6, and with both families, in each direction. What arrives is right, and no
// longer or shorter than it is to be.
func TestFamilies(t *testing.T) {
	takesLong(t)
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
			for _, d := range arriving(t, append(c.more, "--set", "loads=5k", "--set", "ue.family="+c.family)).DUTs {
				for _, trial := range d.Trials {
					checkFamily(t, d.Name, c.family, c.inner, trial)
				}
			}
		})
	}
}

// arriving is the result of a run in each trial of which packets arrived. Others may keep a receiver from its CPU
// for a whole trial, which is then not valid: such a run is tried again, twice at most.
func arriving(t *testing.T, args []string) *record.Result {
	t.Helper()
	for left := 2; ; left-- {
		dir := filepath.Join(t.TempDir(), "result")
		upflab(t, quick(dir, args...)).finishes(0, 3)
		r := load(t, dir)
		nothing := slices.ContainsFunc(r.DUTs, func(d record.DUT) bool {
			return slices.ContainsFunc(d.Trials, func(t record.Trial) bool { return t.RxPackets == 0 && !t.Valid })
		})
		if !nothing || left == 0 {
			return r
		}
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

// TestFamiliesSideBySide: one run measures a UPF in several families, and its report compares them.
func TestFamiliesSideBySide(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	run := upflab(t, quick(dir, "--dut", "builtin:xdp", "--set", "loads=5k", "--set", "families=ipv4,ipv6-over-ipv6"))
	run.finishes(0, 3)
	for _, d := range load(t, dir).DUTs {
		for i, trial := range d.Trials {
			six := i >= len(d.Trials)/2
			if trial.Wrong != 0 || trial.RxPackets == 0 && trial.Valid || (trial.Family == "ipv6") != six || (trial.Transport == "ipv6") != six {
				t.Errorf("%s %s: received %d, wrong %v, family %q over %q", d.Name, trial.Size, trial.RxPackets, trial.WrongWhy, trial.Family, trial.Transport)
			}
		}
	}
	compared := upflab(t, []string{"compare", dir, "--dut", "builtin@ipv4:xdp", "--against", "builtin@ipv6-over-ipv6:xdp"})
	compared.finishes(0, 4)
	for name, out := range map[string]string{"the report": run.stdout.String(), "the comparison": compared.stdout.String()} {
		if !strings.Contains(out, "builtin@ipv4:xdp (A) against builtin@ipv6-over-ipv6:xdp (B)") {
			t.Errorf("%s has no comparison of the families:\n%s", name, out)
		}
	}
}

// TestTransport: N3 and N4 over IPv6, by each datapath of the reference UPF and each engine, of UEs with
// IPv4, IPv6 and both. What arrives is right, and has the length of its headers.
func TestTransport(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	for _, c := range []struct {
		name   string
		inner  int
		family string
		more   []string
	}{
		{"XDP", 1428, "", []string{"--dut", "builtin:xdp"}},
		{"XDP, the UPF chooses F-TEIDs, three gNBs", 1438, "both", []string{"--dut", "builtin:xdp", "--set", "sessions=4",
			"--set", "gnbs=3", "--set", "teid.assign=upf"}},
		{"generic XDP, both directions at once", 1448, "ipv6", []string{"--dut", "builtin:xdp-generic", "--set", "directions=both"}},
		{"packet sockets", 1448, "ipv6", []string{"--dut", "builtin:afpacket", "--set", "engine=af_packet"}},
		{"TUN by AF_XDP", 1428, "", []string{"--dut", "builtin:tun", "--set", "engine=af_xdp"}},
		{"TAP", 1438, "both", []string{"--dut", "builtin:tap"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append(c.more, "--set", "loads=5k", "--set", "transport=ipv6")
			if c.family != "" {
				args = append(args, "--set", "ue.family="+c.family)
			}
			for _, d := range arriving(t, args).DUTs {
				for _, trial := range d.Trials {
					checkFamily(t, d.Name, c.family, c.inner, trial)
					const ethernet, tunnel = 14, 40 + 8 + 16
					if trial.Transport != "ipv6" || trial.Direction == record.Uplink && trial.FrameBytes != ethernet+tunnel+c.inner {
						t.Errorf("%s %s: transport %q, frames of %d octets towards the UPF", d.Name, trial.Direction, trial.Transport, trial.FrameBytes)
					}
				}
			}
		})
	}
}

// TestTransportIsRefused: a UPF and a kind of run without an N3 of IPv6 say so before the run, in one line.
func TestTransportIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"quick", "--dut", "calibrator"}, "calibrator has its N3 and N4 over IPv4 alone: its N3 has IPv4; set transport to ipv4"},
		{[]string{"quick", "--dut", "decap"}, "decap:tc has its N3 and N4 over IPv4 alone: it strips headers of IPv4"},
		{[]string{"behaviour", "--dut", "builtin"}, "transport is ipv6, but a scenario of kind behaviour"},
		{[]string{"attack", "--dut", "builtin"}, "transport is ipv6, but a scenario of kind attack"},
		{[]string{"resilience", "--dut", "calibrator"}, "calibrator has its N3 and N4 over IPv4 alone: its N3 has IPv4; set transport to ipv4"},
	} {
		r := upflab(t, append(append([]string{"run"}, c.args...), "--set", "transport=ipv6", "--dry-run"))
		r.finishes(2)
		if text := strings.Join(strings.Fields(r.stderr.String()), " "); !strings.Contains(text, c.says) {
			t.Errorf("it says %q, not %q", text, c.says)
		}
	}
}

// TestFamilyIsRefused: what has no traffic of UEs with IPv6 says so before the run, in one line.
func TestFamilyIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"run", "quick", "--set", "ue.family=ipv6", "--dut", "calibrator", "--dry-run"},
		{"run", "control-plane", "--set", "ue.family=ipv6", "--dut", "calibrator", "--dry-run"},
		{"run", "resilience", "--set", "ue.family=ipv6", "--dut", "free5gc", "--dry-run"},
		{"run", "qos-accuracy", "--set", "ue.family=both", "--dut", "oai", "--dry-run"},
		{"run", "attack", "--set", "ue.family=ipv6", "--dut", "builtin", "--dry-run"},
		{"run", "behaviour", "--set", "ue.family=both", "--dut", "builtin", "--dry-run"},
	} {
		upflab(t, args).finishes(2)
	}
}
