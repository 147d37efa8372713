package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// recorded is the dialect in testdata/n4.pcap by what testdata/captures.py says with scapy.
const recorded = `name: some
source: scapy

5 Association Setup Request
  60 Node ID: 00 {smf}
  96 Recovery Time Stamp: {recovery}

50 Session Establishment Request
  60 Node ID: 00 {smf}
  57 F-SEID: 02 {seid} {smf}
  1 Create PDR
    56 PDR ID: 0001
    29 Precedence: 00000020
    2 PDI
      20 Source Interface: 00
      21 F-TEID: 01 {teid} {n3}
      22 Network Instance: {instance.labels}
      93 UE IP Address: 02 {ue}
    95 Outer Header Removal: 00
    108 FAR ID: 00000001
  3 Create FAR
    108 FAR ID: 00000001
    44 Apply Action: 02
    4 Forwarding Parameters
      42 Destination Interface: 01

52 Session Modification Request
  10 Update FAR
    108 FAR ID: 00000002
    11 Update Forwarding Parameters
      84 Outer Header Creation: 0100 {tunnel} {gnb}

52 Session Modification Request
  10 Update FAR
    108 FAR ID: 00000002
    11 Update Forwarding Parameters
      84 Outer Header Creation: 0100 {tunnel2} {gnb2}

52 Session Modification Request
  10 Update FAR
    108 FAR ID: 00000002
    11 Update Forwarding Parameters
      84 Outer Header Creation: 0100 {tunnel} {gnb}

54 Session Deletion Request

9 Association Release Request
  60 Node ID: 00 {smf}
`

func open(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestRecord(t *testing.T) {
	for _, name := range []string{"n4.pcap", "n4.pcapng"} {
		d, err := Record("some", "scapy", open(t, name), 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.String() != recorded {
			t.Errorf("%s: the dialect is\n%s", name, d)
		}
	}
	d, err := Record("some", "scapy", open(t, "n4.pcap"), 2)
	if err != nil || len(d.Messages) != 4 {
		t.Errorf("session 2: %v\n%s", err, d)
	}
}

// TestCapturesOfSMFs: the dialects that were captured are what their captures have.
func TestCapturesOfSMFs(t *testing.T) {
	for _, d := range Dialects() {
		file := map[string]string{"open5gs": "open5gs-smf.pcap", "pfcpsim": "pfcpsim.pcap"}[d.Name]
		if file == "" {
			continue
		}
		got, err := Record(d.Name, d.Source, open(t, filepath.Join("..", "..", "attack", "testdata", file)), 1)
		if err != nil || got.String() != d.String() {
			t.Errorf("%s: %v\n%s", file, err, got)
		}
	}
}

func TestRecordRefuses(t *testing.T) {
	for _, c := range []struct {
		file, says string
		session    int
	}{
		{"cut.pcap", "cut off or damaged after packet", 1},
		{"esp.pcap", "N4 is encrypted: 3 of 3 packets are ESP", 1},
		{"http.pcap", "none of its 1 packets is PFCP", 1},
		{"noise.pcap", "what is not PFCP", 1},
		{"no-association.pcap", "there is no Association Setup Request before packet 1", 1},
		{"no-session.pcap", "no Session Establishment Request", 1},
		{"refused.pcap", "did not accept session 1", 1},
		{"fragments.pcap", "packet 3 is a fragment", 1},
		{"captures.py", "it is not a capture", 1},
		{"n4.pcap", "no session 3", 3},
	} {
		if _, err := Record("some", "", open(t, c.file), c.session); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want: %s", c.file, err, c.says)
		}
	}
}

func TestParseIsString(t *testing.T) {
	for _, d := range Dialects() {
		again, err := Parse(d.String())
		if err != nil || again.String() != d.String() || d.Source == "" {
			t.Errorf("%s: %v, source %q", d.Name, err, d.Source)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const session = "name: a\n50 Session Establishment Request\n"
	for _, c := range []struct{ text, says string }{
		{"", "name is missing"},
		{"name: A b\n", "name is missing or wrong"},
		{"root:$6$secret:20000\n", "line 1: its key is not known"},
		{session + "secret\n", "line 3: it does not begin with the number"},
		{"name: secret!\n", "name is missing or wrong"},
		{"name: a\n", "has no Session Establishment Request"},
		{"name: a\ncolour: red\n", "line 2: its key is not known"},
		{"name: a\n52 Session Modification Request\n", "there is no session"},
		{session + "50 Session Establishment Request\n", "a dialect is one session"},
		{session + "51 Session Establishment Response\n", "type 51"},
		{session + "999 x\n", "not a message type"},
		{session + "  60 Node ID: 00 {smf\n", "lacks a }"},
		{session + "  60 Node ID: 00 {upf}\n", "{upf} is not known"},
		{session + "  60 Node ID: zz\n", "neither octets in hexadecimal"},
		{session + "      60 Node ID: 00\n", "indented by 6 blanks"},
		{session + "  1 Create PDR\n    2 PDI\n      131 Traffic Endpoint ID: 01\n", "IE 131 (Traffic Endpoint ID): what it refers to"},
		{session + "  1 Create PDR\n    106 Activate Predefined Rules: 41\n", "IE 106 (Activate Predefined Rules): what it refers to"},
		{session + "  23 SDF Filter: secret\n", "neither octets in hexadecimal"},
		{session + "  1 Create PDR: 00\n", "is a group"},
		{session + "  23 SDF Filter: 0100 flow \"permit\n", "closing quote"},
	} {
		if _, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want: %s", c.text, err, c.says)
		}
	}
}

// TestReadOpensRegularFiles: nothing waits for a pipe, and a large file is not read.
func TestReadOpensRegularFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, "pipe.n4"), filepath.Join(dir, "large.n4")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxText+1); err != nil {
		t.Fatal(err)
	}
	for file, says := range map[string]string{pipe: "not a regular file", large: "too large", "/dev/zero": "not a regular file", dir: "not a regular file"} {
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want: %s", file, err, says)
		}
	}
}
