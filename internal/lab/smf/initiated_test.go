package smf

import (
	"net"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
)

// initiates is a UPF that starts the association (TS 29.244 clause 6.2.6.3) and discards its release.
func initiates() Dialect {
	d := Standard()
	d.Name, d.UPInitiates, d.ReleaseUnanswered = "initiates", true, true
	return d
}

// A UPF that has no NRF starts the association, sends its requests again until the
// SMF is there, beats, and discards the release.
func TestUPFsThatInitiate(t *testing.T) {
	for _, d := range []Dialect{initiates()} {
		t.Run(d.Name, func(t *testing.T) {
			u := fakeupf.Start(t, fakeupf.Script{NoRelease: true})
			conn := listen(t)
			smf := conn.LocalAddr()
			conn.Close() // the SMF is not there yet
			associated := make(chan error, 1)
			go func() { associated <- u.Initiate(smf, 20*time.Millisecond, 100) }()
			time.Sleep(50 * time.Millisecond) // some requests are lost

			c := dial(t, u.Addr(), d, func(cfg *Config) { cfg.Conn = listenAt(t, smf) })
			a, err := c.Associate(t.Context())
			if err != nil || a.NodeID != "127.0.0.1" || !a.Features.Has(FTUP) {
				t.Fatalf("association %+v, error %v", a, err)
			}
			if err := <-associated; err != nil {
				t.Fatal(err)
			}
			if err := u.Beat(smf, 50*time.Millisecond, 20); err != nil {
				t.Error(err)
			}
			comeAndGoInitiated(t, c, d, u)
		})
	}
}

// comeAndGoInitiated sees that sessions need nothing else, and that the release is not
// waited for.
func comeAndGoInitiated(t *testing.T, c *Client, d Dialect, u *fakeupf.UPF) {
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
	for _, m := range u.Requests() {
		if m.MessageType() == message.MsgTypeAssociationSetupRequest {
			t.Error("the SMF asked for an association too")
		}
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
