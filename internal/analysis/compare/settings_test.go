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
	list := SettingsDiffer(a.Settings, b.Settings)
	runtime.ReadMemStats(&after)
	if len(list) != 1 || !strings.Contains(list[0], "could not be compared") {
		t.Errorf("%q", list)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("%d bytes were taken for %d", took, len(b.Settings))
	}
}

// TestWhatRunsDifferBy: another engine is said, where both runs know theirs; another process ID is not, and whether
// there was one is.
func TestWhatRunsDifferBy(t *testing.T) {
	engine := func(name string) *record.Result { return &record.Result{Engine: record.Engine{Name: name}} }
	for _, c := range []struct{ a, b, want string }{
		{"af_packet", "xdp", "traffic engine: A af_packet, B xdp"}, {"xdp", "xdp", ""}, {"", "xdp", ""},
	} {
		if got := strings.Join(hostsDiffer(engine(c.a), engine(c.b)), "; "); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q and %q: %q", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		a, b string
		n    int
	}{{"12", "13", 0}, {"0", "13", 1}, {"12", "12", 0}} {
		if list := SettingsDiffer("external: {pid: "+c.a+"}\n", "external: {pid: "+c.b+"}\n"); len(list) != c.n {
			t.Errorf("PIDs %s and %s: %q", c.a, c.b, list)
		}
	}
}

// TestSameTask: where a UPF is bends nothing that it was asked; what is sent, and how N3 is protected, does.
func TestSameTask(t *testing.T) {
	const of = "name: x\nrepeats: 1\nloads: [max]\nn3: {gnb: 172.16.3.1, ipsec: none}\nue: {first: 10.60.0.10, family: ipv4}\n"
	for change, want := range map[string]bool{
		"name: x=name: y": true, "repeats: 1=repeats: 5": true, "172.16.3.1=10.0.0.1": true, "10.60.0.10=10.1.0.1": true,
		"max=1M": false, "ipsec: none=ipsec: esp": false, "family: ipv4=family: ipv6": false, "loads=cases": false,
	} {
		from, to, _ := strings.Cut(change, "=")
		if got := SameTask(of, strings.Replace(of, from, to, 1)); got != want {
			t.Errorf("%s: %v", change, got)
		}
	}
}
