package datanet

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
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
	r := newResolver(netip.MustParseAddr("192.0.2.7"))
	for _, c := range []struct {
		name    string
		kind    dnsmessage.Type
		code    dnsmessage.RCode
		answers int
	}{
		{"dn.test.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, 1},
		{"HTTP.dn.test.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, 1},
		{"dn.test.", dnsmessage.TypeAAAA, dnsmessage.RCodeSuccess, 0},
		{"example.com.", dnsmessage.TypeA, dnsmessage.RCodeNameError, 0},
	} {
		b, err := r.answer(question(t, c.name, c.kind))
		if err != nil {
			t.Fatal(err)
		}
		var m dnsmessage.Message
		if err := m.Unpack(b); err != nil {
			t.Fatal(err)
		}
		if m.ID != 77 || !m.Response || m.RCode != c.code || len(m.Answers) != c.answers || len(m.Questions) != 1 {
			t.Errorf("%s %v: %+v", c.name, c.kind, m)
		}
		if c.answers > 0 && m.Answers[0].Body.(*dnsmessage.AResource).A != [4]byte{192, 0, 2, 7} {
			t.Errorf("%s: %v", c.name, m.Answers[0])
		}
	}
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
