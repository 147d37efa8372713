package eupf

import (
	"net"

	"github.com/upflab/upflab/internal/lab/site"
)

// listen is where eUPF's REST interface is.
func listen(tb site.Site) (l net.Listener, err error) {
	err = tb.UPF().Do(func() error {
		l, err = net.Listen("tcp", net.JoinHostPort(tb.Links().UPFN4.Addr.String(), "8080"))
		return err
	})
	return l, err
}
