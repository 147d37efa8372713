package appflow

import "testing"

func TestUDPField(t *testing.T) {
	const snmp = "Ip: Forwarding\nIp: 1\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors " +
		"SndbufErrors\nUdp: 10 0 7 12 7 0\nUdpLite: RcvbufErrors\nUdpLite: 9\n"
	if n := udpField([]byte(snmp), "RcvbufErrors"); n != 7 {
		t.Errorf("%d, want 7", n)
	}
	const snmp6 = "Ip6InReceives                   	5\nUdp6InDatagrams                 	10\nUdp6RcvbufErrors                	3\nUdpLite6RcvbufErrors 9\n"
	if n := udp6Field([]byte(snmp6), "RcvbufErrors"); n != 3 {
		t.Errorf("%d of IPv6, want 3", n)
	}
	if n := udp6Field(nil, "RcvbufErrors"); n != 0 {
		t.Errorf("%d of a kernel without IPv6", n)
	}
	if n := udpField([]byte("Udp: RcvbufErrors\n"), "RcvbufErrors"); n != 0 {
		t.Errorf("%d of a text without values", n)
	}
}
