package xdp

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestSkippedAsLateAsTheyCount: the generator skips a packet when it is as late as it then counts
// in results.
func TestSkippedAsLateAsTheyCount(t *testing.T) {
	source, err := os.ReadFile("bpf/generator.c")
	if err != nil {
		t.Fatal(err)
	}
	define := regexp.MustCompile(`(?m)^#define SKIP_NS (\d+)\b`).FindSubmatch(source)
	if define == nil {
		t.Fatal("generator.c defines no SKIP_NS")
	}
	if ns, err := strconv.Atoi(string(define[1])); err != nil || ns != record.SkippedNS {
		t.Errorf("SKIP_NS is %s, and skipped packets count as %d ns", define[1], record.SkippedNS)
	}
}
