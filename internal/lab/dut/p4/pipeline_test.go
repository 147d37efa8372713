package p4

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	p4v1 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/protobuf/proto"

	"github.com/upflab/upflab/internal/lab/dut/p4/p4rt"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

var small = programs{device: "testdata/bmv2.json", info: "testdata/p4info.txt"}

func load(t *testing.T, sessions int) p4rt.Program {
	t.Helper()
	p, _, err := loadProgram(small, cells(sessions), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCells(t *testing.T) {
	for sessions, want := range map[int]int{1: 1024, 127: 1024, 128: 1025, 10_000: 80_001} {
		if got := cells(sessions); got != want {
			t.Errorf("%d sessions: %d cells, want %d", sessions, got, want)
		}
	}
}

// As UP4 ships it where that is enough, octet by octet.
func TestProgramAsItIs(t *testing.T) {
	want, _ := os.ReadFile(small.device)
	if got := load(t, 100).Device; string(got) != string(want) {
		t.Errorf("it is %s", got)
	}
}

func TestProgramIsEnlarged(t *testing.T) {
	p := load(t, 1000)
	var have struct {
		Pipelines []struct {
			Tables []struct {
				Name string
				Size int `json:"max_size"`
			}
		}
		Counters []struct{ Size int } `json:"counter_arrays"`
		Meters   []struct {
			Size int
			Rate json.Number `json:"rate_count"`
		} `json:"meter_arrays"`
	}
	if err := json.Unmarshal(p.Device, &have); err != nil {
		t.Fatal(err)
	}
	for _, table := range have.Pipelines[0].Tables {
		if want := map[bool]int{true: 1024, false: 8001}[table.Name == "PreQosPipe.my_station"]; table.Size != want {
			t.Errorf("table %s has %d, want %d", table.Name, table.Size, want)
		}
	}
	if c, m := have.Counters, have.Meters; c[0].Size != 0 || c[1].Size != 8001 || c[2].Size != 8001 ||
		m[0].Size != 8001 || m[0].Rate != "12345678901234567890" || m[1].Size != 8001 || m[2].Size != 64 {
		t.Errorf("counters %v, meters %v", c, m)
	}
	if i := p.Info; i.Tables[0].Size != 1024 || i.Tables[2].Size != 8001 || i.Counters[0].Size != 8001 ||
		i.Meters[0].Size != 8001 || i.Meters[1].Size != 64 {
		t.Errorf("the P4Info is %v", i)
	}
}

func TestProgramOfSomethingElse(t *testing.T) {
	for text, want := range map[string]string{`{"pipelines": []}`: "is it UP4's bmv2.json?", `{`: "unexpected EOF", `[]`: "cannot unmarshal"} {
		file := filepath.Join(t.TempDir(), deviceFile)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := loadProgram(programs{device: file, info: small.info}, 2000, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Values are in the shortest form, and a prefix of no bits is left out (P4Runtime
// 1.3, clauses 8.4 and 9.1.1).
func TestEntries(t *testing.T) {
	tb := bed()
	list, err := entries(load(t, 1), tb)
	if err != nil || len(list) != 4 {
		t.Fatalf("%v, %v", list, err)
	}
	exact := func(mac string) *p4v1.FieldMatch {
		return &p4v1.FieldMatch{FieldId: 1, FieldMatchType: &p4v1.FieldMatch_Exact_{Exact: &p4v1.FieldMatch_Exact{Value: []byte(mac)}}}
	}
	plain := &p4v1.TableAction{Type: &p4v1.TableAction_Action{Action: &p4v1.Action{ActionId: 201}}}
	route := func(from, to, port string) *p4v1.TableAction {
		a := &p4v1.Action{ActionId: 202, Params: []*p4v1.Action_Param{
			{ParamId: 1, Value: []byte(from)}, {ParamId: 2, Value: []byte(to)}, {ParamId: 3, Value: []byte(port)}}}
		return &p4v1.TableAction{Type: &p4v1.TableAction_ActionProfileActionSet{ActionProfileActionSet: &p4v1.ActionProfileActionSet{
			ActionProfileActions: []*p4v1.ActionProfileAction{{Action: a, Weight: 1}}}}}
	}
	gnb := &p4v1.FieldMatch{FieldId: 7,
		FieldMatchType: &p4v1.FieldMatch_Lpm{Lpm: &p4v1.FieldMatch_LPM{Value: []byte{192, 168, 13, 1}, PrefixLen: 32}}}
	for i, want := range []*p4v1.TableEntry{
		{TableId: 101, Match: []*p4v1.FieldMatch{exact("\x02\x00\x00\x00\x03\x02")}, Action: plain},
		{TableId: 101, Match: []*p4v1.FieldMatch{exact("\x06\x02")}, Action: plain},
		{TableId: 102, Match: []*p4v1.FieldMatch{gnb}, Action: route("\x02\x00\x00\x00\x03\x02", "\x02\x00\x00\x00\x03\x01", "\x01")},
		{TableId: 102, Action: route("\x06\x02", "\x02\x00\x00\x00\x06\x01", "\x02")},
	} {
		if !proto.Equal(list[i], want) {
			t.Errorf("entry %d is %v, want %v", i, list[i], want)
		}
	}
	if _, err := entries(p4rt.Program{}, &sitetest.Fake{}); err == nil || !strings.Contains(err.Error(), "my_station") {
		t.Errorf("of an empty program: %v", err)
	}
}

func TestBetween(t *testing.T) {
	pre, post := map[int64]uint64{0: 5, 1: 100, 2: 7}, map[int64]uint64{0: 9, 1: 90}
	if got := between(pre, post); got != 17 {
		t.Errorf("%d, want 17", got)
	}
}
