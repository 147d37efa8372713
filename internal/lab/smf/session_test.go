package smf

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
)

func TestSessionsLiveAndDie(t *testing.T) {
	c, u := against(t, fakeupf.Script{}, unhurried)
	e, err := c.Establish(t.Context(), manySessions(200))
	if err != nil || len(e) != 200 {
		t.Fatalf("%d established: %v", len(e), err)
	}
	seen := map[uint64]bool{}
	for i, s := range e {
		if s.Index != i || s.CPSEID == 0 || s.UPSEID == 0 || seen[s.UPSEID] || s.UplinkTEID != uint32(2*i+1) {
			t.Fatalf("session %d is %+v", i, s)
		}
		seen[s.UPSEID] = true
	}
	gnb := netip.MustParseAddr("10.10.3.9")
	moved, err := c.Modify(t.Context(), e, func(e Established) Change { return Change{GNB: gnb, TEID: 1000 + e.DownlinkTEID} })
	if err != nil || moved[7].GNB != gnb || moved[7].DownlinkTEID != 1016 || e[7].GNB == gnb {
		t.Errorf("moved to %+v: %v", moved[7], err)
	}
	if err := c.Delete(t.Context(), moved); err != nil {
		t.Error(err)
	}
	if n := len(u.Requests()); n != 1+3*200 {
		t.Errorf("%d requests", n)
	}
	if n := c.sessions.len() + len(c.sessions.byUP) + len(c.sessions.fteids); n != 0 {
		t.Errorf("%d sessions, UP SEIDs and F-TEIDs are left", n)
	}
	if f := c.Findings(); f != nil {
		t.Errorf("findings about a faultless UPF: %+v", f)
	}
}

func TestChooseTakesTheUPFsTEID(t *testing.T) {
	c, _ := against(t, fakeupf.Script{})
	s := manySessions(1)
	s[0].UplinkTEID, s[0].N3 = 0, netip.Addr{}
	e, err := c.Establish(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if e[0].UplinkTEID != uint32(e[0].UPSEID) || e[0].N3 != netip.MustParseAddr("127.0.0.3") {
		t.Errorf("established %+v", e[0])
	}
}

func TestChooseThatIsIgnoredIsAnError(t *testing.T) {
	c, _ := against(t, fakeupf.Script{NoFTEID: true})
	s := manySessions(1)
	s[0].UplinkTEID = 0
	e, err := c.Establish(t.Context(), s)
	if err == nil || !strings.Contains(err.Error(), "assign: smf") {
		t.Errorf("error %v", err)
	}
	if len(e) != 1 {
		t.Errorf("%d sessions to delete, want the one that the UPF has", len(e))
	}
}

func TestRejectionNamesEverything(t *testing.T) {
	script := fakeupf.Script{Reject: func(n int, typ uint8) *fakeupf.Rejection {
		return &fakeupf.Rejection{Cause: 73, OffendingIE: 109, FailedPDR: 2}
	}}
	c, _ := against(t, script)
	s := manySessions(18)[17:]
	_, err := c.Establish(t.Context(), s)
	var r *RejectedError
	if !errors.As(err, &r) || r.Cause != 73 || r.OffendingIE != 109 || *r.FailedRule != (FailedRule{"PDR", 2}) || r.Session.Index != 17 {
		t.Fatalf("error %#v", err)
	}
	want := `UPF rejected session 17 (UE 10.45.0.19): cause 73 "Rule creation/modification Failure", offending IE 109 (QER ID), failed rule PDR 2;`
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v\n want %s", err, want)
	}
}

func TestRejectionInTheMiddleStopsAndTellsWhatIsThere(t *testing.T) {
	script := fakeupf.Script{Reject: func(n int, typ uint8) *fakeupf.Rejection {
		if n < 100 {
			return nil
		}
		return &fakeupf.Rejection{Cause: 75}
	}}
	c, u := against(t, script, unhurried)
	e, err := c.Establish(t.Context(), manySessions(1000))
	if len(e) != 100 || !strings.Contains(err.Error(), `cause 75 "No resources available"`) {
		t.Fatalf("%d established: %v", len(e), err)
	}
	if n := len(u.Requests()); n > 1+100+2*defaultWindow {
		t.Errorf("%d requests were sent in spite of the rejection", n)
	}
}

