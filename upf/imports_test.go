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
		room := strings.Join(strings.SplitN(path, "/", 3)[:min(2, strings.Count(path, "/")+1)], "/")
		shared := room == "internal/proto" || room == "internal/socket" || room == "internal/text"
		if ours && strings.HasPrefix(path, "internal/") && (!shared || path == "internal/proto/signature") {
			t.Errorf("a package of the UPF imports %s, which is the tester's", path)
		}
	}
}
