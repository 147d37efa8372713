package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"
)

// TestFingerprintFollowsFromTraits: as it was before it was computed from them, so that files keep their names.
func TestFingerprintFollowsFromTraits(t *testing.T) {
	for _, h := range []Host{{}, {Hostname: "bench", Kernel: "6.12.1", CPU: "a <b> & c", CPUs: 8, Idle: "none",
		Mitigations: map[string]string{"spectre_v2": "a & b", "mds": "Vulnerable"}, Cmdline: `quiet "x"`, BPFJIT: "1"}} {
		text, err := json.Marshal([]any{h.Hostname, h.Kernel, h.CPU, h.CPUs, h.Virtualization, h.Clocksource, h.Governor, h.Idle,
			h.Preemption, h.Mitigations, h.Cmdline, h.BPFJIT})
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if got, want := h.Fingerprint(), hex.EncodeToString(sum[:8]); got != want || FingerprintOf(h.Traits()) != want {
			t.Errorf("%+v: %s, want %s", h, got, want)
		}
		other := h.Traits()
		other[1].Value += "x"
		if FingerprintOf(other) == h.Fingerprint() || FingerprintOf(other[1:]) != "" {
			t.Errorf("%+v: other traits, or fewer, have its fingerprint", h)
		}
	}
}
