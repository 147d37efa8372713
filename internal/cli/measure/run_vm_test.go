package measure

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/machine/vm"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// What an emulated machine cannot decide is refused, and what is true at any speed is not.
func TestNoThresholdsOfSpeedInEmulatedVM(t *testing.T) {
	for threshold, refused := range map[string]bool{"rx_pps >= 1M": true, "latency.p99 < 1ms": true, "frame_loss_ratio <= 0.1%": true,
		"wrong == 0": false, "behaviour.findings == 0": false, "n4_findings == 0": false} {
		s, err := runFlags{}.open("quick", []string{"loads=100k,max", "thresholds=" + threshold})
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
	got = f.inVM("quick", "/r", vm.Machine{NIC: scenario.NICVeth})
	want = strings.Fields("run quick --out /r --dut eupf:native --set sessions=2 --strict --build old=./a --quiet")
	if !slices.Equal(got, want) {
		t.Errorf("without NICs: got  %q\nwant %q", got, want)
	}
}

// What a scenario has otherwise than others is not changed for an emulated machine.
func TestEmulatedSets(t *testing.T) {
	for _, c := range []struct {
		name  string
		accel vm.Accelerator
		sets  []string
		want  string
	}{
		{"quick", vm.KVM, nil, ""},
		{"quick", vm.TCG, nil, "cpu.idle=sleep disturbed=keep attempts=1"},
		{"ndr", vm.TCG, nil, "cpu.idle=sleep disturbed=keep"}, // has attempts: 2
		{"quick", vm.TCG, []string{"attempts=5", "disturbed=keep"}, "cpu.idle=sleep"},
	} {
		s, err := runFlags{}.open(c.name, c.sets)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := emulatedSets(s, vm.Machine{Accel: c.accel}); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s by %s: %q, %v; want %q", c.name, c.accel, got, err, c.want)
		}
	}
}

// The guest has what upflab reads, but for a secret that it has no use for.
func TestEnvironmentInVM(t *testing.T) {
	t.Setenv("UPFLAB_EUPF", "/opt/eupf")
	t.Setenv(flags.PassVariable, "/secret")
	if list := guestEnvironment(); !slices.Contains(list, "UPFLAB_EUPF=/opt/eupf") || slices.Contains(list, flags.PassVariable+"=/secret") {
		t.Errorf("%q", list)
	}
}

func TestEmulated(t *testing.T) {
	for v, want := range map[*record.VM]bool{nil: false, {Accel: "kvm"}: false, {Accel: "tcg"}: true} {
		if v.Emulated() != want {
			t.Errorf("%+v: %v", v, v.Emulated())
		}
	}
}

// TestNoteOfVM: what is true of speeds is not said of counts.
func TestNoteOfVM(t *testing.T) {
	for v, want := range map[record.VM]string{{Accel: "kvm"}: "", {Accel: "tcg"}: "no rate, delay, loss or CPU time", {Accel: "tcg", Counts: true}: "do not depend on how fast"} {
		if got := noteOfVM(&v); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", v, got, want)
		}
	}
}

// TestOutlineOfCounts: instructions are counted without windows that could be disturbed, so nothing takes three times as long.
func TestOutlineOfCounts(t *testing.T) {
	for name, want := range map[string]bool{"instructions": false, "quick": true, "behaviour": false} {
		s, err := runFlags{}.open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		outlineTime(&out, (&plan.Plan{Scenario: s}).Outline())
		if got := strings.Contains(out.String(), "three times as long"); got != want {
			t.Errorf("%s: %q", name, out.String())
		}
	}
}

// TestFilesInVM: the guest sees the files that a scenario names.
func TestFilesInVM(t *testing.T) {
	for _, s := range []*scenario.Scenario{{Dialects: []string{"our.n4", "/run/x.n4"}}, {Schedule: scenario.Schedule{PCAP: "/run/x.pcap"}}} {
		if err := (runFlags{}).filesInVM(s, "interop"); err == nil || !strings.Contains(err.Error(), "/run/x.") {
			t.Errorf("%v", err)
		}
	}
	if err := (runFlags{}).filesInVM(&scenario.Scenario{Dialects: []string{"our.n4"}}, "interop"); err != nil {
		t.Error(err)
	}
}
