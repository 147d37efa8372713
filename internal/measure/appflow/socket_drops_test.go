package appflow

import "testing"

func TestUDPField(t *testing.T) {
	const snmp = "Ip: Forwarding\nIp: 1\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors " +
		"SndbufErrors\nUdp: 10 0 7 12 7 0\nUdpLite: RcvbufErrors\nUdpLite: 9\n"
	if n := udpField([]byte(snmp), "RcvbufErrors"); n != 7 {
		t.Errorf("%d, want 7", n)
	}
	if n := udpField([]byte("Udp: RcvbufErrors\n"), "RcvbufErrors"); n != 0 {
		t.Errorf("%d of a text without values", n)
	}
}
