package smf

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
)

// lifelong takes three sessions through their life with a UPF of the script.
// The UPF chooses the F-TEIDs.
func lifelong(t *testing.T, script fakeupf.Script, more ...func(*Config)) (*Client, error) {
	t.Helper()
	c, _ := against(t, script, more...)
	sessions := manySessions(3)
	for i := range sessions {
		sessions[i].UplinkTEID = 0
	}
	e, err := c.Establish(t.Context(), sessions)
	if err != nil {
		return c, err
	}
	if e, err = c.Modify(t.Context(), e, func(Established) Change { return Change{Action: rules.Drop} }); err != nil {
		return c, err
	}
	return c, c.Delete(t.Context(), e)
}

// inSession changes answers of sessions only; the association is made truthfully.
func inSession(change func(b []byte) []byte) func([]byte) []byte {
	return func(b []byte) []byte {
		if pfcp.MessageType(b[1]).OfSession() {
			return change(b)
		}
		return b
	}
}

// firstOnly lies once in a request: the repetition gets the true answer.
func firstOnly(change func(b []byte)) func([]byte) []byte {
	lied := map[[3]byte]bool{}
	return inSession(func(b []byte) []byte {
		seq := [3]byte(b[12:15])
		if !lied[seq] {
			lied[seq] = true
			change(b)
		}
		return b
	})
}

// elsewhere opens a socket at another address or port than that of the UPF.
func elsewhere(t *testing.T, addr string) net.PacketConn {
	t.Helper()
	conn, err := net.ListenPacket("udp4", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestLiesAreFound(t *testing.T) {
	for _, c := range []struct {
		code    string
		script  fakeupf.Script
		count   uint64 // of nine requests
		also    string // a finding that comes with it
		example string // part of it
	}{
		{FindingSEIDWrong, fakeupf.Script{Mangle: inSession(func(b []byte) []byte {
			binary.BigEndian.PutUint64(b[4:], 0xbad)
			return b
		})}, 9, "", "SEID 0xbad in the Session Establishment Response of session "},
		{FindingSEIDMissing, fakeupf.Script{Mangle: inSession(func(b []byte) []byte {
			clear(b[4:12])
			return b
		})}, 9, "", "the Session Establishment Response of session "},
		{FindingSEIDMissing, fakeupf.Script{Mangle: inSession(withoutSEID)}, 9, "", "the Session Establishment Response of session "},
		{FindingUPSEIDReused, fakeupf.Script{OneSEID: true}, 2, FindingSEIDWrong, " has UP SEID 0x5001, as has the session with CP SEID 0x"},
		{FindingFTEIDReused, fakeupf.Script{OneTEID: true}, 2, "", " has TEID 0x5001 at 127.0.0.3, as has the session with CP SEID 0x"},
		{FindingSequence, fakeupf.Script{Mangle: firstOnly(func(b []byte) { b[12] ^= 0x80 })}, 9, FindingRepeated,
			"a Session Establishment Response with sequence number "},
		{FindingType, fakeupf.Script{Mangle: firstOnly(func(b []byte) { b[1] = byte(pfcp.SessionReportResponse) })}, 9, FindingRepeated,
			"a Session Report Response to the Session Establishment Request of session "},
		{FindingPort, fakeupf.Script{Elsewhere: elsewhere(t, "127.0.0.1:0")}, 9, "", "a Session Establishment Response from 127.0.0.1:"},
		{FindingDoubled, fakeupf.Script{Twice: true}, 11, "", "answer 2 to the Association Setup Request, which was sent 1 times"},
		{FindingRepeated, fakeupf.Script{DropFirst: 1}, 9, "", "the Session Establishment Request of session "},
	} {
		t.Run(c.code, func(t *testing.T) {
			// A request is repeated where the lie makes it so, not where the machine paused.
			t1 := 5 * time.Second
			if FindingRepeated == c.code || FindingRepeated == c.also {
				t1 = 200 * time.Millisecond
			}
			client, err := lifelong(t, c.script, func(cfg *Config) { cfg.T1 = t1 })
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Heartbeat(t.Context()); err != nil { // comes after all answers
				t.Fatal(err)
			}
			got := found(client, c.code)
			if got.Count+1 < c.count || got.Count > c.count+1 || !strings.Contains(got.Example, c.example) {
				t.Errorf("%+v, want about %d with an example %q", got, c.count, c.example)
			}
			for _, f := range client.Findings() {
				if f.Code != c.code && f.Code != c.also {
					t.Errorf("found, too: %+v", f)
				}
			}
		})
	}
}

// withoutSEID takes the SEID and its flag out of a message.
func withoutSEID(b []byte) []byte {
	b = append(b[:4:4], b[12:]...)
	b[0] &^= 1
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)-4))
	return b
}

