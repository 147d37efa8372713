package seeded

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
)

// TestMain has more tests run at a time than there are CPUs: they mostly wait.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "30"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// smoke are cases that each fault is run against besides those that are near it.
var smoke = []string{"pdr.teid", "pdr.two-sessions", "far.drop.downlink", "far.path-switch",
	"far.end-marker.not-asked", "qer.gate.downlink", "qer.qfi",
	"urr.volume.downlink", "fteid.choose", "session.modify.remove-pdr", "session.unknown.delete", "n4.heartbeat", "gtpu.echo", "ip.dscp"}

// alone keeps tests from having each other's addresses.
var alone struct {
	sync.Mutex
	host uint16
}

func open(t *testing.T, f Fault) *behaviour.Bench { return bench(t, start(t, f)) }

func start(t *testing.T, f Fault) *UPF {
	t.Helper()
	alone.Lock()
	alone.host++
	host := alone.host
	alone.Unlock()
	u, err := Start(f, host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	})
	return u
}

func bench(t *testing.T, lab behaviour.Lab) *behaviour.Bench {
	t.Helper()
	b, err := behaviour.New(context.Background(), lab)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// run makes one case, and again where the machine was too busy for it.
func run(t *testing.T, b *behaviour.Bench, id string) (row record.Case) {
	t.Helper()
	list, err := cases.Select([]string{id})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if list[i].ID == id {
			for range 5 {
				var err error
				if row, err = b.Run(context.Background(), &list[i], ""); err != nil {
					t.Fatal(err)
				}
				if row.Verdict != record.VerdictNotApplicable {
					break
				}
			}
			return row
		}
	}
	t.Fatalf("no case %s", id)
	return record.Case{}
}

// TestDocumentCountsTheFaults: behaviour.md says how many faults there are.
func TestDocumentCountsTheFaults(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/behaviour.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("in memory with %d faults", len(Faults())); !strings.Contains(string(text), want) {
		t.Errorf("docs/behaviour.md does not say %q", want)
	}
}

// TestFaults: each fault is found by the case that names it, and by no other that asks
// for something else; with -short the others are not asked.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range Faults() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			b := open(t, f)
			if row := run(t, b, f.Row); !row.Verdict.Bad() {
				t.Errorf("%s does not find it: %s", f.Row, row.Verdict)
			}
			if testing.Short() {
				return
			}
			for _, id := range smoke {
				if id == f.Row || slices.Contains(f.Also, id) {
					continue
				}
				if row := run(t, b, id); row.Verdict.Bad() {
					t.Errorf("%s is %s, and asks for something else: %s: %s", id, row.Verdict, row.Expected, row.Observed)
				}
			}
		})
	}
}

// lossy are things that a network does and a UPF is not to blame for.
func lossy() map[string]Fault {
	seen := map[[3]byte]bool{}
	return map[string]Fault{
		"the first transmission of each session report is lost": {Answer: func(m []byte) []byte {
			const sequence = 12
			id := [3]byte(m[sequence:])
			if pfcp.MessageType(m[1]) == pfcp.SessionReportRequest && !seen[id] {
				seen[id] = true
				return nil
			}
			return m
		}},
		"another identification of packets with DF": {Leaving: func(_ int, uplink bool, ip []byte) [][]byte {
			if uplink && ip[0] == 0x45 && ip[6]&0x7f == 0x40 {
				ip[4] ^= 1
				checksum.SealIPv4(ip[:20])
			}
			return [][]byte{ip}
		}},
	}
}

// TestWhatANetworkDoesIsNoFinding: a UPF that repeats what was lost, as it has to, is right.
func TestWhatANetworkDoesIsNoFinding(t *testing.T) {
	t.Parallel()
	for name, f := range lossy() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := cases.Select([]string{"urr", "ip.mtu", "far.notify", "far.buffer", "n4.report.seid", "gtpu.error-indication", "session.modify.update-urr"})
			if err != nil {
				t.Fatal(err)
			}
			b := open(t, f)
			for i := range list {
				if row := run(t, b, list[i].ID); row.Verdict.Bad() {
					t.Errorf("%s is %s: %s: %s", row.ID, row.Verdict, row.Expected, row.Observed)
				}
			}
		})
	}
}

// TestNoFault: a UPF without a fault has no finding.
func TestNoFault(t *testing.T) {
	t.Parallel()
	all := cases.All()
	const parts = 24
	for part := range parts {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			b := open(t, Fault{})
			for i := part; i < len(all); i += parts {
				row := run(t, b, all[i].ID)
				if row.Verdict.Bad() {
					t.Errorf("%s is %s: %s: %s", row.ID, row.Verdict, row.Expected, row.Observed)
				}
			}
		})
	}
}
