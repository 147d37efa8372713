package record

import "testing"

// TestWordsStayDifferent: results of two machines, and of two settings, are of two after they were cut.
func TestWordsStayDifferent(t *testing.T) {
	cut := func(cpu, settings, mitigation string) *Result {
		r := &Result{Settings: settings, Host: Host{CPU: cpu, Mitigations: map[string]string{"retbleed": mitigation}}}
		r.CutToWords()
		return r
	}
	a := cut("AMD EPYC (7763)", "name: quick\nduration: 1s\n", "Vulnerable")
	for _, b := range []*Result{cut("AMD EPYC (9V74)", a.Settings, "Vulnerable"), cut("AMD EPYC (7763)", a.Settings, "Not affected")} {
		if a.Host.Fingerprint() == b.Host.Fingerprint() {
			t.Errorf("%+v and %+v are one machine", a.Host, b.Host)
		}
	}
	if b := cut("AMD EPYC (7763)", "name: quick\nduration: 2s\n", "Vulnerable"); a.Settings == b.Settings || a.Host.Fingerprint() != b.Host.Fingerprint() {
		t.Errorf("settings %q and %q", a.Settings, b.Settings)
	}
}
