package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNeedsNamesTheOtherPython: where apt has installed scapy and another python3 is first in PATH, the list
// of what is missing says that, and not that apt has no such package.
func TestNeedsNamesTheOtherPython(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{
		"python3":    "exit 1", // it has no scapy
		"apt-get":    "exit 0",
		"apt-cache":  "echo \"$2 | 1.0 | archive\"",
		"dpkg-query": "case \"$*\" in *scapy*) echo installed;; *) exit 1;; esac",
		"sudo":       "exec \"$@\"",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("bash", "../.ci/needs")
	c.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "CI=", "SETUP="}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said := string(out)
	for _, want := range []string{
		"python3-scapy is installed for /usr/bin/python3, and PATH has " + filepath.Join(dir, "python3") + " before it",
		"put /usr/bin first in PATH", "python3 -m pip install scapy",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("lacks %q:\n%s", want, said)
		}
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, "apt offers none") && strings.Contains(line, "scapy") {
			t.Errorf("apt has it: %s", line)
		}
	}
}
