package calibration

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestExpired: another kernel is another machine, and the field that changed is named.
func TestExpired(t *testing.T) {
	dir := t.TempDir()
	if text := Expired(dir, machine, today); text != "" {
		t.Errorf("never calibrated: %s", text)
	}
	f, err := Load(dir, machine, today)
	if err != nil {
		t.Fatal(err)
	}
	f.Add("builtin:xdp", run(1))
	if err := f.Save(dir); err != nil {
		t.Fatal(err)
	}
	if text := Expired(dir, machine, today); text != "" {
		t.Errorf("the same machine: %s", text)
	}
	for want, now := range map[string]record.Host{
		"kernel (6.12.1, now 6.12.2)":                             {Hostname: "bench", Kernel: "6.12.2"},
		"kernel (6.12.1, now 6.13.0), hypervisor (none, now kvm)": {Hostname: "bench", Kernel: "6.13.0", Virtualization: "kvm"},
	} {
		if text := Expired(dir, now, today); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
