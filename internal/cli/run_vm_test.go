package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/machine/vm"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// What an emulated machine cannot decide is refused, and what is true at any speed is not.
func TestNoThresholdsOfSpeedInEmulatedVM(t *testing.T) {
	for threshold, refused := range map[string]bool{"rx_pps >= 1M": true, "latency.p99 < 1ms": true, "frame_loss_ratio <= 0.1%": true,
		"wrong == 0": false, "behaviour.findings == 0": false, "n4_findings == 0": false} {
		s, err := runFlags{}.open("quick", []string{"thresholds=" + threshold})
		if err != nil {
			t.Fatal(err)
		}
		if err := notOfSpeed(s); (err != nil) != refused || refused && !strings.Contains(err.Error(), "means nothing in an emulated machine") {
			t.Errorf("%s: %v", threshold, err)
		}
	}
}

func TestCommandInVM(t *testing.T) {
	f := runFlags{Flags: runflags.Flags{DUTs: []string{"eupf:native"}, Sets: []string{"sessions=2"}, Strict: true}, quiet: true,
		buildFlags: buildFlags{builds: []string{"old=./a"}}}
	got := f.inVM("quick", "/r", vm.Machine{NIC: scenario.NICIGB, Accel: vm.KVM})
	want := strings.Fields("run quick --out /r --dut eupf:native --set sessions=2 --strict --build old=./a --quiet --set link=physical " +
		"--set n3.device=upf-n3 --set n3.tester_device=gnb-n3 --set n6.device=upf-n6 --set n6.tester_device=dn-n6")
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	got = f.inVM("quick", "/r", vm.Machine{NIC: scenario.NICVeth, Accel: vm.TCG})
	want = strings.Fields("run quick --out /r --dut eupf:native --set cpu.idle=sleep --set disturbed=keep --set attempts=1 --set sessions=2 " +
		"--strict --build old=./a --quiet")
	if !slices.Equal(got, want) {
		t.Errorf("emulated, without NICs: got  %q\nwant %q", got, want)
	}
}

func TestEmulated(t *testing.T) {
	for v, want := range map[*record.VM]bool{nil: false, {Accel: "kvm"}: false, {Accel: "tcg"}: true} {
		if v.Emulated() != want {
			t.Errorf("%+v: %v", v, v.Emulated())
		}
	}
}
