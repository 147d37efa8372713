package request

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Source is where a request came from, when, and its header.
type Source struct {
	pfcp.Header
	Peer netip.AddrPort
	At   time.Time
}
