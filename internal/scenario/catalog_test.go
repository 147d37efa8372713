package scenario

import (
	"testing"
	"time"
)

func TestCatalogIsValid(t *testing.T) {
	entries, err := List()
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names()) {
		t.Errorf("%d entries for %d files", len(entries), len(names()))
	}
	for i, e := range entries {
		if e.Name != names()[i] {
			t.Errorf("the file %s.yaml is named %q inside", names()[i], e.Name)
		}
		if e.Title == "" || e.Description == "" {
			t.Errorf("%s has no title or no description", e.Name)
		}
	}
}

// trials is the traffic time of one DUT.
func trials(s *Scenario) time.Duration {
	around := s.Warmup.Duration + s.Settle.Duration
	loads := time.Duration(len(s.Loads)) * (s.Duration.Duration + around)
	return time.Duration(s.Repeats*len(s.Directions)) * (loads + s.Latency.Duration.Duration + around)
}

// TestTimes checks the promised time of a run with wire, without set-up.
func TestTimes(t *testing.T) {
	for name, limit := range map[string]time.Duration{"quick": 12 * time.Second, "load-latency": 100 * time.Second} {
		s, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if both := 2 * trials(s); both > limit {
			t.Errorf("%s: two DUTs take %s, want at most %s", name, both, limit)
		}
	}
}

// TestLoadLatencyIsTheStudys compares with what the study printed.
func TestLoadLatencyIsTheStudys(t *testing.T) {
	s, err := Open("load-latency", nil, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, got, want string }{
		{"gNB", s.N3.GNB.String(), "192.168.13.131"},
		{"UPF N3", s.N3.UPF.String(), "192.168.13.151"},
		{"PFCP client", s.N4.SMF.String(), "192.168.14.111"},
		{"UPF N4", s.N4.UPF.String(), "192.168.14.151"},
		{"UPF N6", s.N6.UPF.String(), "192.168.16.151"},
		{"data network", s.N6.DN.String(), "192.168.16.152"},
		{"UE", s.UE.First.String(), "10.45.0.2"},
		{"load trial", s.Duration.String(), "1m"},
		{"latency trial", s.Latency.Duration.String(), "10s"},
		{"latency rate", s.Latency.Rate.String(), "1"},
		{"year", s.Study.URL, "https://github.com/s5uishida/simple_measurement_of_upf_performance_10"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %s, the study has %s", c.what, c.got, c.want)
		}
	}
	if s.Payload != 1400 || s.TEID.Uplink != 1 || s.TEID.Downlink != 2 || s.Sessions != 1 {
		t.Errorf("payload %d, TEIDs %+v, sessions %d", s.Payload, s.TEID, s.Sessions)
	}
}

// TestFullIsTheStandards holds what RFC 2544 clauses 23 to 26 ask for.
func TestFullIsTheStandards(t *testing.T) {
	s, err := Open("rfc2544", nil, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"preset", s.Search.Preset, "rfc2544"},
		{"residual frames", s.Settle.Duration, 2 * time.Second},
		{"pause", s.Search.Pause.Duration, 5 * time.Second},
		{"latency trial", s.Latency.Duration.Duration, 2 * time.Minute},
		{"latency repeats", s.Search.LatencyRepeats, 20},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	plain, err := Open("ndr", nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Search.Preset != "quick" || plain.Search.LatencyRepeats != 1 || plain.Settle.Duration != 50*time.Millisecond {
		t.Errorf("--full of a scenario that replaces no search: %+v, settle %v", plain.Search, plain.Settle)
	}
}
