package telemetry

import (
	"os"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func byPlace(list []record.Count) map[record.Place]uint64 {
	m := map[record.Place]uint64{}
	for _, c := range list {
		m[c.Place] = c.Packets
	}
	return m
}

func TestSNMPDrops(t *testing.T) {
	text, err := os.ReadFile("testdata/snmp.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := byPlace(snmpDrops(string(text)))
	want := map[record.Place]uint64{
		"IP header errors": 11, "IP address errors": 12, "IP input discarded": 13, "IP output discarded": 14, "no route": 15,
		"no socket on the UDP port": 21, "UDP socket buffer full": 23, "UDP checksum errors": 25,
	}
	for place, n := range want {
		if got[place] != n {
			t.Errorf("%s: %d, want %d", place, got[place], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("it read %v", got)
	}
}

func TestSNMPDropsOfOddText(t *testing.T) {
	for _, text := range []string{
		"", "\n\n", "Ip:\nIp:\n", "Ip: InDiscards\n", "Ip: InDiscards\nIp: x\n",
		"Udp: NoPorts\nIp: InDiscards\n", "Udp: NoPorts InErrors\nUdp:\n",
	} {
		if got := snmpDrops(text); len(got) > 0 {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	if got := byPlace(snmpDrops("Udp: NoPorts\nIp: InDiscards\nIp: 4\n")); got["IP input discarded"] != 4 {
		t.Errorf("names without values hide what follows: %v", got)
	}
}
