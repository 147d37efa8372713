package host

import (
	"os"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/machine/netdev"
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
	name := namePrefix + claim.Run + "-ran"
	defer removeLists(claim.dir, claim.Run)
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
		o, err := readOwned(claim.dir, claim.Run)
		if err != nil {
			t.Fatal(err)
		}
		r := Record{PID: o.PID, Live: live(claim.dir, claim.Run, o), Owns: o.present(claim.dir, claim.Run)}
		if r.Live != want || r.PID != os.Getpid() || !slices.Equal(r.Owns, []string{"namespace " + name}) {
			t.Errorf("%s: %+v, want live %v", when, r, want)
		}
		records, err := Records()
		if err != nil || !slices.ContainsFunc(records, func(r Record) bool {
			return r.Live == want && slices.Contains(r.Owns, "namespace "+name)
		}) {
			t.Errorf("%s: records are %+v (%v)", when, records, err)
		}
	}
	check("just made", true)
	claim.Abandon() // as a kill does
	check("killed", false)
}

// A damaged list is reported, and hides no other.
func TestRecordsOfDamagedList(t *testing.T) {
	dir := t.TempDir()
	c, err := NewClaimIn(dir, "other")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := os.WriteFile(listPath(dir, "abcde"), []byte(`{"pid": 12, "names`), 0o644); err != nil {
		t.Fatal(err)
	}
	records, err := RecordsIn(dir)
	if err == nil || len(records) != 1 || records[0].Run != "other" || !records[0].Live {
		t.Errorf("%+v, %v", records, err)
	}
}
