package host

import (
	"os"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/netdev"
)

// rootOnly skips a test on a laptop, and fails it in CI.
func rootOnly(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("this test needs root, to make network namespaces")
	}
	t.Skip("needs root, to make network namespaces")
}

func TestRecordsTellLiveFromStale(t *testing.T) {
	rootOnly(t)
	claim, err := NewClaim(NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	path, name := claim.path, namePrefix+claim.Run+"-ran"
	defer os.Remove(path)
	if err := claim.AddNamespace(name); err != nil {
		t.Fatal(err)
	}
	ns, err := netdev.New(name)
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()

	check := func(when string, want bool) {
		t.Helper()
		r, err := readRecord(path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Live != want || r.PID != os.Getpid() || !slices.Equal(r.Owns, []string{"namespace " + name}) {
			t.Errorf("%s: %+v, want live %v", when, r, want)
		}
		stale, err := Stale()
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(stale, "namespace "+name) == want {
			t.Errorf("%s: stale are %v", when, stale)
		}
	}
	check("just made", true)
	claim.file.Close() // as a kill does
	check("killed", false)
}

func TestRecordOfRunCutShort(t *testing.T) {
	path := t.TempDir() + "/abcde.json"
	if err := os.WriteFile(path, []byte(`{"pid": 12, "names`), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := readRecord(path)
	if err != nil || r.Run != "abcde" || r.Live || r.PID != 0 || r.Owns != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
