package upf_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImportsNothingOfTheTester: the UPF is a library by itself, and does not know
// how the tester marks its packets.
func TestImportsNothingOfTheTester(t *testing.T) {
	const module = "github.com/upflab/upflab/"
	out, err := exec.Command("go", "list", "-deps", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, path := range strings.Fields(string(out)) {
		path, ours := strings.CutPrefix(path, module)
		if strings.HasSuffix(path, "/impair") {
			t.Errorf("%s, the tester's device, is in the library", path)
		}
		if ours && (strings.HasPrefix(path, "internal/") || path == "wire/signature") {
			t.Errorf("a package of the UPF imports %s, which is the tester's", path)
		}
	}
}
