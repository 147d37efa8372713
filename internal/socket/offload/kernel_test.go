package offload

import "testing"

func TestCutsUDP(t *testing.T) {
	for release, want := range map[string]bool{
		"6.1.0-18-amd64": false, "6.2.0": true, "6.18.44": true, "5.15.0-91-generic": false, "7.0-rc1": true, "": false, "linux": false,
	} {
		if got := cutsUDP(release); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}
