package builtin

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// serve answers in the UPF's namespace as the reference UPF would.
func serve(t *testing.T, tb site.Site, at netip.AddrPort, answer string) {
	t.Helper()
	var l net.Listener
	err := tb.UPF().Do(func() (err error) {
		l, err = net.Listen("tcp", at.String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/counters" {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(answer))
	})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
}

func TestDrops(t *testing.T) {
	tb := sitetest.Build(t)
	at := netip.AddrPortFrom(tb.Links().UPFN4.Addr, 9080)
	c := &counters{tb, at}
	if _, err := c.drops(); err == nil || !strings.Contains(err.Error(), "counters") {
		t.Errorf("when nobody answers: %v", err)
	}
	serve(t, tb, at, `{"datapath": {"drops": {"unknown TEID": 5, "gate": 2}, "workers": [{"lost": 3}, {"lost": 4}]}}`)
	list, err := c.drops()
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	if list[0].Place != "builtin: gate" || list[0].Packets != 2 || list[2].Place != "builtin: unknown TEID" || list[2].Packets != 5 ||
		list[1].Place != "builtin: refused by the kernel" || list[1].Packets != 7 {
		t.Errorf("%v", list)
	}
}
