package datanet

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

func question(t testing.TB, name string, kind dnsmessage.Type) []byte {
	t.Helper()
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: 77, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}}}
	b, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDNS(t *testing.T) {
	four, six := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("2001:db8:6::2")
	for _, c := range []struct {
		of      []netip.Addr // the host
		name    string
		kind    dnsmessage.Type
		code    dnsmessage.RCode
		answers []netip.Addr
	}{
		{[]netip.Addr{four}, "dn.test.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, []netip.Addr{four}},
		{[]netip.Addr{four}, "HTTP.dn.test.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, []netip.Addr{four}},
		{[]netip.Addr{four}, "dn.test.", dnsmessage.TypeAAAA, dnsmessage.RCodeSuccess, nil},
		{[]netip.Addr{four}, "example.com.", dnsmessage.TypeA, dnsmessage.RCodeNameError, nil},
		{[]netip.Addr{six}, "dn.test.", dnsmessage.TypeAAAA, dnsmessage.RCodeSuccess, []netip.Addr{six}},
		{[]netip.Addr{six}, "dn.test.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, nil},
		{[]netip.Addr{four, six}, "dn.test.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, []netip.Addr{four}},
		{[]netip.Addr{four, six}, "dn.test.", dnsmessage.TypeAAAA, dnsmessage.RCodeSuccess, []netip.Addr{six}},
		{[]netip.Addr{four, six}, "dn.test.", dnsmessage.TypeALL, dnsmessage.RCodeSuccess, []netip.Addr{four, six}},
		{[]netip.Addr{four, six}, "example.com.", dnsmessage.TypeAAAA, dnsmessage.RCodeNameError, nil},
	} {
		b, err := newResolver(c.of...).answer(question(t, c.name, c.kind))
		if err != nil {
			t.Fatal(err)
		}
		var m dnsmessage.Message
		if err := m.Unpack(b); err != nil {
			t.Fatal(err)
		}
		if m.ID != 77 || !m.Response || m.RCode != c.code || len(m.Questions) != 1 || !slices.Equal(addressesIn(m), c.answers) {
			t.Errorf("%s %v: %+v", c.name, c.kind, m)
		}
	}
}

// addressesIn are those of the answers.
func addressesIn(m dnsmessage.Message) (list []netip.Addr) {
	for _, a := range m.Answers {
		switch body := a.Body.(type) {
		case *dnsmessage.AResource:
			list = append(list, netip.AddrFrom4(body.A))
		case *dnsmessage.AAAAResource:
			list = append(list, netip.AddrFrom16(body.AAAA))
		}
	}
	return list
}

func FuzzDNS(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(question(f, "dn.test.", dnsmessage.TypeA))
	f.Add([]byte{0, 1, 0x80})
	r := newResolver(netip.MustParseAddr("192.0.2.7"))
	f.Fuzz(func(t *testing.T, b []byte) {
		answer, err := r.answer(b)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(answer); err != nil || !m.Response {
			t.Errorf("answered %x to %x: %v", answer, b, err)
		}
	})
}

func TestHTTP(t *testing.T) {
	s := httptest.NewServer(handler())
	defer s.Close()
	for _, c := range []struct {
		path   string
		status int
		octets int64
	}{
		{"/download/1500", 200, 1500}, {"/download/64K", 200, 64000}, {"/download/2m", 200, 2000000}, {"/download/0", 200, 0},
		{"/download/much", 400, -1}, {"/download/-1", 400, -1}, {"/download/9999999999G", 400, -1}, {"/nothing", 404, -1},
	} {
		a, err := http.Head(s.URL + c.path)
		if err != nil {
			t.Fatal(err)
		}
		if a.StatusCode != c.status || c.octets >= 0 && a.ContentLength != c.octets {
			t.Errorf("%s: %s, %d octets", c.path, a.Status, a.ContentLength)
		}
	}
	a, err := http.Post(s.URL+"/upload", "", strings.NewReader(strings.Repeat("x", 5000)))
	if err != nil || a.ContentLength != 5 {
		t.Errorf("upload: %v, %v", a, err)
	}
}