func TestModificationAndDeletionNameTheirMessage(t *testing.T) {
	script := fakeupf.Script{Reject: func(n int, typ uint8) *fakeupf.Rejection {
		if typ == message.MsgTypeSessionEstablishmentRequest {
			return nil
		}
		return &fakeupf.Rejection{Cause: ie.CauseSessionContextNotFound}
	}}
	c, _ := against(t, script)
	e, err := c.Establish(t.Context(), manySessions(1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Modify(t.Context(), e, func(Established) Change { return Change{Action: rules.Drop} })
	if err == nil || !strings.Contains(err.Error(), "rejected the Session Modification Request of session 0 (UE 10.45.0.2)") {
		t.Errorf("error %v", err)
	}
	err = c.Delete(t.Context(), e)
	if err == nil || !strings.Contains(err.Error(), "rejected the Session Deletion Request of session 0") {
		t.Errorf("error %v", err)
	}
}

func TestLostAndDoubledMessagesAreBorne(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{DropFirst: 2, Twice: true})
	c := dial(t, u.Addr(), Standard(), patient)
	if _, err := c.Associate(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, err := c.Establish(t.Context(), manySessions(100))
	if err != nil || len(e) != 100 {
		t.Fatalf("%d established: %v", len(e), err)
	}
	if _, err := c.Heartbeat(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := c.Stats(); s.Retransmitted < 2*102 || s.Unmatched < 101 {
		t.Errorf("stats %+v", s)
	}
}

func TestSilenceIsATimeout(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{Silent: true})
	c := dial(t, u.Addr(), Standard())
	_, err := c.Establish(t.Context(), manySessions(3))
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || timeout.Tries != 3 || timeout.Session.Index != 0 {
		t.Fatalf("error %v", err)
	}
	if timeout.Waited < 150*time.Millisecond || timeout.Waited > time.Second {
		t.Errorf("waited %v for T1 50 ms, N1 3", timeout.Waited)
	}
}

func TestContextEndsWaiting(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{Silent: true})
	c := dial(t, u.Addr(), Standard(), func(cfg *Config) { cfg.T1 = time.Hour })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Establish(ctx, manySessions(3)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestCloseEndsWaiting(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{Silent: true})
	c := dial(t, u.Addr(), Standard(), func(cfg *Config) { cfg.T1 = time.Hour })
	time.AfterFunc(20*time.Millisecond, func() { c.Close() })
	if _, err := c.Establish(t.Context(), manySessions(3)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("error %v", err)
	}
}

func TestSessionsThatNoUPFCouldTake(t *testing.T) {
	c, u := against(t, fakeupf.Script{})
	for want, spoil := range map[string]func(*Session){
		"is not a UE address":       func(s *Session) { s.UE = netip.Addr{} },
		"is not a gNB address":      func(s *Session) { s.GNB = netip.Addr{} },
		"needs the UPF's N3":        func(s *Session) { s.N3 = netip.Addr{} },
		"QFI 64 is not in 1..63":    func(s *Session) { s.QFI = 64 },
		"QFI 0 is not in 1..63 (TS": func(s *Session) { s.QFI = 0 },
	} {
		s := manySessions(2)
		spoil(&s[1])
		if _, err := c.Establish(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if n := len(u.Requests()); n != 1 {
		t.Errorf("%d requests, want the association alone", n)
	}
}

func TestLimitOfADialect(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{})
	d := Standard()
	d.SessionsPerAssociation = 3
	c := dial(t, u.Addr(), d)
	if _, err := c.Establish(t.Context(), manySessions(2)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Establish(t.Context(), manySessions(2)); err == nil || !strings.Contains(err.Error(), "standard takes 3") {
		t.Errorf("error %v", err)
	}
}

// A UPF that wants so gets downlink by a modification, in one Create PDR and Create FAR, and nothing of
// it by the establishment. go-pfcp reads what was sent.
func TestDownlinkByModification(t *testing.T) {
	c, u := against(t, fakeupf.Script{}, func(c *Config) {
		c.Dialect = OAIXDP()
	})
	if _, err := c.Establish(t.Context(), manySessions(1)); err != nil {
		t.Fatal(err)
	}
	side := func(pdr *ie.IE) uint8 {
		pdi, err := pdr.PDI()
		if err != nil || len(pdi) == 0 {
			t.Fatal(err)
		}
		v, err := pdi[0].SourceInterface()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var kinds []string
	for _, m := range u.Requests() {
		switch m := m.(type) {
		case *message.SessionEstablishmentRequest:
			kinds = append(kinds, "establish")
			if len(m.CreatePDR) != 1 || side(m.CreatePDR[0]) != ie.SrcInterfaceAccess || len(m.CreateFAR) != 1 {
				t.Errorf("establishment creates %d PDRs, %d FARs", len(m.CreatePDR), len(m.CreateFAR))
			}
		case *message.SessionModificationRequest:
			kinds = append(kinds, "modify")
			if len(m.CreatePDR) != 1 || side(m.CreatePDR[0]) != ie.SrcInterfaceCore || len(m.CreateFAR) != 1 || len(m.CreateQER) != 0 {
				t.Fatalf("modification creates %d PDRs, %d FARs, %d QERs", len(m.CreatePDR), len(m.CreateFAR), len(m.CreateQER))
			}
			id, _ := m.CreatePDR[0].FARID()
			if far, err := m.CreateFAR[0].FARID(); err != nil || far != id {
				t.Errorf("the PDR names FAR %d, the FAR is %d, %v", id, far, err)
			}
			p, err := m.CreateFAR[0].ForwardingParameters()
			if err != nil || !hasType(p, ie.OuterHeaderCreation) {
				t.Errorf("the FAR creates no outer header: %v", err)
			}
		}
	}
	if strings.Join(kinds, ", ") != "establish, modify" {
		t.Errorf("requests were %v", kinds)
	}
}

func hasType(list []*ie.IE, typ uint16) bool {
	return slices.ContainsFunc(list, func(i *ie.IE) bool { return i.Type == typ })
}
