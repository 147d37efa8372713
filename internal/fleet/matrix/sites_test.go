package matrix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSitesRefused: each site needs a host and a pass of its own.
func TestSitesRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{ssh: root@rack1}":                                  "ssh, the host, and pass",
		"{pass: rack1.pass}":                                 "ssh, the host, and pass",
		"{ssh: root@rack1, pass: none.pass}":                 "root@rack1",
		"{ssh: root@rack1, pass: broken.pass}":               "root@rack1",
		`{ssh: "-oProxyCommand=id", pass: broken.pass}`:      "no host",
		`{ssh: "root@-oProxyCommand=id", pass: broken.pass}`: "no host",
		"{ssh: root@rack1, key: x}":                          "key",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "broken.pass"), "no pass")
		path := filepath.Join(dir, "c.yaml")
		write(t, path, "campaign: c\nscenario: quick\nsites:\n  - "+text+"\n")
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
