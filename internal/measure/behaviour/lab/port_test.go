package lab

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/arp"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// TestFramesHaveTheLengthOfALink: what a port sends is at the UPF's end as a link that is no veth would bring it.
func TestFramesHaveTheLengthOfALink(t *testing.T) {
	e, _ := bare(t, func(*site.Spec) {})
	links := e.site.Links()
	var upf port
	if err := upf.open(&links.UPFN3, &links.GNB); err != nil {
		t.Fatal(err)
	}
	defer upf.close()
	echo := packet.Outer{From: links.GNB.Addr, To: links.UPFN3.Addr}.Carry(gtpu.AppendEchoRequest(nil, 7))
	arrived := make(chan int, 100)
	upf.On(func(ip []byte) {
		if len(ip) >= len(echo) && string(ip[:len(echo)]) == string(echo) {
			arrived <- etherLen + len(ip)
		}
	})
	if err := e.n3.Send(echo); err != nil {
		t.Fatal(err)
	}
	select {
	case n := <-arrived:
		if n != 60 {
			t.Errorf("a packet of %d octets arrives in a frame of %d, want 60", len(echo), n)
		}
	case <-time.After(5 * time.Second):
		t.Error("nothing arrives")
	}
	if n := len(packet.Pad(arp.Frame(arp.Request, [6]byte{}, [6]byte{}, netip.IPv4Unspecified(), links.UPFN3.Addr))); n != 60 {
		t.Errorf("an ARP frame has %d octets, want 60", n)
	}
}
