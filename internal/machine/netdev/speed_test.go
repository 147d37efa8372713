package netdev

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSpeedIn(t *testing.T) {
	for _, c := range []struct {
		story, speed string
		hardware     bool
		want         uint64
	}{
		{"a NIC", "25000\n", true, 25e9},
		{"a NIC that is down", "-1\n", true, 0},
		{"one that does not say", "", true, 0},
		{"a veth", "10000\n", false, 0},
	} {
		dir := t.TempDir()
		if c.hardware {
			os.Mkdir(filepath.Join(dir, "device"), 0o755)
		}
		if err := os.WriteFile(filepath.Join(dir, "speed"), []byte(c.speed), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := speedIn(dir); got != c.want {
			t.Errorf("%s: %d, want %d", c.story, got, c.want)
		}
	}
}
