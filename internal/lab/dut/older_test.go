package dut

import "testing"

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		version, than string
		want          bool
	}{
		{"v2.7.9", "v2.8.0", true}, {"v2.8.0", "v2.8.0", false}, {"v2.8.1", "v2.8.0", false}, {"v2.10.0", "v2.8.0", false},
		{"2.7", "v2.8.0", true}, {"v2.8", "v2.8.0", false}, {"v2.8.0-12-gabc1234+", "v2.8.0", false}, {"v1.9.9+dirty", "v2.0.0", true},
		{"v1.2.12, part 0.10.2", "v1.2.12", false}, {"v1.2.9, part 0.10.2", "v1.2.12", true},
		{"sha256:23e358be9c28", "v0.7.1", false}, {"commit 1234", "v0.7.1", false}, {"", "v1.0.0", false}, {"v1.0.0", "", false},
	} {
		if got := Older(c.version, c.than); got != c.want {
			t.Errorf("%q older than %q: %v", c.version, c.than, got)
		}
	}
}
