package scenario

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sized is a scenario with these sizes and directions.
func sized(t *testing.T, sizes, directions string, more ...string) (*Scenario, error) {
	t.Helper()
	return Open("load-latency", append([]string{"sizes=" + sizes, "directions=" + directions}, more...), false)
}

// TestPacketSizes holds sizes against frames counted by hand: on N3 Ethernet 14,
// IPv4 20, UDP 8, GTP-U 8 + 4 + 4, IPv4 20, UDP 8 and FCS 4 around the payload.
func TestPacketSizes(t *testing.T) {
	for _, c := range []struct {
		size     string
		up, down []int
	}{
		{"1400", []int{1400}, []int{1400}},
		{"32", []int{32}, []int{32}},
		{"1400B", []int{1400}, []int{1400}},
		{"payload:1400", []int{1400}, []int{1400}},
		{"inner:1428", []int{1400}, []int{1400}},
		{"inner:60", []int{32}, []int{32}},
		{"frame:1518", []int{1428}, []int{1472}},
		{"frame:122", []int{32}, []int{76}},
		{"imix", []int{32, 524, 32, 32, 524, 32, 1472, 32, 524, 32, 524, 32}, nil},
		{"genome:bbg", []int{82, 82, 1472}, nil},
		{"genome:az", []int{32, 1600 - 44 - 28}, nil},
	} {
		s, err := sized(t, c.size, "both")
		if err != nil {
			t.Errorf("%s: %v", c.size, err)
			continue
		}
		if c.down == nil {
			c.down = c.up
		}
		want := []PacketSize{{strings.TrimPrefix(c.size, "payload:"), c.up, c.down}}
		if got := s.PacketSizes(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", c.size, got, want)
		}
	}
}

// TestIMIXIsSevenFourOne counts what is sent.
func TestIMIXIsSevenFourOne(t *testing.T) {
	count := map[int]int{}
	for _, octets := range imix().octets {
		count[octets]++
	}
	if want := map[int]int{64: 7, 570: 4, 1518: 1}; !reflect.DeepEqual(count, want) {
		t.Errorf("imix has %v, want %v", count, want)
	}
}

func TestPayloadAloneWithoutSizes(t *testing.T) {
	s, err := Open("load-latency", []string{"payload=64"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.PacketSizes(); !reflect.DeepEqual(got, []PacketSize{{"64", []int{64}, []int{64}}}) {
		t.Errorf("%v", got)
	}
}

// TestRFC2544SizesThatFit: 64 octets carry no GTP-U, and not what a packet is
// recognized by on N6.
func TestRFC2544SizesThatFit(t *testing.T) {
	for _, directions := range []string{"uplink", "downlink", "both"} {
		s, err := sized(t, "rfc2544,frame:512,1000", directions)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range s.PacketSizes() {
			names = append(names, p.Name)
		}
		want := []string{"frame:128", "frame:256", "frame:512", "frame:1024", "frame:1280", "frame:1518", "1000"}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v", directions, names, want)
		}
		if notes := s.SizeNotes(); len(notes) != 1 || !strings.Contains(notes[0], "64 octets cannot be sent") {
			t.Errorf("%s: notes %q", directions, notes)
		}
	}
}

func TestMixturesTellWhatTheyLengthen(t *testing.T) {
	s, err := sized(t, "imix,genome:bbg", "uplink")
	if err != nil {
		t.Fatal(err)
	}
	if notes := s.SizeNotes(); len(notes) != 1 || !strings.Contains(notes[0], "in imix, frames of 64 octets are sent with 78") {
		t.Errorf("notes %q", notes)
	}
}

func TestSizesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ sizes, directions, want string }{
		{"frame:121", "uplink", "uplink the least is 122"},
		{"frame:100", "both", "uplink the least is 122"},
		{"frame:77", "downlink", "downlink the least is 78"},
		{"inner:59", "uplink", "the least is 60"},
		{"31", "uplink", "the least is 32"},
		{"8901", "uplink", "the most is 8900"},
		{"frame:1600", "uplink,downlink", "needs an MTU of 1626"},
		{"genome:i", "uplink", "the most is 8946"},
		{"genome:ab1", "uplink", "no letter of a genome"},
		{"genome:u", "uplink", "no letter of a genome"},
		{"genome:", "uplink", "1 to 1024 letters"},
		{"frame:", "uplink", "is not a size"},
		{"outer:100", "uplink", "is not a size"},
		{"IMIX", "uplink", "is not a size"},
		{"imix,imix", "uplink", "twice"},
		{"1400", "sideways", "directions takes a list of uplink, downlink, both"},
	} {
		_, err := sized(t, c.sizes, c.directions)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want it to say %q", c.directions, c.sizes, err, c.want)
		}
	}
	if _, err := sized(t, "frame:78", "downlink"); err != nil {
		t.Errorf("a frame that only N6 carries, downlink alone: %v", err)
	}
}

// TestSizesReadBack: a result's settings repeat the run.
func TestSizesReadBack(t *testing.T) {
	s, err := sized(t, "rfc2544,imix,genome:aab,1400,inner:100", "both,uplink")
	if err != nil {
		t.Fatal(err)
	}
	wantReadBack(t, s)
	if _, err := Read([]byte("sizes: [1400, frame:512, imix, 'genome:ab']\ndirections: [both]\n"), "flow.yaml"); err != nil {
		t.Error(err)
	}
}

// TestPayloadSize: a size has one name, however it is written; thresholds look for that.
func TestPayloadSize(t *testing.T) {
	spec, err := parsePacketSize("payload:64")
	if err != nil || spec.name != "64" || len(spec.octets) != 1 || spec.octets[0] != 64 {
		t.Errorf("payload:64 is %+v, %v", spec, err)
	}
}
