package host

import "testing"

func TestRootless(t *testing.T) {
	for _, c := range []struct {
		story, uidMap string
		want          bool
	}{
		{"the first user namespace", "         0          0 4294967295\n", false},
		{"unshare -Ur by a user", "         0       1000          1\n", true},
		{"unshare -Ur by root", "         0          0          1\n", true},
		{"a container with a range", "         0     100000      65536\n", true},
		{"two ranges", "0 1000 1\n1 100000 65536\n", true},
		{"unshare -U: nobody", "", true},
	} {
		if got := rootless(c.uidMap); got != c.want {
			t.Errorf("%s: %v, want %v", c.story, got, c.want)
		}
	}
}
