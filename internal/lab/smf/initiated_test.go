package smf

import (
	"net"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
)

// A UPF that has no NRF starts the association (TS 29.244 clause 6.2.6.3), sends its requests again until the
// SMF is there, beats, and discards the release. OAI-CN5G-UPF and SPGWU-tiny do, and take the SMF's request, too.
func TestUPFsThatInitiate(t *testing.T) {
	for _, d := range []Dialect{OAI(), OAIXDP(), SPGWUTiny()} {
		t.Run(d.Name, func(t *testing.T) {
			u := fakeupf.Start(t, fakeupf.Script{NoRelease: true})
			conn := listen(t)
			smf := conn.LocalAddr()
			conn.Close() // the SMF is not there yet
			associated := make(chan error, 1)
			go func() { associated <- u.Initiate(smf, 20*time.Millisecond, 100) }()
			time.Sleep(50 * time.Millisecond) // some requests are lost

			c := dial(t, u.Addr(), d, func(cfg *Config) { cfg.Conn = listenAt(t, smf) })
			if err := <-associated; err != nil || !c.isAssociated() {
				t.Fatalf("associated: %t, error %v", c.isAssociated(), err)
			}
			a, err := c.Associate(t.Context())
			if err != nil || a.NodeID != "127.0.0.1" || !a.Features.Has(FTUP) {
				t.Fatalf("association %+v, error %v", a, err)
			}
			if err := u.Beat(smf, 50*time.Millisecond, 20); err != nil {
				t.Error(err)
			}
			comeAndGoInitiated(t, c, d)
		})
	}
}

// comeAndGoInitiated sees that sessions need nothing else, and that the release is not
// waited for.
func comeAndGoInitiated(t *testing.T, c *Client, d Dialect) {
	t.Helper()
	sessions := manySessions(3)
	if d.Assign == AssignUPF {
		for i := range sessions {
			sessions[i].UplinkTEID = 0
		}
	}
	e, err := c.Establish(t.Context(), sessions)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), e); err != nil {
		t.Error(err)
	}
	start := time.Now()
	if err := c.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > c.cfg.T1 {
		t.Errorf("the release took %v: an answer was waited for", took)
	}
}

func listenAt(t *testing.T, at net.Addr) net.PacketConn {
	t.Helper()
	conn, err := net.ListenPacket("udp4", at.String())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
