package compare

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// bomb is YAML of 1 KB whose aliases name each other: written out it has 9^9 entries.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for n := 1; n < 10; n++ {
		ref := fmt.Sprintf("*a%d", n-1)
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", n, n, strings.TrimSuffix(strings.Repeat(ref+", ", 9), ", "))
	}
	return b.String()
}

// TestAliasesInSettings: settings of somebody else's result that would become gigabytes are
// a caveat.
func TestAliasesInSettings(t *testing.T) {
	a, b := &record.Result{Settings: "name: x\n"}, &record.Result{Settings: bomb()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list := settingsDiffer(a.Settings, b.Settings)
	runtime.ReadMemStats(&after)
	if len(list) != 1 || !strings.Contains(list[0], "could not be compared") {
		t.Errorf("%q", list)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("%d bytes were taken for %d", took, len(b.Settings))
	}
}