// found is the client's finding of a kind.
func found(c *Client, code string) record.N4Finding {
	for _, f := range c.Findings() {
		if f.Code == code {
			return f
		}
	}
	return record.N4Finding{}
}

// An answer from another address is not taken, whatever it says.
func TestAnswersFromAnotherAddressAreFoundAndDropped(t *testing.T) {
	c, err := lifelong(t, fakeupf.Script{Elsewhere: elsewhere(t, "127.0.0.2:0")})
	if err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("error %v, want that none came", err)
	}
	if f := found(c, FindingAddress); f.Count == 0 || !strings.Contains(f.Example, "a Session Establishment Response from 127.0.0.2:") {
		t.Errorf("%+v", f)
	}
}

func TestAnswersToNothingAreFound(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	answer := []byte{0x20, byte(pfcp.HeartbeatResponse), 0, 12, 1, 2, 3, 0, 0, 96, 0, 4, 0xeb, 0xea, 0x49, 0x80}
	copy(answer[4:], []byte{byte(^c.seq.Next() >> 16)}) // far from any that was used
	if err := u.Send(c.cfg.Conn.LocalAddr(), answer); err != nil {
		t.Fatal(err)
	}
	if err := u.Send(c.cfg.Conn.LocalAddr(), []byte("GET /")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Establish(t.Context(), manySessions(1)); err != nil { // comes after them
		t.Fatal(err)
	}
	if f := found(c, FindingUnasked); f.Count != 1 || !strings.HasPrefix(f.Example, "a Heartbeat Response with sequence number ") {
		t.Errorf("%+v", f)
	}
	if f := found(c, FindingMalformed); f.Count != 1 || f.Example != "5 octets: datagram is shorter than a PFCP header" {
		t.Errorf("%+v", f)
	}
}

func TestAnAnswerOfTheWrongTypeIsNoAnswer(t *testing.T) {
	c, err := lifelong(t, fakeupf.Script{Mangle: inSession(func(b []byte) []byte { b[1] = byte(pfcp.SessionDeletionResponse); return b })})
	if err == nil || !strings.Contains(err.Error(), "malformed Session Deletion Response: Session Establishment Response was due") {
		t.Errorf("error %v", err)
	}
	if f := found(c, FindingType); f.Count == 0 {
		t.Errorf("findings %+v", c.Findings())
	}
}

func TestRestartIsFound(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	u.Restart()
	if _, err := c.Heartbeat(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := found(c, FindingRestarted); f.Count != 1 || f.Example != "at 2023-11-14T22:14:20Z" {
		t.Errorf("%+v", f)
	}
}

func TestSessionsThatAreGoneHoldNothing(t *testing.T) {
	s := newHeld()
	one := &Established{CPSEID: 1, UPSEID: 7, UplinkTEID: 9, N3: netip.MustParseAddr("10.10.3.2")}
	other := *one
	other.CPSEID = 2
	s.add(one)
	if sameUP, sameTEID := s.add(&other); sameUP != 1 || sameTEID != 1 {
		t.Errorf("UP SEID of %d, F-TEID of %d, want 1", sameUP, sameTEID)
	}
	s.remove(1)
	s.remove(2)
	if sameUP, sameTEID := s.add(one); sameUP != 0 || sameTEID != 0 {
		t.Errorf("UP SEID of %d, F-TEID of %d, which are gone", sameUP, sameTEID)
	}
}

func TestFindingsAreRemarks(t *testing.T) {
	for _, f := range sentences {
		text := FindingRemark(record.N4Finding{Code: f.code, Count: 2, Example: "x"})
		if !strings.HasPrefix(text, "It") || !strings.HasSuffix(text, ": 2 times; first: x.") {
			t.Errorf("%s: %q", f.code, text)
		}
	}
}

// What a UPF sends again is answered as before and counted once.
func TestRepeatedRequestsOfTheUPFAreCountedOnce(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	report := golden(t, "upf/session-report-request")
	for range 3 {
		if err := u.Send(c.cfg.Conn.LocalAddr(), report); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Heartbeat(t.Context()); err != nil { // comes after them
		t.Fatal(err)
	}
	if s := c.Stats(); s.Reports != 1 || s.Sent-s.Retransmitted != 5 {
		t.Errorf("stats %+v, want one report, answered 3 times", s)
	}
}
