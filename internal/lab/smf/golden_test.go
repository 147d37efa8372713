package smf

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
)

// golden reads a message that scapy wrote (testdata/gen.py).
func golden(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	goldenCPSEID = 0x1122334455667788
	goldenUPSEID = 0x99AABBCCDDEEFF00
)

// goldenClient builds messages as the golden files have them; it has no
// connection.
func goldenClient(d Dialect, nextSeq uint32) *Client {
	c := newClient(Config{NodeID: netip.MustParseAddr("10.10.1.1"), Dialect: d, NetworkInstance: "internet"}, netip.AddrPort{})
	c.started = time.Date(2025, 6, 4, 4, 26, 40, 0, time.UTC)
	c.seid.Store(goldenCPSEID - 1)
	c.seq.Start(nextSeq)
	return c
}

func goldenSession() Session {
	return Session{
		UE: netip.MustParseAddr("10.45.0.2"), UplinkTEID: 1, DownlinkTEID: 2,
		GNB: netip.MustParseAddr("10.10.3.1"), N3: netip.MustParseAddr("10.10.3.2"), QFI: 1,
	}
}

func ipv6Session() Session {
	return Session{
		UE: netip.MustParseAddr("2001:db8:45::2"), UplinkTEID: 1, DownlinkTEID: 2,
		GNB: netip.MustParseAddr("2001:db8:3::1"), N3: netip.MustParseAddr("2001:db8:3::2"), QFI: 1,
	}
}

func everything() Dialect {
	d := Standard()
	d.URR, d.MBR, d.QFIInUplinkPDI = true, 200_000_000, true
	return d
}

func TestEstablishmentRequestIsWhatScapyWrites(t *testing.T) {
	choose := goldenSession()
	choose.UplinkTEID = 0
	both := goldenSession()
	both.UE6 = netip.MustParseAddr("2001:db8:45:1::2")
	for _, test := range []struct {
		golden  string
		dialect Dialect
		session Session
	}{
		{"establish-standard", Standard(), goldenSession()},
		{"establish-standard-choose", Standard(), choose},
		{"establish-eupf", EUPF(), goldenSession()},
		{"establish-everything", everything(), goldenSession()},
		{"establish-ipv6", Standard(), ipv6Session()},
		{"establish-ipv4v6", Standard(), both},
	} {
		t.Run(test.golden, func(t *testing.T) {
			c := goldenClient(test.dialect, 0x0ABCDE)
			same(t, c.EstablishmentRequest(c.NewWriter(), &test.session).Bytes, golden(t, test.golden))
		})
	}
}

func TestOtherRequestsAreWhatScapyWrites(t *testing.T) {
	e := &Established{Session: goldenSession(), UPSEID: goldenUPSEID}
	handover := Change{GNB: netip.MustParseAddr("10.10.3.9"), TEID: 0x10203040, EndMarker: true}
	for _, test := range []struct {
		golden string
		seq    uint32
		build  func(c *Client) Request
	}{
		{"association-setup-request", 1, func(c *Client) Request { return c.SetupRequest() }},
		{"association-release-request", 2, func(c *Client) Request { return c.ReleaseRequest() }},
		{"heartbeat-request", 3, func(c *Client) Request { return c.HeartbeatRequest() }},
		{"modify-handover", 0x0ABCDF, func(c *Client) Request { return c.ModificationRequest(c.NewWriter(), e, handover) }},
		{"modify-buffer", 0x0ABCDF, func(c *Client) Request {
			return c.ModificationRequest(c.NewWriter(), e, Change{Action: rules.Buffer | rules.Notify})
		}},
		{"delete", 0x0ABCE0, func(c *Client) Request { return c.DeletionRequest(c.NewWriter(), e) }},
	} {
		t.Run(test.golden, func(t *testing.T) {
			same(t, test.build(goldenClient(Standard(), test.seq)).Bytes, golden(t, test.golden))
		})
	}
}

func same(t *testing.T, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("message differs\n got %x\nwant %x", got, want)
	}
}
