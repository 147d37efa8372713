package pfcp

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// source is where a request came from, when, and its header.
type source struct {
	pfcp.Header
	peer netip.AddrPort
	at   time.Time
}
