package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUPFCheck(t *testing.T) {
	const working = "n4: {address: 127.83.8.8}\nn3: {interface: lo, address: 127.83.8.9}\nn6: {interface: lo}\n"
	file := filepath.Join(t.TempDir(), "upf.yaml")
	for _, c := range []struct {
		text, says string
		status     int
	}{
		{working, "", 0},
		{working + "max_sessions: 0", "max_sessions: 0 is not a number in 1..4194304", 2},
		{working + "datapath: {kind: calibrator, calibrate: nosuch}", "datapath.calibrate", 2},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		status, _, says := typed("upf", "check", "--config", file)
		if status != c.status || !strings.Contains(says, c.says) {
			t.Errorf("%s: status %d, says %q", c.text, status, says)
		}
	}
}
