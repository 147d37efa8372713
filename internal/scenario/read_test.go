package scenario

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/schema"
)

func TestEmptyFileHasTheDefaults(t *testing.T) {
	s, err := Read(nil, "dir/My test_1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Get("load-latency")
	if err != nil {
		t.Fatal(err)
	}
	want.Name, want.Title, want.Description, want.Study = "my-test-1", "", "", nil
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v\nwant %+v", s, want)
	}
}

func TestReadTakesEveryForm(t *testing.T) {
	s, err := Read([]byte(`
# a comment
name: small
loads: [1000, 150k, 1.5M, max]   # numbers and text
payload: 64B
duration: 1m
warmup: 0
sessions: 10000
teid: {uplink: 0x1000}
n3:
  prefix: 25
latency: {rate: 10}
external: {n3_interface: eth1, n6_interface: eth2}
`), "small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := []record.Load{{PPS: 1000}, {PPS: 150e3}, {PPS: 1.5e6}, {}}; !reflect.DeepEqual(s.Loads, want) {
		t.Errorf("loads %v, want %v", s.Loads, want)
	}
	if s.Payload != 64 || s.Duration.Duration != time.Minute || s.Warmup.Duration != 0 || s.Sessions != 10000 {
		t.Errorf("payload %d, duration %s, warmup %s, sessions %d", s.Payload, s.Duration, s.Warmup, s.Sessions)
	}
	if s.TEID.Uplink != 4096 || s.TEID.Downlink != 2 || s.N3.Prefix != 25 || s.N3.GNB != netip.MustParseAddr("192.168.13.131") {
		t.Errorf("teid %+v, n3 %+v: a section keeps what it does not name", s.TEID, s.N3)
	}
	if s.Latency.Rate.PPS != 10 || s.Latency.Duration.Duration != 2*time.Second {
		t.Errorf("latency %+v", s.Latency)
	}
	if want := (External{N3Interface: "eth1", N6Interface: "eth2", Dialect: "standard"}); *s.External != want {
		t.Errorf("external %+v, want %+v", *s.External, want)
	}
}

func TestOpenText(t *testing.T) {
	s, err := OpenText([]byte("payload: 200\n"), "dir/mine.yaml",
		[]string{"loads=10k,max", "payload=300", "payload = 400", "n3.prefix=25", "external.n3_interface=a",
			"external.n6_interface=b", "title=a, b"}, true)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "mine" || s.Payload != 400 || s.Title != "a, b" || s.N3.Prefix != 25 || s.External.N6Interface != "b" {
		t.Errorf("got %+v", s)
	}
	if want := []record.Load{{PPS: 10e3}, {}}; !reflect.DeepEqual(s.Loads, want) {
		t.Errorf("loads %v", s.Loads)
	}
	if s.Duration != s.Full.Duration || s.Latency != s.Full.Latency || s.Duration.Duration != time.Minute {
		t.Errorf("--full: duration %s, latency %+v", s.Duration, s.Latency)
	}
}

func TestOpenErrors(t *testing.T) {
	for arg, want := range map[string]string{
		"load-latncy": "did you mean load-latency?",
		"":            "no built-in scenario",
		"../secret":   "no built-in scenario",
	} {
		if _, err := Open(arg, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): error %v, want %q in it", arg, err, want)
		}
	}
}

func TestEffectiveReadsBack(t *testing.T) {
	for _, c := range []struct {
		name string
		sets []string
		full bool
	}{
		{name: "load-latency", full: true},
		{name: "quick", sets: []string{"external.n3_interface=eth1", "external.n6_interface=eth2", "title=  # not: a comment"}},
		{name: "scale", sets: []string{"loads=1234567,1.1M,max", "title=123", "description=", "duration=1m30s"}},
	} {
		want, err := Open(c.name, c.sets, c.full)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Effective(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read([]byte(text), "effective.yaml")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%s\ngot  %+v\nwant %+v", c.name, err, text, got, want)
		}
	}
}

// TestSetEqualsFile holds that --set means what the same line in a file means.
func TestSetEqualsFile(t *testing.T) {
	for _, key := range schema.Keys() {
		if key.Section || strings.HasPrefix(key.Path, "external.") || strings.HasPrefix(key.Path, "study.") {
			continue
		}
		set, errSet := Open("load-latency", []string{key.Path + "=" + key.Example}, false)
		doc, err := Parse(exampleFile(key), "load-latency.yaml")
		if err != nil {
			t.Fatal(err)
		}
		base, err := fromCatalog("load-latency")
		if err != nil {
			t.Fatal(err)
		}
		doc.root = base.root.Under(doc.root)
		file, errFile := doc.Scenario()
		if (errSet == nil) != (errFile == nil) || !reflect.DeepEqual(set, file) {
			t.Errorf("%s: --set gives %+v, %v; a file %+v, %v", key.Path, set, errSet, file, errFile)
		}
	}
}

// exampleFile is a file with one key that has its example.
func exampleFile(key schema.Key) []byte {
	var b strings.Builder
	parts := strings.Split(key.Path, ".")
	for depth, part := range parts {
		b.WriteString(strings.Repeat("  ", depth) + part + ":")
		if depth < len(parts)-1 {
			b.WriteString("\n")
		}
	}
	value := key.Example
	if key.List {
		value = "[" + value + "]"
	}
	return []byte(b.String() + " " + value + "\n")
}
