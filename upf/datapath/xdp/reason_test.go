package xdp

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
)

// TestReasonsMatchHeader holds bpf/drop.h and package datapath together: the
// same number of reasons, each name recognisable in the other.
func TestReasonsMatchHeader(t *testing.T) {
	header, err := os.ReadFile("../../../internal/proto/bpf/drop.h")
	must(t, "read header", err)
	names := regexp.MustCompile(`\bDROP_\w+`).FindAllString(string(header), -1)
	reasons := datapath.Reasons()
	if len(names) != len(reasons)+1 || names[len(names)-1] != "DROP_COUNT" {
		t.Fatalf("header has %d names, ending in %q; Go has %d", len(names), names[len(names)-1], len(reasons))
	}
	source, err := os.ReadFile("../reason.go")
	must(t, "read reasons", err)
	constants := regexp.MustCompile(`(?m)^\t(Reason\w+)`).FindAllStringSubmatch(string(source), -1)
	for i := range reasons {
		c := strings.ReplaceAll(strings.TrimPrefix(names[i], "DROP_"), "_", "")
		if goName := strings.TrimPrefix(constants[i][1], "Reason"); !strings.EqualFold(goName, c) {
			t.Errorf("%d is %s in the header and %s in Go", i, names[i], constants[i][1])
		}
	}
}
